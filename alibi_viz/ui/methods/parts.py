"""The five parts of the page "Where position enters": controls, charts and sentences of each."""

from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.base import Chart
from alibi_viz.charts.methods import pipeline, precision, stretching, variants, views
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.link.heads import shown_head
from alibi_viz.ui.link.parameter import Control
from alibi_viz.ui.link.settle import ask
from alibi_viz.ui.methods import controls
from alibi_viz.ui.show.figure import folded_table, show_chart, show_table


def _side_by_side(widths: list[int], *charts: Chart) -> None:
    for column, chart in zip(st.columns(widths, gap="medium"), charts, strict=True):
        with column:
            show_chart(chart)


def show_pipeline(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """Where one method acts, and every number between six tokens and the output."""
    chosen, stage, head = ask(row, controls.METHOD, controls.STAGE, controls.EXAMPLE_HEAD)
    diagram = pipeline.PipelineChart(controls.key_of(chosen), stage)
    numbers = pipeline.WorkedExampleChart(diagram.position, stage, int(head))
    with header:
        page_header("methods", diagram.method.equation)
    _side_by_side([2, 5], diagram, numbers)
    look_for(numbers.sentence())
    st.caption(pipeline.ABOUT)
    folded_table("Every stage as a table", numbers.table, key=numbers.name)


def show_compare(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """Two methods in the same three views."""
    *chosen, window, times = ask(
        row, controls.METHOD, controls.OTHER, controls.WINDOW, controls.TIMES
    )
    first, second = map(controls.key_of, chosen)
    with header:
        page_header("methods")
    left, right = st.columns(2, gap="large")
    with left:
        one = _show_views(first, window, times, "left")
    with right:
        other = _show_views(second, window, times, "right")
    look_for(views.side_by_side(one, other))
    st.header("What each method costs", anchor=False)
    st.markdown(views.COSTS_ABOUT)
    number = st.column_config.NumberColumn
    formats = {
        "parameters": number(format="localized"),
        "operations in one window": number(format="localized"),
        "of the whole model, %": number(format="%.2f"),
    }
    show_table(views.costs(window, one.eval_length), key="costs", columns=formats)


def _show_views(
    position: str, window: int, times: int, side: Literal["left", "right"]
) -> views.EffectChart:
    """Shows one method: logit by distance, its map, what is new; returns the first of them."""
    effect = views.EffectChart(position, window, times, side)
    matrix = views.LogitMapChart(position, window, times, side)
    st.header(effect.method.label, anchor=False)
    st.markdown(rf"$\displaystyle {effect.method.equation}$")
    of_head = f" The map is that of head {views.MAP_HEAD}." if "head" in matrix.state() else ""
    st.caption(f"Shown: {effect.condition}.{of_head}")
    show_chart(effect)
    show_chart(matrix)
    st.markdown(f"**New past {window:,} tokens.** {effect.new.told}")
    if effect.method.acts_on != "nowhere":
        show_chart(views.NoveltyChart(position, window, times, side), with_table=True)
    folded_table("Logit by distance as a table", effect.table, key=effect.name)
    return effect


def show_variants(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """ALiBi for encoders and longer inputs, and two other shapes."""
    (variant,) = ask(row, controls.VARIANT)
    own: dict[str, tuple[Control[Any], ...]] = {
        "interpolated": (controls.STRETCH,),
        "KERPLE-log": (controls.R1, controls.R2),
    }
    asked = own.get(variant, ())
    span, head, *rest = ask(row, controls.SPAN, controls.VARIANT_HEAD, *asked)
    with header:
        page_header("methods", variants.EQUATIONS[variant])
    more = {control.key: value for control, value in zip(asked, rest, strict=True)}
    curves = variants.VariantCurvesChart(variant, span, head, **more)
    st.markdown(variants.ABOUT[variant])
    _side_by_side([3, 2], curves, variants.VariantMatrixChart(variant, span, head, **more))
    look_for(curves.sentence())
    folded_table("The numbers", curves.table, key=curves.name)


def show_stretching(row: DeltaGenerator, header: DeltaGenerator) -> None:
    """Rotations and penalties, before and after a trained model is stretched."""
    rule, window, times = ask(row, controls.RULE, controls.WINDOW, controls.STRETCH)
    chart = stretching.StretchingChart(controls.RULE_KEYS[rule], times, window)
    with header:
        page_header("methods", stretching.EQUATIONS[chart.rule])
    st.markdown(stretching.ABOUT[chart.rule])
    show_chart(chart, with_table=True)
    look_for(chart.sentence())
    st.caption(stretching.log_length_told(window, times))


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
    shown = (heads, length, shown_head(head, heads))
    moved = precision.MovedChart(*shown, form)
    _side_by_side([1, 1], precision.DistinctChart(*shown), moved)
    show_chart(precision.RoundedWeightsChart(*shown, form))
    look_for(moved.sentence())
    st.caption(precision.ABOUT)
    folded_table("The numbers", moved.table, key="precision")


SHOW = dict(
    zip(
        controls.PARTS,
        (show_pipeline, show_compare, show_variants, show_stretching, show_precision),
        strict=True,
    )
)
