"""The texts that a model is shown: some at hand, each with a reason, and a visitor's own."""

from dataclasses import dataclass

import streamlit as st

from alibi_viz.inspection.text.samples import LIBRARY, WRITTEN, sample_text
from alibi_viz.policy import uploads_are_allowed
from alibi_viz.ui.show.plain import unmarked

MAX_CHARACTERS = 40_000
OWN = "your own"


def text_names() -> tuple[str, ...]:
    """Returns the names of the texts that can be chosen, the default one first."""
    own = (OWN,) if uploads_are_allowed() else ()
    return (*WRITTEN, *LIBRARY, *own)


@dataclass(frozen=True)
class ChosenText:
    """A text, or why there is none."""

    name: str
    content: str | bytes
    note: str | None = None
    """What a visitor has to know of it."""

    @property
    def is_at_hand(self) -> bool:
        """Whether it is one of those that everybody has."""
        return self.name in WRITTEN or self.name in LIBRARY


def chosen_text(name: str) -> ChosenText:
    """Returns the text of that name; asks for it where it is the visitor's own."""
    if name in WRITTEN:
        return ChosenText(name, sample_text(name))
    if name in LIBRARY:
        note = (
            "From the validation part of Python's standard library, which no **bundled** model was "
            "trained on."
        )
        return ChosenText(name, sample_text(name), note)
    return _own_text()


def _own_text() -> ChosenText:
    left, right = st.columns([3, 1], gap="medium")
    typed = left.text_area(
        "your own text",
        key="inspected_text",
        height=120,
        max_chars=MAX_CHARACTERS,
        placeholder="Type or paste a text, then press Ctrl+Enter.",
        persist_state="session",
    )
    file = right.file_uploader("or a file, used in its place", key="inspected_file")
    if file is None:
        return ChosenText(OWN, typed, "Your own text is not part of the link.")
    content = file.getvalue()[: 4 * MAX_CHARACTERS]
    return ChosenText(OWN, content, f"{unmarked(file.name)}; it is not part of the link.")
