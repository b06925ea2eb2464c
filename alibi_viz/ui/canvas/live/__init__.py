"""The live canvas: all heads, one head large, its query's row and the slope ladder, in the browser.

It follows the sliders while they are held, which Streamlit's own elements cannot, and computes
everything from six numbers; nothing that is drawn ever travels from the server. Its scripts are
plain text files without a build step, joined here in the order in which they need each other.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz.charts.biases import HeadMapChart
from alibi_viz.ui.canvas import LIVE, SHARED, looks, read_files
from alibi_viz.ui.link.heads import EXPONENT, HEADS, LENGTH

HERE = Path(__file__).parent
SCRIPTS = (*SHARED, *LIVE)

_COMPONENT = st.components.v2.component(
    "alibi_live",
    html=(HERE / "live.html").read_text(encoding="utf-8"),
    css=(HERE / "live.css").read_text(encoding="utf-8"),
    js=read_files(HERE, SCRIPTS),
)


def live_view(
    chart: HeadMapChart,
    *,
    on_head: Callable[[int], None],
    on_cell: Callable[[tuple[int, int]], None],
) -> None:
    """Shows the live canvas.

    Args:
        chart: The map of the chosen head, whose state decides all other parts too.
        on_head: Called with the head that the visitor chooses in the canvas.
        on_cell: Called with the (query, key) that the visitor chooses in the canvas.
    """
    key = "live"

    def chosen(name: str) -> Any:
        return st.session_state[key][name]

    _COMPONENT(
        key=key,
        data={
            **asdict(chart),
            "cell": list(chart.cell),
            "sliders": {
                control.key: list(control.options) for control in (HEADS, EXPONENT, LENGTH)
            },
            "looks": looks(),
        },
        on_head_change=lambda: on_head(int(chosen("head"))),
        on_cell_change=lambda: on_cell((int(chosen("cell")[0]), int(chosen("cell")[1]))),
    )
