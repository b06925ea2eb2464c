"""Measured perplexity, ours or the paper's, as lessons show it."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import streamlit as st

from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.evaluation.score import Protocol
from alibi_viz.exhibits.measured import as_method_curve, measure_title, own_curves, paper_curves
from alibi_viz.figures.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.lessons.lesson import State
from alibi_viz.ui.extrapolation import shown as extrapolation
from alibi_viz.ui.recipes.measured import own_code, paper_code
from alibi_viz.ui.show import results
from alibi_viz.ui.show.figure import show_figure

# Where both protocols are compared, they have to score the same tokens.
_SAME_TEXT = "ours, same text"


def _own_curves(source: str, protocol: Protocol, methods: Collection[str]) -> list[MethodCurve]:
    """Returns our own curves, once ALiBi is measured by both protocols: lessons compare them."""
    records = results.same_text_records() if source == _SAME_TEXT else results.own_records()
    measured = {record.protocol for record in records if record.method == "alibi"}
    if len(measured) < 2:
        return []
    curves = own_curves(records, train_length=TRAIN_LENGTH, protocol=protocol, measure="perplexity")
    return [curve for curve in curves if curve.method in methods]


def _papers_curves(protocol: Protocol, methods: Collection[str]) -> list[MethodCurve]:
    """Returns the curves of the paper's table that the extrapolation page shows first."""
    paper = paper_curves(extrapolation.PAPER.default, protocol, list(methods))
    return [as_method_curve(curve, "perplexity") for curve in paper]


def show_perplexity(values: Mapping[str, Any]) -> State:
    """Shows our measurements or the paper's; the paper's where there are none of ours.

    Args:
        values: Values of the lesson's controls, by name.
    """
    protocol = extrapolation.protocol_of(values["protocol"])
    source, methods = values["source"], values["methods"]
    curves = [] if source == "paper" else _own_curves(source, protocol, methods)
    if curves:
        train_length, whose = TRAIN_LENGTH, "Models trained for this app"
        program = partial(
            own_code, methods, records="same_text" if source == _SAME_TEXT else "comparable"
        )
    else:
        train_length, whose = 512, "Press, Smith and Lewis 2022, 247M parameters, WikiText-103"
        curves = _papers_curves(protocol, methods)
        program = partial(paper_code, extrapolation.PAPER.default, methods)
    if not curves:
        st.info("None of these methods was measured that way. Choose another one.")
        return {}
    st.caption(
        f"{whose}, trained on {train_length} tokens; evaluated with windows that "
        + ("slide over the text." if protocol == "sliding_window" else "do not overlap.")
    )
    ends = "; ".join(
        f"{curve.label} {curve.mean[0]:.1f} at {curve.lengths[0]:,} tokens and "
        f"{curve.mean[-1]:.1f} at {curve.lengths[-1]:,}"
        for curve in curves
    )
    axis = measure_title("perplexity")
    show_figure(
        partial(extrapolation_figure, curves, train_length=train_length, measure=axis),
        key="lesson_perplexity",
        title="Perplexity against the length of the evaluation window",
        state={
            "source": whose,
            "trained on": f"{train_length:,} tokens",
            "windows": values["protocol"],
        },
        code=program(train_length=train_length, protocol=protocol, measure="perplexity"),
        alt=f"Perplexity against evaluation length, both axes logarithmic. {ends}.",
        table=extrapolation.summary_table(curves, train_length),
    )
    return {}
