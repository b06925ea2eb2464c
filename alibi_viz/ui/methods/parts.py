"""The four parts of the page "Where position enters": controls, figures and sentences of each."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.figures.effect import effect_figure, logit_map_figure
from alibi_viz.figures.novelty import novelty_figure
from alibi_viz.figures.offsets import offsets_figure
from alibi_viz.figures.panels import panels_figure
from alibi_viz.figures.pipeline import pipeline_figure
from alibi_viz.figures.precision import by_head_figure, rounded_weights_figure
from alibi_viz.ui.controls import Control, bound_control, settle_links, show_notes
from alibi_viz.ui.frame import is_dark, look_for, page_header
from alibi_viz.ui.methods import compare, controls, pipeline, precision, variants
from alibi_viz.ui.show import show_figure, show_table


def ask(row: DeltaGenerator, *asked: Control) -> list[Any]:
    """Shows controls in the page's row of controls and returns their values.

    Args:
        row: Where to show them.
        asked: Controls, in their order.
    """
    settle_links(*asked)
    values = [bound_control(control, row) for control in asked]
    show_notes(*asked)
    return values


def show_pipeline(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """Where one method acts, and every number between six tokens and the output."""
    chosen, stage, head = ask(row, controls.METHOD, controls.STAGE, controls.EXAMPLE_HEAD)
    method = controls.key_of(chosen)
    with header:
        page_header("methods", pipeline.EQUATIONS[method])
    left, right = st.columns([2, 5], gap="medium")
    with left:
        show_figure(
            pipeline_figure(
                pipeline.pipeline_steps(method, stage),
                method=method,
                note=pipeline.note(method),
                dark=is_dark(),
            ),
            key="pipeline",
            alt=pipeline.pipeline_alt(method),
        )
    with right:
        panels = pipeline.panels(method, stage, int(head) - 1)
        show_figure(
            panels_figure(panels, dark=is_dark()),
            key="worked-example",
            alt=pipeline.panels_alt(method, panels),
        )
    look_for(pipeline.example_sentence(method, int(head) - 1))
    st.caption(pipeline.ABOUT)
    with st.expander("Every stage as a table"):
        show_table(pipeline.example_table(method), key="worked-example")


def show_compare(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """Two methods in the same three views."""
    first, second, window, times = ask(
        row, controls.METHOD, controls.OTHER, controls.WINDOW, controls.TIMES
    )
    first, second = controls.key_of(first), controls.key_of(second)
    with header:
        page_header("methods")
    left, right = st.columns(2, gap="large")
    with left:
        _show_views(first, window, times, side="left")
    with right:
        _show_views(second, window, times, side="right")
    look_for(compare.side_by_side_sentence(first, second, window, times))
    st.header("What each method costs", anchor=False)
    st.markdown(compare.COSTS_ABOUT)
    show_table(compare.costs(window, times), key="costs", columns=compare.cost_columns())


def _show_views(method: str, window: int, times: int, *, side: str) -> None:
    """One method: logit by distance, its matrix, what is new."""
    shown, label = compare.views(method, window, times), pipeline.label(method)
    st.header(label, anchor=False)
    st.markdown(rf"$\displaystyle {pipeline.EQUATIONS[method]}$")
    st.caption(shown.how)
    even = shown.effect.depends_on_distance_only
    show_figure(
        effect_figure(
            shown.effect.mean,
            None if even else (shown.effect.low, shown.effect.high),
            method=method,
            train_length=window,
            eval_length=window * times,
            dark=is_dark(),
        ),
        key=f"effect-{side}",
        alt=f"{label}: logit against distance up to {window * times:,} tokens",
    )
    show_figure(
        logit_map_figure(shown.matrix, shown.places, train_length=window, dark=is_dark()),
        key=f"matrix-{side}",
        alt=f"{label}: logits between {len(shown.places)} positions, future hatched",
    )
    st.markdown(f"**New past {window:,} tokens.** {shown.what_is_new}")
    if shown.reach is not None:
        show_figure(
            novelty_figure(shown.reach, method=method, dark=is_dark()),
            key=f"new-{side}",
            alt=f"{label}: {shown.what_is_new}",
            table=compare.reach_table(shown.reach),
        )
    with st.expander("Logit by distance as a table"):
        show_table(compare.effect_table(shown), key=f"effect-{side}")


def show_variants(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """ALiBi for encoders and longer inputs, and two other shapes."""
    (variant,) = ask(row, controls.VARIANT)
    own = {
        "interpolated": (controls.STRETCH,),
        "KERPLE-log": (controls.R1, controls.R2),
    }.get(variant, ())
    span, head, *rest = ask(row, controls.SPAN, controls.VARIANT_HEAD, *own)
    with header:
        page_header("methods", variants.EQUATIONS[variant])
    stretch = rest[0] if variant == "interpolated" else 1
    r = tuple(rest) if variant == "KERPLE-log" else (1.0, 1.0)
    shown = variants.curves(variant, span, head - 1, stretch, r)
    chosen = min(head, len(shown.names)) - 1
    st.markdown(variants.ABOUT[variant])
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show_figure(
            offsets_figure(shown, chosen=chosen, dark=is_dark()),
            key="variant-curves",
            alt=f"Bias and attention weight by offset, {variant}, {len(shown.names)} curves",
        )
    matrix = variants.matrix(shown, chosen)
    with right:
        show_figure(
            logit_map_figure(matrix, variants.places(matrix), train_length=None, dark=is_dark()),
            key="variant-matrix",
            alt=f"{shown.names[chosen]}: bias between {len(matrix)} tokens, masked part hatched",
        )
    look_for(variants.sentence(variant, shown, chosen, stretch))
    with st.expander("The numbers"):
        show_table(variants.table(shown), key="variant-curves")


def show_precision(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """What bfloat16 and float16 leave of a bias."""
    heads, length, head, form = ask(
        row,
        controls.PRECISION_HEADS,
        controls.PRECISION_LENGTH,
        controls.PRECISION_HEAD,
        controls.FORM,
    )
    with header:
        page_header("methods", precision.EQUATIONS[form])
    head = min(head, heads)
    made = precision.rounding(heads, length)
    left, right = st.columns(2, gap="medium")
    with left:
        show_figure(
            by_head_figure(
                precision.distinct_curves(made),
                label=f"different biases of {length:,}",
                chosen=head - 1,
                in_octaves=True,
                dark=is_dark(),
            ),
            key="distinct",
            alt=f"Different biases by head and number type, of {length:,} distances",
        )
    with right:
        show_figure(
            by_head_figure(
                precision.moved_curves(made, form),
                label="attention moved, %",
                chosen=head - 1,
                dark=is_dark(),
            ),
            key="moved",
            alt=f"Share of attention that rounding moves, by head and type, form {form}",
        )
    exact, halves = precision.nearest_weights(heads, length, head - 1, form)
    show_figure(
        rounded_weights_figure(exact, halves, dark=is_dark()),
        key="rounded-weights",
        alt=f"Head {head}: weights of the nearest {len(exact)} keys, exact and rounded",
    )
    look_for(precision.sentence(made, length, head - 1))
    st.caption(precision.ABOUT)
    with st.expander("The numbers"):
        show_table(precision.table(made), key="precision")


SHOW = dict(
    zip(
        controls.PARTS,
        (show_pipeline, show_compare, show_variants, show_precision),
        strict=True,
    )
)
