"""One head of a trained model, as a lesson shows it. Imports torch: load it when it is needed."""

import streamlit as st

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.text.capture import Capture
from alibi_viz.inspection.text.measures import Measures
from alibi_viz.lessons.lesson import State
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.ui.canvas.map import Cell, MapState, Panel, attention_map
from alibi_viz.ui.link.numbers import choose
from alibi_viz.ui.recipes.trained import Origin
from alibi_viz.ui.trained.controls import VIEW, chosen_cell
from alibi_viz.ui.trained.models import open_model, overview_of, see
from alibi_viz.ui.trained.offered import alibi_names
from alibi_viz.ui.trained.take_away import take_maps_away
from alibi_viz.ui.trained.texts import chosen_text, text_names
from alibi_viz.ui.trained.views import show_distances, theory_for
from alibi_viz.ui.trained.words import head_title


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
        seen = see(open_model(names[0]), text.content)
    except UnreadableModel as error:
        st.error(f"The model {names[0]} cannot be shown: {error}.")
        return {}
    capture = seen.capture
    place = (min(layer, capture.n_layer) - 1, min(head, capture.n_head) - 1)
    panel, origin = Panel("", capture, *place), Origin(names[0], text.name, capture.text)
    st.caption(f"{names[0]}; text: {text.name}, {capture.length} tokens")
    cell = chosen_cell(capture.length)
    _map(names[0], panel, cell)
    said = _said(capture, place, cell)
    st.markdown(_cell_sentence(cell, said))
    overview = overview_of(seen)
    show_distances([panel], [overview], [origin])
    take_maps_away([panel], [origin], VIEW.default, [overview])
    st.markdown(_head_sentence(overview.measures, theory_for(capture), place))
    return said


def _map(model: str, panel: Panel, cell: Cell) -> None:
    state = MapState(
        VIEW.default,
        cell,
        head_title(panel.capture, panel.layer, panel.head),
        f"alibi-viz-lesson-{model}",
        {"model": model, "heads": [[panel.layer + 1, panel.head + 1]]},
    )
    attention_map([panel], state, key="lesson_map", on_cell=lambda chosen: choose("pair", chosen))


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


def _head_sentence(measures: Measures, theory: Measures | None, place: tuple[int, int]) -> str:
    """Returns what this head does on average, beside what its slope alone would do."""
    words = (
        f"On average this head needs {measures.window[place]:.0f} tokens for "
        f"{100 * WINDOW_MASS:.0f} % of its attention, and puts "
        f"{100 * measures.first_token[place]:.1f} % on the first token of the text."
    )
    if theory is None:
        return words
    return (
        f"{words} Its slope alone would need {theory.window[place]:.0f}, and put "
        f"{100 * theory.first_token[place]:.1f} % there."
    )
