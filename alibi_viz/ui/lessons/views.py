"""The app's views, as lessons show them: with the controls of the exercise, and one sentence."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.base import Chart
from alibi_viz.charts.biases import HeadMapChart, LiveParts
from alibi_viz.charts.decay import DecayChart
from alibi_viz.charts.heads import AlibiHeads
from alibi_viz.charts.methods.stretching import StretchingChart
from alibi_viz.charts.phases import PhasesChart
from alibi_viz.charts.words import WordsChart
from alibi_viz.lessons.lesson import Lesson, State, ViewName
from alibi_viz.maths.slopes import rules_differ
from alibi_viz.ui.canvas.live import live_view
from alibi_viz.ui.extrapolation import shown as extrapolation
from alibi_viz.ui.lessons.controls import IN_VIEWS, LOOKS, POSITION
from alibi_viz.ui.lessons.perplexity import drawn_methods, perplexity_chart, show_perplexity
from alibi_viz.ui.link.heads import cell_of, linked_cell, linked_head
from alibi_viz.ui.link.parameter import Numbers
from alibi_viz.ui.link.settle import bound_control, choose, forget, settle_links, show_notes
from alibi_viz.ui.methods.controls import RULE_KEYS, key_of
from alibi_viz.ui.show.figure import show_chart, take_charts_away

WIDE_VIEWS: frozenset[ViewName] = frozenset({"biases"})
"""Views that need the page's width; the others stand beside the text."""


def show_view(lesson: Lesson) -> State:
    """Shows a lesson's view with its controls, and returns the state that it is in.

    Args:
        lesson: The lesson.

    Returns:
        The values of all controls, shown or not, and what is chosen in the figure and read off it.
    """
    values = dict(lesson.view.state)
    values.update(_controls(lesson, values))
    values.update(_VIEWS[lesson.view.name](values))
    return values


def _controls(lesson: Lesson, values: Mapping[str, Any]) -> dict[str, Any]:
    """Shows the lesson's controls in one row, and returns their values."""
    shown = [IN_VIEWS[name] for name in lesson.view.controls if name in IN_VIEWS]
    settle_links(*shown)
    chosen: dict[str, Any] = {}
    places = st.columns(len(lesson.view.controls), gap="medium")
    for name, place in zip(lesson.view.controls, places, strict=True):
        heads = chosen.get("heads", values.get("heads", 1))
        if name == "head":
            chosen[name] = _head(values[name], heads, place)
        elif name == "methods":
            drawn = drawn_methods(values)
            chosen[name] = tuple(extrapolation.methods_control(place, drawn))
            if chosen[name] == drawn:
                # All of them: on the page that has more, this means all of those.
                forget(name)
        elif name == "position":
            chosen[name] = key_of(bound_control(POSITION, place))
        elif name != "rule" or rules_differ(heads):
            chosen[name] = bound_control(IN_VIEWS[name], place)
    show_notes(*shown)
    return chosen


def _head(prepared: int, heads: int, place: DeltaGenerator) -> int:
    """Shows which head is brought forward; the canvas can choose it too."""

    def moved() -> None:
        choose("head", (int(st.session_state["lesson_head"]),))

    head = linked_head(heads, prepared)
    st.session_state["lesson_head"] = head
    place.number_input("head", 1, heads, key="lesson_head", on_change=moved)
    return head


def _heads(values: Mapping[str, Any]) -> AlibiHeads:
    return AlibiHeads(values["heads"], values["exponent"], values["length"], values["rule"])


def _show(view: ViewName, values: Mapping[str, Any]) -> State:
    show_chart(_CHARTS[view](values), with_table=True)
    return {}


def _cell(values: Mapping[str, Any]) -> Numbers:
    return cell_of("cell", values["length"], at=(0.8, 0.5))


def _head_map(values: Mapping[str, Any], cell: tuple[int, int]) -> HeadMapChart:
    looks = {name: values.get(name, control.default) for name, control in LOOKS.items()}
    state = asdict(_heads(values)) | {"head": values["head"]}
    return HeadMapChart(**state, **looks, cell=cell)


def _biases(values: Mapping[str, Any]) -> State:
    cell = linked_cell(_cell(values))
    head_map = _head_map(values, cell)
    live_view(
        head_map,
        on_head=lambda head: choose("head", (head,)),
        on_cell=lambda chosen: choose("cell", chosen),
    )
    take_charts_away(LiveParts.of(head_map).named())
    return {"cell": cell}


def _decay_chart(values: Mapping[str, Any]) -> DecayChart:
    """Returns the curves of the last query, every distance of which was seen in training."""
    return DecayChart(
        **asdict(_heads(values)),
        head=values["head"],
        query=values["length"] - 1,
        train_length=values["length"],
        log_distance=values.get("distance", "log") == "log",
        log_weight=values.get("weight", "log") == "log",
    )


def _trained(values: Mapping[str, Any]) -> State:
    # Here, not at the top: it brings in torch, which the other lessons can do without.
    from alibi_viz.ui.lessons.trained_head import show_trained_head

    return show_trained_head(values["layer"], values["head"])


_CHARTS: dict[ViewName, Callable[[Mapping[str, Any]], Chart]] = {
    "words": lambda values: WordsChart(values["position"], values["order"]),
    "phases": lambda values: PhasesChart(values["position"], values["trained"]),
    "biases": lambda values: _head_map(
        values, (_cell(values).default[0], _cell(values).default[1])
    ),
    "decay": _decay_chart,
    "windows": lambda values: _decay_chart(values).windows(),
    "perplexity": perplexity_chart,
    "stretching": lambda values: StretchingChart(
        RULE_KEYS[values["stretched_by"]], values["stretch"], values["window"]
    ),
}


def prepared_chart(lesson: Lesson) -> Chart | None:
    """Returns the lesson's view as it is prepared; None where it takes a trained model."""
    if lesson.view.name not in _CHARTS:
        return None
    return _CHARTS[lesson.view.name](lesson.view.state)


_VIEWS: dict[ViewName, Callable[[Mapping[str, Any]], State]] = {
    "words": partial(_show, "words"),
    "phases": partial(_show, "phases"),
    "biases": _biases,
    "decay": partial(_show, "decay"),
    "windows": partial(_show, "windows"),
    "perplexity": show_perplexity,
    "trained": _trained,
    "stretching": partial(_show, "stretching"),
}
