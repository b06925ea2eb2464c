"""Every colour, mark and line of the figures, in both themes, and the plotly template they share.

Heads run along plasma from orange (the steepest slope) to indigo (the flattest), by rank of slope.
Methods have the hues of Okabe and Ito, which people with any common colour blindness can tell
apart; a dash and a symbol of their own repeat the difference without colour. Maps run along
cmocean's deep, reversed: zero bias is the brightest. Both ramps are even in lightness. Differences
of two maps run from purple (less) to green (more), Brewer's PRGn; no difference has the colour of
the background.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import plotly.graph_objects as go
from plotly.colors import sample_colorscale, sequential, unlabel_rgb

from alibi_viz.positions import find_method


@dataclass(frozen=True)
class Surface:
    """The colours of one theme that are not data."""

    background: str
    panel: str
    text: str
    muted: str
    grid: str
    accent: str
    literal: str
    """Strings and numbers in code, whose words have the accent's colour."""


LIGHT = Surface("#ffffff", "#f6f7f8", "#101418", "#59636e", "#e4e7ea", "#0b6e75", "#8a4a08")
DARK = Surface("#101418", "#181d23", "#e6e9ec", "#9aa5b1", "#2b323a", "#5cc8cf", "#e5b07a")


@dataclass(frozen=True)
class MethodStyle:
    """How one position method looks everywhere."""

    light: str
    dark: str
    symbol: str
    dash: str
    width: float = 1.8


METHOD_STYLES = {
    "vermilion": MethodStyle("#d55e00", "#ff7f2a", "circle", "solid", width=3.2),
    "blue": MethodStyle("#0072b2", "#4da3dd", "square", "solid"),
    "ochre": MethodStyle("#a07700", "#e6b93c", "diamond", "dash"),
    "green": MethodStyle("#00795a", "#2fbf94", "triangle-up", "dashdot"),
    "pink": MethodStyle("#b0527f", "#e08ab5", "cross", "longdash"),
    "violet": MethodStyle("#6a51c4", "#a08df0", "hexagon", "longdashdot"),
    "grey": MethodStyle("#6b7280", "#a3adb8", "x", "dot"),
    # Free, for methods to come.
    "navy": MethodStyle("#16206e", "#6f7df7", "triangle-down", "12px,3px,3px,3px,3px,3px"),
    "brown": MethodStyle("#5f3410", "#b5673a", "pentagon", "2px,6px"),
    "mint": MethodStyle("#2c4f00", "#a6f5a2", "star", "16px,4px"),
    "wine": MethodStyle("#8a1036", "#c2407a", "hourglass", "6px,2px"),
}
"""By the keys that methods name; no two methods name the same."""

# Plasma without its yellow end, which vanishes on white, and without its darkest, which vanishes
# on the dark background.
_HEAD_RANGE = {False: (0.04, 0.63), True: (0.40, 0.94)}


@cache
def head_colours(n_head: int, dark: bool = False) -> tuple[str, ...]:
    """Returns one colour per head in order of slope, the steepest first.

    Args:
        n_head: Number of heads, at least 1.
        dark: Whether the colours are for the dark theme.

    Returns:
        `n_head` colours as "#rrggbb".
    """
    flat, steep = _HEAD_RANGE[dark]
    step = (steep - flat) / max(n_head - 1, 1)
    places = [steep - rank * step for rank in range(n_head)]
    return tuple(_hex(colour) for colour in sample_colorscale(sequential.Plasma, places))


def colours_by_slope(slopes: Sequence[float], dark: bool = False) -> list[str]:
    """Returns one colour per head in the order of the heads, whatever the order of their slopes.

    Args:
        slopes: (head,) slopes in any order; equal slopes keep the order of their heads.
        dark: Whether the colours are for the dark theme.

    Returns:
        One "#rrggbb" a head.
    """
    ramp = head_colours(len(slopes), dark)
    steepest_first = sorted(range(len(slopes)), key=lambda head: -slopes[head])
    colours = [""] * len(slopes)
    for rank, head in enumerate(steepest_first):
        colours[head] = ramp[rank]
    return colours


def method_colour(method: str, dark: bool = False) -> str:
    """Returns the colour of a position method, as "#rrggbb".

    Raises:
        ValueError: No such method, or one without a style.
    """
    style = method_style(method)
    return style.dark if dark else style.light


def method_style(method: str) -> MethodStyle:
    """Returns colour, symbol, dash and width of a position method.

    Raises:
        ValueError: No such method, or one without a style.
    """
    style = find_method(method).style
    if style not in METHOD_STYLES:
        raise ValueError(
            f"the style of a method must be one of {', '.join(METHOD_STYLES)}, "
            f"that of {method} is {style!r}"
        )
    return METHOD_STYLES[style]


@cache
def map_stops() -> tuple[str, ...]:
    """Returns the colours of a map from its lowest value to its highest, evenly spaced."""
    return tuple(_hex(colour) for colour in reversed(sequential.deep))


def map_colourscale() -> list[tuple[float, str]]:
    """Returns the map's ramp as plotly wants it: places from 0 to 1 with their colours."""
    stops = map_stops()
    return [(index / (len(stops) - 1), colour) for index, colour in enumerate(stops)]


# Brewer's PRGn, and the same hues for the dark theme: what stands out there is the bright.
_DIFFERENCE = {
    False: "40004b 762a83 9970ab c2a5cf e7d4e8 ffffff d9f0d3 a6dba0 5aae61 1b7837 00441b",
    True: "ecd0f5 c795dc 9a68b2 6a437d 3b2a48 101418 17301f 215034 3a8552 72bf7f c4efc6",
}


def difference_stops(dark: bool = False) -> tuple[str, ...]:
    """Returns the colours of a map of differences, from less to more; the middle one is none."""
    return tuple(f"#{colour}" for colour in _DIFFERENCE[dark].split())


def ink_on(colour: str) -> str:
    """Returns the text colour that reads better on a coloured cell: the lightest or the darkest.

    Args:
        colour: "#rrggbb", or "rgb(...)" as plotly samples colours.
    """
    backing = luminance(colour if colour.startswith("#") else _hex(colour))
    dark, light = LIGHT.text, LIGHT.background
    on_dark = (backing + 0.05) / (luminance(dark) + 0.05)
    on_light = (luminance(light) + 0.05) / (backing + 0.05)
    return dark if on_dark > on_light else light


def luminance(colour: str) -> float:
    """Returns the relative luminance of "#rrggbb", from 0 to 1.

    Source: Web Content Accessibility Guidelines 2.2, definition of relative luminance.
    """
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


def reads_colour(dark: bool = False) -> str:
    """Returns the colour of tokens that a chosen token looks at: the accent."""
    return surface(dark).accent


def read_by_colour(dark: bool = False) -> str:
    """Returns the colour of tokens that look at a chosen token."""
    return "#d07be0" if dark else "#8b2f9b"


def surface(dark: bool) -> Surface:
    """Returns the colours of one theme that are not data."""
    return DARK if dark else LIGHT


@cache
def template(dark: bool = False) -> go.layout.Template:
    """Returns the plotly template of every figure: quiet axes, no frame, no logo, no title bar."""
    look = surface(dark)
    axis = {
        "gridcolor": look.grid,
        "zeroline": False,
        "linecolor": look.muted,
        "tickcolor": look.muted,
        "ticks": "outside",
        "ticklen": 4,
        "title": {"font": {"size": 13, "color": look.muted}, "standoff": 8},
        "tickfont": {"size": 12, "color": look.muted},
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": "Source Sans, sans-serif", "size": 13, "color": look.text},
            "paper_bgcolor": look.background,
            "plot_bgcolor": look.background,
            "margin": {"l": 8, "r": 8, "t": 12, "b": 8},
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {
                "bgcolor": look.panel,
                "bordercolor": look.grid,
                "font": {"color": look.text, "size": 12},
            },
            "legend": {"font": {"size": 12, "color": look.text}, "bgcolor": "rgba(0,0,0,0)"},
            "dragmode": False,
        }
    )


def colour_bar(title: str, dark: bool = False) -> dict[str, Any]:
    """Returns the bar beside a map that says what its colours stand for.

    Args:
        title: The quantity and its unit.
        dark: Whether the figure is for the dark theme.
    """
    return {
        "title": {"text": title, "side": "right", "font": {"size": 12}},
        "thickness": 12,
        "outlinewidth": 0,
        "tickfont": {"color": surface(dark).muted, "size": 12},
    }


def with_alpha(colour: str, alpha: float) -> str:
    """Returns a "#rrggbb" colour as "rgba(...)", for bands under a line of the same colour.

    >>> with_alpha("#ff8000", 0.2)
    'rgba(255, 128, 0, 0.2)'
    """
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha})"


def _hex(rgb: str) -> str:
    return "#" + "".join(f"{round(part):02x}" for part in unlabel_rgb(rgb))
