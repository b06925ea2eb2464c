"""What number types make of a bias: how many values are left, and where the attention goes."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.theme import surface, template
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.precision import NumberType

HEIGHT = 330
# What is smaller is drawn here: a logarithmic axis has no zero.
SMALLEST = 1e-8
_OCTAVES = {"dtick": math.log10(2), "tickformat": ",d"}


def by_head_figure(
    curves: Mapping[NumberType, NDArray[Any]],
    *,
    label: str,
    chosen: int,
    in_octaves: bool = False,
    dark: bool = False,
) -> go.Figure:
    """Returns one line a number type over the heads, on a logarithmic axis.

    Args:
        curves: (head,) what is drawn, by number type.
        label: Name of the vertical axis, with its unit.
        chosen: Index of the chosen head, marked.
        in_octaves: Whether ticks stand at powers of two, not of ten.
        dark: Whether the figure is for the dark theme.
    """
    look = surface(dark)
    figure = _empty("head", label, dark)
    count = len(next(iter(curves.values())))
    figure.update_layout(
        xaxis={"range": [0.4, count + 0.6], "dtick": max(1, count // 8), "tick0": 1},
        yaxis={"type": "log"} | (_OCTAVES if in_octaves else {"exponentformat": "power"}),
    )
    figure.add_vline(chosen + 1, line={"color": look.muted, "width": 1, "dash": "dot"})
    for number_type, values in curves.items():
        colour, dash, symbol = _style(number_type, dark)
        figure.add_scatter(
            x=np.arange(1, count + 1),
            y=np.maximum(values, SMALLEST),
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 7, "color": colour},
            name=number_type,
            hovertemplate="head %{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
        )
    return figure


def rounded_weights_figure(
    exact: Floats, rounded: dict[str, Floats], *, dark: bool = False
) -> go.Figure:
    """Returns the last query's weights by distance: exact, and with its bias rounded.

    Args:
        exact: (distance,) weights.
        rounded: (distance,) weights by number type.
        dark: Whether the figure is for the dark theme.
    """
    look = surface(dark)
    figure = _empty("distance from query to key, tokens", "attention weight", dark)
    figure.update_layout(yaxis={"rangemode": "tozero"})
    distance = np.arange(len(exact))
    figure.add_scatter(
        x=distance,
        y=exact,
        mode="lines",
        line={"color": look.grid, "width": 8},
        name="exact",
        hovertemplate="distance %{x}: %{y:.4g}<extra>exact</extra>",
    )
    for number_type, weights in rounded.items():
        colour, dash, symbol = _style(number_type, dark)
        figure.add_scatter(
            x=distance,
            y=weights,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 1.6},
            marker={"symbol": symbol, "size": 5, "color": colour},
            name=number_type,
            hovertemplate="distance %{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
        )
    return figure


def _empty(across: str, up: str, dark: bool) -> go.Figure:
    return go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "margin": {"l": 8, "r": 12, "t": 30, "b": 8},
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
            "xaxis": {"title": {"text": across}},
            "yaxis": {"title": {"text": up}},
        }
    )


def _style(number_type: str, dark: bool) -> tuple[str, str, str]:
    """Returns colour, dash and symbol of a number type: never the colour alone."""
    look = surface(dark)
    return {
        "float32": (look.muted, "dot", "circle"),
        "bfloat16": (look.accent, "solid", "square"),
        "float16": (look.text, "dash", "triangle-up"),
    }[number_type]
