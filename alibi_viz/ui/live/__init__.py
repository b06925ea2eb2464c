"""The live canvas: all heads, one head large, its query's row and the slope ladder, in the browser.

It follows the sliders while they are held, which Streamlit's own elements cannot, and computes
everything from six numbers; nothing that is drawn ever travels from the server. Its scripts are
plain text files without a build step, joined here in the order in which they need each other.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz.figures import theme
from alibi_viz.ui.controls import EXPONENT, HEADS, LENGTH, AlibiSettings

HERE = Path(__file__).parent
SCRIPTS = (
    "formula.js",
    "../canvas/words.js",
    "raster.js",
    "../canvas/axes.js",
    "grid.js",
    "ladder.js",
    "row.js",
    "map.js",
    "describe.js",
    "sliders.js",
    "events.js",
    "view.js",
    "main.js",
)

# Enough steps for the eye; the canvas takes the head's place on the ramp between them.
_RAMP_STEPS = 64


def script() -> str:
    """Returns the component's JavaScript, all files joined."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)


_COMPONENT = st.components.v2.component(
    "alibi_live",
    html=(HERE / "live.html").read_text(encoding="utf-8"),
    css=(HERE / "live.css").read_text(encoding="utf-8"),
    js=script(),
)


def live_view(
    settings: AlibiSettings,
    *,
    head: int,
    cell: tuple[int, int] | None,
    colour: str,
    scale: str,
    on_head: Callable[[int], None],
    on_cell: Callable[[tuple[int, int]], None],
) -> None:
    """Shows the live canvas.

    Args:
        settings: What the shared controls say.
        head: The chosen head, counted from 1.
        cell: (query, key) of the cell that is read out; None for one that suits the length.
        colour: What is coloured: "bias", "weight" or "log weight".
        scale: "shared" by all heads, or "per head".
        on_head: Called with the head that the visitor chooses in the canvas.
        on_cell: Called with the (query, key) that the visitor chooses in the canvas.
    """
    key = "live"

    def chosen(name: str) -> Any:
        return st.session_state[key][name]

    _COMPONENT(
        key=key,
        data={
            **asdict(settings),
            "head": head,
            "cell": cell and list(cell),
            "colour": colour,
            "scale": scale,
            "sliders": {
                control.key: list(control.options) for control in (HEADS, EXPONENT, LENGTH)
            },
            "looks": {"light": _look(dark=False), "dark": _look(dark=True)},
        },
        on_head_change=lambda: on_head(int(chosen("head"))),
        on_cell_change=lambda: on_cell((int(chosen("cell")[0]), int(chosen("cell")[1]))),
    )


def _look(dark: bool) -> dict[str, Any]:
    """Returns the colours of one theme, for the canvas."""
    surface = theme.surface(dark)
    return {
        **asdict(surface),
        "shade": theme.with_alpha(surface.accent, 0.12),
        "map": list(theme.map_stops()),
        "heads": list(theme.head_colours(_RAMP_STEPS, dark)),
    }
