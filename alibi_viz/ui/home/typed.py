"""An ending that a visitor types, read by the models in a child process."""

import streamlit as st

from alibi_viz.child.process import ChildDied, WarmChild
from alibi_viz.evaluation.front_door_file import Ending, ending_of, load_ending

SECONDS = 60.0
"""A visitor waits so long at most, those before him included."""
LONGEST = 300
"""Characters of an ending."""


@st.cache_resource
def _child() -> WarmChild:
    """Returns the one child that reads endings for all visitors."""
    return WarmChild()


@st.cache_data(max_entries=64, show_spinner="four models are reading it …")
def _read(ending: str, text: str) -> Ending:
    return ending_of(_child().ask("typed_ending", seconds=SECONDS, ending=ending, text=text))


@st.cache_resource(show_spinner=False)
def _recorded() -> Ending:
    return load_ending()


def chosen_ending() -> Ending:
    """Asks for an ending, and returns what the models make of it, or of the given one."""
    return typed_ending(_recorded().text) or _recorded()


def typed_ending(text: str) -> Ending | None:
    """Asks for an ending, and returns what the models make of it; None where there is none.

    Args:
        text: Name of the text that stands before it.
    """
    typed = st.text_input(
        "Or end the text with words of your own",
        key="typed_ending",
        max_chars=LONGEST,
        placeholder="if value is not None:" if text == "code" else "The people of this country",
        persist_state="session",
    )
    if not typed.strip():
        return None
    try:
        return _read(typed, text)
    except ValueError as error:
        st.error(f"This cannot be read: {error}.")
    except ChildDied as error:
        st.error(f"The models could not read it: {error}. Try again.")
    return None
