"""The parts of the page about trained models that are no charts: all heads small, the verdict."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.base import Chart
from alibi_viz.charts.trained.maps import AttentionMapChart, DifferenceMapChart, ModelHeadsChart
from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.figures.token_map import Quantity
from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.compare import have_same_tokens
from alibi_viz.ui.canvas.grid import attention_grid
from alibi_viz.ui.show.figure import show_table, take_charts_away
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
    """Shows what was read back from the model, what disagrees, and how it was read.

    Args:
        verdict: The probe's.
        key: Tells the models of a page apart.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.verdict_line(verdict), width="content")
        how = st.popover("how it was read", type="tertiary")
    if not verdict.agrees:
        st.warning("  \n".join(f"• {finding.words}" for finding in verdict.disagreements))
    with how:
        st.markdown(
            "All queries are set to zero, so that content is zero and the weights come from "
            "position alone; they are read through the values, in every way the library can "
            "compute attention. ln p falls by one slope with every token of distance. On the "
            "command line: `python -m alibi_viz probe PATH`."
        )
        for finding in verdict.notes:
            st.markdown(f"- {finding.words}")
        show_table(read_back_table(verdict), key=f"read_back_{key}")


def read_back_table(verdict: ProbeVerdict) -> pd.DataFrame:
    """Returns what was read: one row a way to compute attention and a head, over all layers."""
    rows = []
    promised = verdict.promise.slopes
    for read in verdict.read_backs:
        low, high = read.slopes.min(0), read.slopes.max(0)
        for head in range(verdict.slopes.shape[1]):
            rows.append(
                {
                    "attention by": read.words,
                    "tokens": read.length,
                    "head": head + 1,
                    "slope read back, lowest layer": low[head],
                    "highest layer": high[head],
                    "promised": np.nan if promised is None else promised[head],
                    "off a straight line, nats": read.deviation[:, head].max(),
                }
            )
    return pd.DataFrame(rows)
