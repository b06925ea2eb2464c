"""Buttons that save the page's plotly charts as SVG, with the state in the file's metadata."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

_COMPONENT = st.components.v2.component(
    "alibi_save_svg",
    html='<div class="buttons"></div>',
    css=(HERE / "save_svg.css").read_text(encoding="utf-8"),
    js=(HERE / "save_svg.js").read_text(encoding="utf-8"),
)


def save_svg(state: Mapping[str, Any], charts: Mapping[str, str]) -> None:
    """Shows a button for each chart.

    Args:
        state: What is written into the files, as JSON can hold it.
        charts: Label of the button by the key of the chart on its page.
    """
    _COMPONENT(key="save_svg", data={"state": dict(state), "charts": dict(charts)}, width="content")
