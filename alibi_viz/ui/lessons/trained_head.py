"""One head of a trained model, as a lesson shows it. Imports torch: load it when it is needed."""

from collections.abc import Callable

import streamlit as st

from alibi_viz.charts.trained.measures import DistancesChart
from alibi_viz.charts.trained.run import HeadOfRun
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.text.capture import Capture
from alibi_viz.lessons.lesson import State
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.ui.canvas.map import Cell, MapState, attention_map
from alibi_viz.ui.link.settle import choose
from alibi_viz.ui.show.figure import show_chart
from alibi_viz.ui.show.plain import unmarked
from alibi_viz.ui.trained.controls import VIEW, chosen_cell
from alibi_viz.ui.trained.models import glanced, open_model, run_of, see
from alibi_viz.ui.trained.offered import alibi_names
from alibi_viz.ui.trained.texts import chosen_text, text_names
from alibi_viz.ui.trained.views import take_maps_away
from alibi_viz.words import percent


def show_trained_head(layer: int, head: int) -> State:
    """Shows a head's attention over a short text, cell by cell and by distance.

    Args:
        layer: Layer, counted from 1.
        head: Head, counted from 1.

    Returns:
        What the chosen cell says: "pair", its (query, key); "cost", what its distance costs in
        nats; "weight" and "own_weight", of that key and of the query's own. Empty without a model.
    """
    names = alibi_names()
    if not names:
        st.info("No trained ALiBi model is here. Train one on the page Train, then come back.")
        return {}
    text = chosen_text(text_names()[0])
    try:
        model = open_model(names[0])
        seen = see(model, text.content)
    except UnreadableModel as error:
        st.error(unmarked(f"The model {names[0]} cannot be shown: {error}."))
        return {}
    capture = seen.capture
    run = glanced(run_of(model, seen, text), model, seen)
    chosen = HeadOfRun(run, min(layer, capture.n_layer), min(head, capture.n_head))
    st.caption(unmarked(f"{names[0]}; text: {text.name}, {capture.length} tokens"))
    cell = chosen_cell(capture.length)
    _map(names[0], chosen, cell)
    said = _said(capture, chosen.place, cell)
    st.markdown(_cell_sentence(cell, said))
    show_chart(DistancesChart((chosen,)), with_table=True)
    take_maps_away([chosen], VIEW.default)
    st.markdown(_head_sentence(chosen))
    return said


def cell_that(is_wanted: Callable[[State], bool], layer: int, head: int) -> Cell | None:
    """Returns a cell of a head's map that says what is wanted; None where none does.

    Args:
        is_wanted: Called with what `show_trained_head` returns of a cell.
        layer: Layer, counted from 1.
        head: Head, counted from 1.
    """
    try:
        model = open_model(alibi_names()[0])
        capture = see(model, chosen_text(text_names()[0]).content).capture
    except (IndexError, UnreadableModel):
        return None
    cells = ((query, key) for query in range(capture.length) for key in range(query))
    place = layer - 1, head - 1
    return next((cell for cell in cells if is_wanted(_said(capture, place, cell))), None)


def _map(model: str, head: HeadOfRun, cell: Cell) -> None:
    state = MapState(
        VIEW.default,
        cell,
        head.full_name,
        f"alibi-viz-lesson-{model}",
        {"model": model, "heads": [[head.layer, head.head]]},
    )
    attention_map([head], state, key="lesson_map", on_cell=lambda chosen: choose("pair", chosen))


def _said(capture: Capture, place: tuple[int, int], cell: Cell) -> dict[str, object]:
    """Returns what the head makes of the chosen cell; see `show_trained_head`."""
    query, key = cell
    row = capture.attention(*place, range(query, query + 1))
    return {
        "pair": cell,
        "cost": -float(row.position[0, key]),
        "weight": float(row.weights[0, key]),
        "own_weight": float(row.weights[0, query]),
    }


def _cell_sentence(cell: Cell, said: State) -> str:
    """Returns what the chosen key's distance costs, and whether its content has paid for it."""
    query, key = cell
    if query == key:
        return f"This is query {query}'s own key: distance 0 costs nothing. Keys to its left pay."
    ahead = said["weight"] > said["own_weight"]
    away = f"{query - key} token{'' if query - key == 1 else 's'}"
    return (
        f"Key {key} is {away} back from query {query}, which costs it {said['cost']:.2f} nats. It "
        f"gets {100 * said['weight']:.2g} % of the attention, the query's own key "
        f"{100 * said['own_weight']:.2g} %: its content has "
        f"{'paid for the distance' if ahead else 'not paid for the distance'}."
    )


def _head_sentence(head: HeadOfRun) -> str:
    """Returns what this head does on average, beside what its slope alone would do."""
    measures, theory, place = head.run.overview.measures, head.run.theory, head.place
    words = (
        f"On average this head needs {measures.window[place]:.0f} tokens for "
        f"{percent(WINDOW_MASS)} of its attention, and puts "
        f"{percent(float(measures.first_token[place]))} on the first token of the text."
    )
    if theory is None:
        return words
    return (
        f"{words} Its slope alone would need {theory.window[place]:.0f}, and put "
        f"{percent(float(theory.first_token[place]))} there."
    )
