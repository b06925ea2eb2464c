"""The four parts of the page "Where position enters": controls, figures and sentences of each."""

from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.exhibits import compare, pipeline, precision, variants
from alibi_viz.figures.effect import effect_figure, logit_map_figure
from alibi_viz.figures.novelty import novelty_figure
from alibi_viz.figures.offsets import offsets_figure
from alibi_viz.figures.panels import panels_figure
from alibi_viz.figures.pipeline import pipeline_figure
from alibi_viz.figures.precision import by_head_figure, rounded_weights_figure
from alibi_viz.maths.precision import BiasForm
from alibi_viz.positions import find_method
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.link.control import Control
from alibi_viz.ui.link.controls import bound_control, settle_links, show_notes, shown_head
from alibi_viz.ui.methods import controls
from alibi_viz.ui.recipes import methods as code
from alibi_viz.ui.show.figure import show_figure, show_table


def ask(row: DeltaGenerator, *asked: Control[Any]) -> list[Any]:
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
        page_header("methods", find_method(method).equation)
    state = {"method": chosen, "numbers of": stage}
    steps = pipeline.pipeline_steps(method, stage)
    left, right = st.columns([2, 5], gap="medium")
    with left:
        show_figure(
            partial(pipeline_figure, steps, method=method, note=pipeline.note(method)),
            key="pipeline",
            title=f"Where {chosen} enters attention",
            state=state,
            alt=pipeline.pipeline_alt(method),
            code=code.pipeline_code(method, stage),
            numbers=partial(pipeline.steps_table, steps),
        )
    with right:
        panels = pipeline.panels(method, stage, int(head) - 1)
        show_figure(
            partial(panels_figure, panels),
            key="worked-example",
            title=f"Attention over six tokens with {chosen}, in numbers",
            state=state | {"head": head},
            alt=pipeline.panels_alt(method, panels),
            code=code.panels_code(method, stage, int(head) - 1),
            numbers=partial(pipeline.example_table, method),
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
    show_table(compare.costs(window, times), key="costs", columns=_cost_columns())


def _cost_columns() -> dict[str, Any]:
    """Returns how the table of costs is shown."""
    number = st.column_config.NumberColumn
    return {
        "parameters": number(format="localized"),
        "operations in one window": number(format="localized"),
        "of the whole model, %": number(format="%.2f"),
    }


def _show_views(method: str, window: int, times: int, *, side: str) -> None:
    """One method: logit by distance, its matrix, what is new."""
    shown, label = compare.views(method, window, times), pipeline.label(method)
    st.header(label, anchor=False)
    st.markdown(rf"$\displaystyle {find_method(method).equation}$")
    st.caption(shown.how)
    state = {
        "training length": f"{window:,} tokens",
        "input": f"{window * times:,} tokens",
        "shown": shown.how.removeprefix("Shown: ").replace(compare.MAP_NOTE, "").rstrip("."),
    }
    head = {"head": str(compare.MAP_HEAD + 1)} if compare.MAP_NOTE in shown.how else {}
    _show_effect(method, window, times, side, state)
    show_figure(
        partial(logit_map_figure, shown.matrix, shown.places, train_length=window),
        key=f"matrix-{side}",
        title=f"{label}: logit between positions",
        state=state | head,
        alt=f"{label}: logits between {len(shown.places)} positions, future hatched",
        code=code.matrix_code(method, window, times),
    )
    st.markdown(f"**New past {window:,} tokens.** {shown.new.told}")
    if len(shown.new.seen):
        show_figure(
            partial(novelty_figure, shown.new, method=method),
            key=f"new-{side}",
            title=f"{label}: what a longer input brings that is new",
            state={name: state[name] for name in ("training length", "input")},
            alt=f"{label}: {shown.new.told}",
            code=code.novelty_code(method, window, times),
            table=compare.novelty_table(shown.new),
        )
    with st.expander("Logit by distance as a table"):
        show_table(compare.effect_table(shown), key=f"effect-{side}")


def _show_effect(method: str, window: int, times: int, side: str, state: dict[str, str]) -> None:
    """One method's logit by distance."""
    effect, label = compare.views(method, window, times).effect, pipeline.label(method)
    even = effect.depends_on_distance_only
    show_figure(
        partial(
            effect_figure,
            effect.mean,
            None if even else (effect.low, effect.high),
            method=method,
            train_length=window,
            eval_length=window * times,
        ),
        key=f"effect-{side}",
        title=f"{label}: logit by distance",
        state=state,
        alt=f"{label}: logit against distance up to {window * times:,} tokens",
        code=code.effect_code(method, window, times),
    )


def show_variants(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """ALiBi for encoders and longer inputs, and two other shapes."""
    (variant,) = ask(row, controls.VARIANT)
    own: dict[str, tuple[Control[Any], ...]] = {
        "interpolated": (controls.STRETCH,),
        "KERPLE-log": (controls.R1, controls.R2),
    }
    span, head, *rest = ask(row, controls.SPAN, controls.VARIANT_HEAD, *own.get(variant, ()))
    with header:
        page_header("methods", variants.EQUATIONS[variant])
    stretch = rest[0] if variant == "interpolated" else 1
    r = tuple(rest) if variant == "KERPLE-log" else (1.0, 1.0)
    shown = variants.curves(variant, span, head - 1, stretch, r)
    chosen = min(head, len(shown.names)) - 1
    st.markdown(variants.ABOUT[variant])
    state = _variant_state(variant, shown.names[chosen], span, stretch)
    arguments = (variant, span, head - 1, stretch, r, chosen)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show_figure(
            partial(offsets_figure, shown, chosen=chosen),
            key="variant-curves",
            title="Bias by offset from the query, and the attention that it gives",
            state=state,
            alt=f"Bias and attention weight by offset, {variant}, {len(shown.names)} curves",
            code=code.variant_code(*arguments),
        )
    matrix = variants.matrix(shown, chosen)
    with right:
        show_figure(
            partial(logit_map_figure, matrix, variants.places(matrix), train_length=None),
            key="variant-matrix",
            title=f"Bias between {len(matrix)} tokens",
            state=state,
            alt=f"{shown.names[chosen]}: bias between {len(matrix)} tokens, masked part hatched",
            code=code.variant_matrix_code(*arguments),
        )
    look_for(variants.sentence(variant, shown, chosen, stretch))
    with st.expander("The numbers"):
        show_table(variants.table(shown), key="variant-curves")


def _variant_state(variant: str, name: str, span: int, stretch: int) -> dict[str, str]:
    """Returns what the figures of a variant depend on, in words."""
    state = {"variant": variant, "curve": name, "tokens on each side": f"{span:,}"}
    return state | ({"stretched": f"{stretch} times"} if variant == "interpolated" else {})


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
    head = shown_head(head, heads)
    made = precision.rounding(heads, length)
    state = {"heads": str(heads), "length": f"{length:,} tokens"}
    left, right = st.columns(2, gap="medium")
    with left:
        _show_distinct(made, length, head - 1, state)
    with right:
        _show_moved(made, length, head - 1, form, state)
    exact, halves = precision.nearest_weights(heads, length, head - 1, form)
    show_figure(
        partial(rounded_weights_figure, exact, halves),
        key="rounded-weights",
        title="Attention on the nearest keys, with the bias exact and rounded",
        state=state | {"head": str(head), "form of the bias": form},
        alt=f"Head {head}: weights of the nearest {len(exact)} keys, exact and rounded",
        code=code.rounded_code(heads, length, head - 1, form),
    )
    look_for(precision.sentence(made, length, head - 1))
    st.caption(precision.ABOUT)
    with st.expander("The numbers"):
        show_table(precision.table(made), key="precision")


def _show_distinct(
    made: precision.Rounding, length: int, chosen: int, state: dict[str, str]
) -> None:
    """How many different biases each number type keeps."""
    label = f"different biases of {length:,}"
    show_figure(
        partial(
            by_head_figure,
            precision.distinct_curves(made),
            label=label,
            chosen=chosen,
            in_octaves=True,
        ),
        key="distinct",
        title="Different biases left by each number type",
        state=state,
        alt=f"Different biases by head and number type, of {length:,} distances",
        code=code.by_head_code(
            len(made.slopes),
            length,
            chosen,
            curves="distinct_curves(made)",
            label=label,
            in_octaves=True,
        ),
    )


def _show_moved(
    made: precision.Rounding, length: int, chosen: int, form: BiasForm, state: dict[str, str]
) -> None:
    """How much of the attention each number type moves."""
    label = "attention moved, %"
    show_figure(
        partial(by_head_figure, precision.moved_curves(made, form), label=label, chosen=chosen),
        key="moved",
        title="Attention that rounding the bias moves to other keys",
        state=state | {"form of the bias": form},
        alt=f"Share of attention that rounding moves, by head and type, form {form}",
        code=code.by_head_code(
            len(made.slopes), length, chosen, curves=f"moved_curves(made, {form!r})", label=label
        ),
    )


SHOW = dict(
    zip(
        controls.PARTS,
        (show_pipeline, show_compare, show_variants, show_precision),
        strict=True,
    )
)
