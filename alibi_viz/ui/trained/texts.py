"""The texts that a model is shown: some at hand, each with a reason, and a visitor's own."""

from dataclasses import dataclass

import streamlit as st

from alibi_viz.data.prepared import load_validation
from alibi_viz.data.tokenizer import load_tokenizer
from alibi_viz.policy import uploads_are_allowed

MAX_CHARACTERS = 40_000
OWN = "your own"

FUNCTION = '''\
def running_mean(values, window):
    """Return the mean of each run of values.

    The result is shorter than values.
    """
    means = []
    for start in range(len(values) - window + 1):
        total = sum(values[start : start + window])
        means.append(total / window)
    return means
'''

# What a head that looks for an earlier copy can find, and a slope may put out of its reach.
TWICE = f"{FUNCTION}\n\n# The same once more, to be copied.\n{FUNCTION}"

# 32 tokens of the bundled tokenizer or a few more: every token can be read on the axes.
LINE = '''def area(width, height):
    """Return width times height."""
    return width * height
'''

# Characters of two, three and four bytes; the bundled tokenizer has no token for them, only bytes.
UNUSUAL = (
    "naïve café: 3 × ½ = 1½\nπ ≈ 3.14159, Ωμέγα, 注意\nthumbs up 👍🏽, family 👩‍👩‍👧, flag 🇳🇵\n"
)

LIBRARY = {
    "512 tokens of code": 512,
    "1,024 tokens of code": 1024,
    "2,048 tokens of code": 2048,
}
WRITTEN = {
    "short function": FUNCTION,
    "one line": LINE,
    "the function twice": TWICE,
    "accents and emoji": UNUSUAL,
}


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


def chosen_text(name: str) -> ChosenText:
    """Returns the text of that name; asks for it where it is the visitor's own."""
    if name in WRITTEN:
        return ChosenText(name, WRITTEN[name])
    if name in LIBRARY:
        note = (
            "From the validation part of Python's standard library, which no **bundled** model was "
            "trained on."
        )
        return ChosenText(name, library_text(LIBRARY[name]), note)
    return _own_text()


@st.cache_data(max_entries=8, show_spinner=False)
def library_text(n_token: int) -> str:
    """Returns the start of the validation text, as many tokens of the bundled tokenizer."""
    tokens, _ = load_validation()
    text: str = load_tokenizer().decode(tokens[:n_token].tolist())
    return text


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
    return ChosenText(OWN, content, f"{file.name}; it is not part of the link.")
