"""Measured perplexity, ours or the paper's, as lessons show it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from alibi_viz.charts.measured.perplexity import BOTH, PerplexityChart
from alibi_viz.charts.measured.published import PublishedChart
from alibi_viz.lessons.lesson import State
from alibi_viz.positions import METHODS
from alibi_viz.ui.extrapolation import shown as extrapolation
from alibi_viz.ui.show.figure import folded_table, show_chart

# Where both protocols are compared, they have to score the same tokens.
_SAME_TEXT = "ours, same text"


def drawn_methods(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the keys of the methods that have a line: only those can be chosen.

    Args:
        values: Values of the lesson's controls, by name.
    """
    return _drawn(perplexity_chart({**values, "methods": tuple(METHODS)}))


def _drawn(chart: PerplexityChart | PublishedChart) -> tuple[str, ...]:
    lines = {curve.method for curve in chart.curves}
    return tuple(method for method in METHODS if method in lines)


def perplexity_chart(values: Mapping[str, Any]) -> PerplexityChart | PublishedChart:
    """Returns our measurements, or the paper's where there are none of ours."""
    protocol, methods = extrapolation.protocol_of(values["protocol"]), tuple(values["methods"])
    ours = PerplexityChart(
        methods,
        protocol=protocol,
        on_sample=values["source"] == _SAME_TEXT,
        both=values["protocol"] == BOTH,
    )
    measured = {record.protocol for record in ours.records if record.method == "alibi"}
    # Lessons compare the protocols: ours are shown once ALiBi is measured by both.
    if values["source"] != "paper" and len(measured) > 1 and ours.curves:
        return ours
    return PublishedChart(extrapolation.PAPER.default, methods, protocol)


def _windows(chart: PerplexityChart | PublishedChart) -> str:
    if isinstance(chart, PerplexityChart) and chart.both:
        return "do not overlap and, open marks, windows that slide over the same text."
    return "slide over the text." if chart.protocol == "sliding_window" else "do not overlap."


def show_perplexity(values: Mapping[str, Any]) -> State:
    """Shows our measurements or the paper's, and returns the methods that have a line.

    Args:
        values: Values of the lesson's controls, by name.
    """
    chart = perplexity_chart(values)
    if not chart.curves:
        st.info("None of these methods was measured that way. Choose another one.")
        return {"methods": ()}
    whose = (
        "Models trained for this app"
        if isinstance(chart, PerplexityChart)
        else "Press, Smith and Lewis 2022, 247M parameters, WikiText-103"
    )
    st.caption(
        f"{whose}, trained on {chart.train_length} tokens; evaluated with windows that "
        + _windows(chart)
    )
    show_chart(chart)
    folded_table("The numbers", chart.summary, key="perplexity_summary")
    return {"methods": _drawn(chart)}
