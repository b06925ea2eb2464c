"""The same figure for a page of paper: 17 cm wide, on white, with its title and state in words."""

import html
import math
import textwrap
from typing import Any

import plotly.graph_objects as go

from alibi_viz.figures.theme import LIGHT

PIXELS_PER_CM = 96 / 2.54
"""A CSS pixel is a 96th of an inch: type of 12 pixels is 9 points on paper."""
PRINT_WIDTH = round(17 * PIXELS_PER_CM)
"""17 cm, the width of the text on a page of A4 and of two columns in most journals."""
SOURCE = "Drawn with ALiBi Viz"

# A program that opens the file has these; the page's own font is not among them.
_FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
_TITLE_SIZE, _TITLE_SIGNS = 15, 74
_STATE_SIZE, _STATE_SIGNS = 12, 104
# Plotly's lines are 1.3 times as high as the type of the first one, and begin at their baseline.
_LINE = 1.3 * _TITLE_SIZE
_EDGE, _FIRST_BASELINE, _FOOTER = 12, 24, 24
_DEFAULT_HEIGHT = 420
# A map is a square: of this height it fills the width, with its colour bar.
_SQUARE_HEIGHT = 520


def print_version(figure: go.Figure, *, title: str, state: str) -> go.Figure:
    """Returns a copy of a figure as it goes to print; the data stay as they are.

    Args:
        figure: A figure in the light theme.
        title: What it is, in a line.
        state: Every setting that it depends on, in words.

    Returns:
        A figure of `PRINT_WIDTH` pixels of 1/96 inch, with title, state and source in it.
    """
    spec = figure.to_dict()
    layout = spec["layout"]
    margin = dict(figure.layout.template.layout.margin.to_plotly_json()) | layout.get("margin", {})
    header, header_height = _header(title, state)
    # Labels beside a plot that a page clips at its edge need the room here too.
    layout["margin"] = margin | {
        "l": margin["l"] + _EDGE,
        "r": margin["r"] + _EDGE,
        "t": margin["t"] + header_height,
        "b": max(margin["b"], _room_below(layout)) + _FOOTER,
    }
    layout["width"] = PRINT_WIDTH
    layout["height"] = _height(layout, margin) + header_height + _FOOTER
    layout["title"] = header
    layout["font"] = {"family": _FONT, "color": LIGHT.text}
    layout["annotations"] = [
        *layout.get("annotations", ()),
        _source(layout["margin"]["b"]),
    ]
    return go.Figure(spec)


def _header(title: str, state: str) -> tuple[dict[str, Any], float]:
    """Returns plotly's title with the state below it, and the height of both in pixels."""
    titles = textwrap.wrap(title, _TITLE_SIGNS)
    states = textwrap.wrap(state, _STATE_SIGNS)
    small = f'<span style="font-size:{_STATE_SIZE}px;color:{LIGHT.muted}">'
    # Plotly would obey HTML in names of models and texts.
    titles, states = ([html.escape(line, quote=False) for line in ls] for ls in (titles, states))
    lines = [f"<b>{line}</b>" for line in titles] + [f"{small}{line}</span>" for line in states]
    header = {
        "text": "<br>".join(lines),
        "font": {"size": _TITLE_SIZE, "color": LIGHT.text},
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"l": _EDGE, "t": _FIRST_BASELINE},
    }
    return header, _FIRST_BASELINE + _LINE * len(lines)


def _room_below(layout: dict[str, Any]) -> int:
    """Returns the pixels that the ticks and the title of the lowest axis take."""
    axis = layout.get("xaxis", {})
    if not axis.get("visible", True):
        return 0
    lines = max((str(text).count("<br>") + 1 for text in axis.get("ticktext") or ()), default=1)
    return 8 + 17 * lines + (26 if axis.get("title", {}).get("text") else 0)


def _height(layout: dict[str, Any], margin: dict[str, Any]) -> int:
    height = float(layout.get("height", _DEFAULT_HEIGHT))
    grown = max(0, _room_below(layout) - margin["b"]) if margin["b"] < 40 else 0
    is_square = "scaleanchor" in layout.get("xaxis", {})
    return math.ceil(max(height, _SQUARE_HEIGHT) if is_square else height + grown / 2)


def _source(below: float) -> dict[str, Any]:
    """Returns the line at the foot that says where the figure comes from."""
    return {
        "text": SOURCE,
        "x": 1,
        "xref": "paper",
        "xanchor": "right",
        "y": 0,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 6 - below,
        "showarrow": False,
        "font": {"size": 11, "color": LIGHT.muted},
    }
