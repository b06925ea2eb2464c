"""The parts of the page about trained models that are no charts: all heads small, the verdict."""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.charts.base import Chart
from alibi_viz.charts.trained.evidence import SlopeEvidenceChart
from alibi_viz.charts.trained.maps import AttentionMapChart, DifferenceMapChart, ModelHeadsChart
from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.figures.trained.token_map import Quantity
from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.compare import have_same_tokens
from alibi_viz.ui.canvas.grid import attention_grid
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.frame.presentation import is_alone
from alibi_viz.ui.show.figure import show_chart, take_charts_away
from alibi_viz.ui.show.plain import unmarked
from alibi_viz.ui.trained import words
from alibi_viz.ui.trained.controls import ORDERS, choose_head


def show_grid(
    run: Run, order: str, chosen: tuple[int, int], *, key: str = "layer_head", name: str = ""
) -> None:
    """Shows all heads, in the order that was asked for.

    Args:
        run: The model and the text.
        order: One of `controls.ORDERS`.
        chosen: (layer, head), counted from 0.
        key: Name of the choice in the URL.
        name: What stands after the numbers of layers and heads above the pictures.
    """
    if is_alone():
        return
    capture = run.capture
    n_head = capture.n_head
    attention_grid(
        run.overview.thumbnails,
        slopes=capture.slopes,
        order=words.grid_order(order, run),
        words=words.grid_words(run),
        chosen=chosen[0] * n_head + chosen[1],
        is_table=order == ORDERS[0],
        title=f"{capture.n_layer} layers × {n_head} heads{name}",
        on_head=lambda index: choose_head(key, *divmod(index, n_head)),
        key=f"grid_{key}",
    )


def take_maps_away(
    heads: Sequence[HeadOfRun], quantity: Quantity, difference: str | None = None
) -> None:
    """Shows a menu for each map on the page, and for the small maps of all heads.

    Args:
        heads: One head, or two.
        quantity: What is coloured.
        difference: What the second map minus the first is called, if the page shows it.
    """
    charts: dict[str, Chart] = {
        head.name or "this head's map": AttentionMapChart(head, quantity, number)
        for number, head in enumerate(heads, start=1)
    }
    if difference is not None and have_same_tokens(*(head.capture for head in heads)):
        charts[difference] = DifferenceMapChart(heads[0], heads[1], quantity, difference)
    take_charts_away(charts | {"all heads": ModelHeadsChart(heads[0].run)})


def show_verdict(verdict: ProbeVerdict, key: str) -> None:
    """Shows the answer in one line, what disagrees and its evidence; how it was read in a menu.

    Args:
        verdict: The probe's.
        key: Tells the models of a page apart.
    """
    has_slopes = verdict.state != "none"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.answer_line(verdict), width="content")
        how = st.popover("how it was read", type="tertiary")
        is_asked = (
            has_slopes
            and verdict.agrees
            and st.checkbox("evidence", key=f"evidence_{key}", help="Slope by head")
        )
    with how:
        st.markdown(words.how_it_was_read(verdict))
        for finding in verdict.notes:
            st.markdown(f"- {unmarked(finding.words)}")
    if verdict.agrees and not is_asked:
        return
    said, drawn = st.columns([3, 2], gap="medium")
    chart = SlopeEvidenceChart.of(verdict)
    with said:
        if not verdict.agrees:
            st.warning(
                "  \n".join(f"• {unmarked(finding.words)}" for finding in verdict.disagreements)
            )
        if has_slopes:
            look_for(chart.sentence())
    if has_slopes:
        with drawn:
            show_chart(chart, with_table=True)
