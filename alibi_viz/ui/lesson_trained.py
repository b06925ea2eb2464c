"""One head of a trained model, as a lesson shows it. Imports torch: load it when it is needed."""

import streamlit as st

from alibi_viz.figures.slopes import power_text
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.measures import Measures
from alibi_viz.ui.attention_map import Panel
from alibi_viz.ui.trained import MASS, open_model, overview_of, see
from alibi_viz.ui.trained_models import model_names, policy
from alibi_viz.ui.trained_texts import chosen_text, text_names
from alibi_viz.ui.trained_views import show_distances, theory_for


def show_trained_head(layer: int, head: int) -> None:
    """Shows a head's mean attention by distance, beside what its slope alone would give.

    Args:
        layer: Layer, counted from 1.
        head: Head, counted from 1.
    """
    names = [name for name in model_names(policy()) if name.startswith("alibi")]
    if not names:
        st.info("No trained ALiBi model is here. Train one on the page Train, then come back.")
        return
    text = chosen_text(text_names()[0])
    try:
        seen = see(open_model(names[0]), text.content)
    except UnreadableModel as error:
        st.error(f"The model {names[0]} cannot be shown: {error}.")
        return
    capture = seen.capture
    overview = overview_of(seen)
    place = (min(layer, capture.n_layer) - 1, min(head, capture.n_head) - 1)
    slope = "" if capture.slopes is None else f", slope {power_text(float(capture.slopes[place]))}"
    st.caption(
        f"{names[0]}, layer {place[0] + 1} of {capture.n_layer}, head {place[1] + 1} of "
        f"{capture.n_head}{slope}; text: {text.name}, {capture.length} tokens"
    )
    show_distances([Panel("", capture, *place)], [overview])
    st.markdown(_sentence(overview.measures, theory_for(capture), place))


def _sentence(measures: Measures, theory: Measures | None, place: tuple[int, int]) -> str:
    """Returns what this head does, beside what its slope alone would do."""
    words = (
        f"This head needs {measures.window[place]:.0f} tokens for {100 * MASS:.0f} % of its "
        f"attention, and puts {100 * measures.first_token[place]:.1f} % on the first token of the "
        "text."
    )
    if theory is None:
        return words
    return (
        f"{words} Its slope alone would need {theory.window[place]:.0f}, and put "
        f"{100 * theory.first_token[place]:.1f} % there."
    )
