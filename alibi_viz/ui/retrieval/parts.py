"""The five parts of the page "Find it again": controls, charts and sentences of each."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.base import Chart
from alibi_viz.charts.retrieval import copying, middle, recall
from alibi_viz.charts.retrieval.needle import NeedleChart, NeedleKeysChart
from alibi_viz.paths import PROJECT
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.link.settle import ask
from alibi_viz.ui.retrieval import controls, own
from alibi_viz.ui.show.figure import show_chart

NOTHING_MEASURED = (
    "Nothing measured yet. `python -m alibi_viz {}` measures it; what is there is left out."
)
ABOUT_RECALL = (
    "Four needles such as “red 3” lie in filler; questions such as “red?” end the window, and the "
    "number is the answer. Line: mean; shade: range over training runs; bar: 95 % interval, what "
    "other windows could have shown. "
)


def _shown(chart: Chart, about: str) -> None:
    show_chart(chart, with_table=True)
    look_for(chart.sentence())
    st.caption(about)


def _is_measured(read: Callable[[], tuple[str, ...]], command: str) -> bool:
    """Returns whether there is something to show; says so where not, or why it cannot be read."""
    try:
        names = read()
    except ValueError as error:
        st.error(str(error).replace(f"{PROJECT}/", ""))
        return False
    if not names:
        st.info(NOTHING_MEASURED.format(command))
    return bool(names)


def _asked_contenders(row: DeltaGenerator) -> tuple[str, ...]:
    """Shows the choice of recall models; says so where none is chosen or none was measured."""
    if not _is_measured(recall.measured_names, "recall"):
        return ()
    control = controls.contenders_control()
    (labels,) = ask(row, control)
    if not labels:
        st.info("Choose at least one contender.")
    return controls.chosen_names(control, labels)


def show_recall(row: DeltaGenerator) -> None:
    """Accuracy against the length of the window, and that of a model of one's own."""
    names = _asked_contenders(row)
    (wanted,) = ask(row, own.OWN)
    is_wanted = wanted != own.OWN.default
    yours = own.recalled_by_own(st.container()) if is_wanted else ()
    if names:
        _shown(recall.RecallChart(names, yours), ABOUT_RECALL + recall.SCALE)
    if is_wanted:
        own.show_kept()


def show_depth(row: DeltaGenerator) -> None:
    """Accuracy by window and place of the needle."""
    if names := _asked_contenders(row):
        _shown(recall.DepthChart(names), ABOUT_RECALL + recall.SCALE)


def show_middle(row: DeltaGenerator) -> None:
    """Accuracy by place, beside a paper's."""
    if names := _asked_contenders(row):
        length, documents = ask(row, controls.MIDDLE_LENGTH, controls.DOCUMENTS)
        chart = middle.MiddleChart(names, length, int(documents))
        _shown(chart, f"{recall.SCALE} Published: {middle.SOURCE}")


def show_copying(row: DeltaGenerator) -> None:
    """What a first copy is worth to the language models."""
    (copied,) = ask(row, controls.COPIED)
    kind = next(key for key, label in copying.KINDS.items() if label == copied)
    if not _is_measured(lambda: copying.measured_copiers(kind), "copying"):
        st.caption(copying.ABOUT)
        return
    control = controls.copiers_control()
    (labels,) = ask(row, control)
    chart = copying.CopyChart(controls.chosen_names(control, labels), kind)
    if chart.shown:
        _shown(chart, copying.ABOUT)
    else:
        st.info("Choose at least one contender that was measured.")


def show_needle(row: DeltaGenerator) -> None:
    """One needle in one window: the heads, their prices, and where the best one looks."""
    model_control = controls.needle_model_control()
    label, length, distance, needle = ask(
        row,
        model_control,
        controls.NEEDLE_LENGTH,
        controls.NEEDLE_DISTANCE,
        controls.NEEDLE,
    )
    colour, _, number = needle.partition(" ")
    if distance >= length:
        st.caption(
            f"In a window of {length:,} tokens the farthest needle lies {length - 1:,} back."
        )
    model = next(key for key, name in model_control.aliases.items() if name == label)
    asked = (model, length, min(distance, length - 1), colour, int(number))
    heads, keys = NeedleChart(*asked), NeedleKeysChart(*asked)
    with st.spinner("the model looks for the needle"):
        heads.look()
    left, right = st.columns(2, gap="medium")
    with left:
        show_chart(heads, with_table=True)
    with right:
        show_chart(keys)
    look_for(heads.sentence())
    st.caption(f"At the right {keys.sentence()} {recall.SCALE}")


SHOW = dict(
    zip(
        controls.PARTS,
        (show_recall, show_depth, show_middle, show_copying, show_needle),
        strict=True,
    )
)
