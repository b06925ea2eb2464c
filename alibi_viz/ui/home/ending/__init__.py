"""The picture of the front door: the end of a text under four ways of telling position."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import streamlit as st

from alibi_viz.evaluation.front_door_file import Ending
from alibi_viz.figures.theme import DARK, LIGHT, method_colour
from alibi_viz.positions import METHODS
from alibi_viz.ui.canvas import read_files

HERE = Path(__file__).parent
_KEY = "ending"
FIRST_PLACE = 2
"""Which length a visitor sees first, from where the picture plays once: 64 tokens."""
LEGEND = (
    "RoPE turns queries and keys by their position, T5 bias learns a number for each distance, "
    "NoPE is told nothing. Colour: how much the last word, framed, attends to each word, a mean "
    "over all layers and heads. Left: the same for all earlier text; hatched, what lies farther "
    "away than anything in training. Perplexity: of the last 15 tokens; the number of equally "
    "likely tokens that the model is, in effect, choosing among. Every number is a forward pass "
    "of a small model trained on windows of {length} tokens."
)

_COMPONENT = st.components.v2.component(
    "alibi_ending",
    html=(HERE / "ending.html").read_text(encoding="utf-8"),
    css=(HERE / "ending.css").read_text(encoding="utf-8"),
    js=read_files(HERE, ("../../canvas/look.js", "../../canvas/component.js", "ending.js")),
)


def show_ending(ending: Ending, place: int, *, on_place: Callable[[int], None]) -> None:
    """Shows the picture; it plays once where nobody has moved it.

    Args:
        ending: What to show.
        place: Which of its lengths to show, counted from 0.
        on_place: Called with the one that the visitor chooses.
    """
    methods = dict.fromkeys(look["method"] for look in ending.looks)
    made = sha256(repr(ending).encode()).hexdigest()[:16]
    _COMPONENT(
        key=_KEY,
        data={
            "made": made,
            "place": place,
            "moves": place == FIRST_PLACE,
            "lengths": ending.lengths,
            "trainLength": ending.train_length,
            "looks": list(ending.looks),
            "methods": [
                {
                    "key": key,
                    "label": METHODS[key].label,
                    "light": method_colour(key),
                    "dark": method_colour(key, dark=True),
                }
                for key in methods
            ],
            "muted": {"light": LIGHT.muted, "dark": DARK.muted},
            "asTrained": "So far each model reads no more than in training.",
            "name": "method",
            "words": "where the last word looks",
            "loss": "perplexity (lower is better)",
            "next": "what the model would write next",
            "legend": LEGEND.format(length=ending.train_length),
        },
        on_place_change=lambda: on_place(int(st.session_state[_KEY]["place"])),
    )
