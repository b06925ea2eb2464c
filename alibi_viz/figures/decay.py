"""Attention weight against distance, and how much of the attention has been met by then."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.decay_lines import DecayCurves, decay_bands, decay_lines, named_heads
from alibi_viz.figures.distance import OWN_KEY_PLACE, axis_share, distance_axis, placed, slope_text
from alibi_viz.figures.theme import colours_by_slope, surface, template, with_alpha
from alibi_viz.maths.windows import half_life

HEIGHT = 500
WEIGHT_FLOOR = 1e-6
"""The lowest weight on a logarithmic axis: even attention over 16,384 keys is sixty times more."""

_WEIGHT_PANEL = (0.43, 1.0)
_HELD_PANEL = (0.0, 0.36)


def decay_figure(
    curves: DecayCurves,
    *,
    chosen: int,
    log_distance: bool = True,
    log_weight: bool = True,
    dark: bool = False,
) -> go.Figure:
    """Returns the curves of all heads, with bands where content was drawn.

    Args:
        curves: What to draw.
        chosen: Index of the head to bring forward.
        log_distance: Whether the distance axis is logarithmic.
        log_weight: Whether the weight axis is logarithmic.
        dark: Whether the figure is for the dark theme.

    Returns:
        Two panels above each other: weight, and its running sum.
    """
    named = named_heads(curves.slopes, chosen)
    figure = go.Figure(
        data=decay_bands(curves, named, log_distance, dark)
        + decay_lines(curves, named, log_distance, dark),
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "showlegend": False,
            # Fixed: measuring labels costs a browser another drawing, and moves the panels.
            "margin": {"l": 66, "r": 26, "t": 12, "b": 52},
            "xaxis": {"anchor": "y2", "automargin": False}
            | distance_axis(curves.length, log_distance),
            "yaxis": _weight_axis(curves, log_weight),
            "yaxis2": _held_axis(),
        },
    )
    _label_heads(figure, curves, named, (log_distance, log_weight), dark)
    _mark_distances(figure, curves, log_distance, dark)
    return figure


def _weight_axis(curves: DecayCurves, log_weight: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": "attention weight of one key"}}
    axis |= {"domain": _WEIGHT_PANEL, "anchor": "x", "automargin": False}
    if log_weight:
        ends = [math.log10(WEIGHT_FLOOR), 0.2]
        return axis | {"type": "log", "range": ends, "dtick": 1, "exponentformat": "power"}
    largest = max(float(part.max()) for part in (curves.weights.median, curves.weights.high))
    return axis | {"range": [-0.015 * largest, 1.06 * largest]}


def _held_axis() -> dict[str, Any]:
    return {
        "title": {"text": "share on keys up to there"},
        "domain": _HELD_PANEL,
        "automargin": False,
        "anchor": "x",
        "range": [-0.03, 1.06],
        "tickformat": ".0%",
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
    }


def _label_heads(
    figure: go.Figure,
    curves: DecayCurves,
    named: Sequence[int],
    logs: tuple[bool, bool],
    dark: bool,
) -> None:
    """Writes each named head's number and slope where its weight has halved."""
    colours = colours_by_slope(curves.slopes.tolist(), dark)
    halved = np.minimum(half_life(curves.slopes), curves.reach)
    written: list[tuple[float, float]] = []
    # The chosen head comes first: a label that would lie on it is left out.
    for head in reversed(named):
        at = int(np.argmin(abs(curves.distances - halved[head])))
        weight = float(curves.weights.median[head, at])
        place = float(placed(curves.distances[at : at + 1], logs[0])[0])
        spot = _spot(figure, place, weight, logs)
        if any(abs(spot[0] - x) < 0.3 and abs(spot[1] - y) < 0.07 for x, y in written):
            continue
        written.append(spot)
        figure.add_annotation(
            x=math.log10(place) if logs[0] else place,
            y=math.log10(max(weight, WEIGHT_FLOOR)) if logs[1] else weight,
            text=f"<b>head {head + 1}</b>, slope {slope_text(curves.slopes[head])}",
            font={"color": colours[head], "size": 12},
            bgcolor=with_alpha(surface(dark).background, 0.78),
            showarrow=False,
            xanchor="left" if spot[0] < 0.7 else "right",
            yanchor="bottom",
            xshift=6,
            yshift=3,
        )


def _spot(
    figure: go.Figure, place: float, weight: float, logs: tuple[bool, bool]
) -> tuple[float, float]:
    """Returns where in the upper panel a point lies, as shares of its width and height."""
    return (
        axis_share(figure.layout.xaxis.range, place, logs[0]),
        axis_share(figure.layout.yaxis.range, max(weight, WEIGHT_FLOOR), logs[1]),
    )


def _mark_distances(figure: go.Figure, curves: DecayCurves, log_distance: bool, dark: bool) -> None:
    """Shades the distances that training never had, and marks where the keys of a query end."""
    look = surface(dark)
    last = curves.length - 1
    if curves.train_length <= last:
        figure.add_shape(
            type="rect",
            x0=curves.train_length - 0.5,
            x1=last * 1.3,
            y0=0,
            y1=1,
            yref="paper",
            layer="below",
            line_width=0,
            fillcolor=with_alpha(look.muted, 0.13),
        )
        known = f"seen in training on {curves.train_length:,} tokens"
        between = sum((_HELD_PANEL[1], _WEIGHT_PANEL[0])) / 2
        _mark(figure, curves.train_length - 0.5, (known, "never seen"), log_distance, between, dark)
    if curves.reach < last:
        words = ("", f"no keys: query {curves.reach:,}")
        _mark(figure, curves.reach, words, log_distance, 0.98, dark)


def _mark(
    figure: go.Figure,
    at: float,
    words: tuple[str, str],
    log_distance: bool,
    height: float,
    dark: bool,
) -> None:
    """Draws a line across both panels, with words for what lies on its two sides."""
    colour = surface(dark).muted
    place = max(at, OWN_KEY_PLACE)
    figure.add_shape(
        type="line", x0=place, x1=place, y0=0, y1=1, yref="paper",
        line={"color": colour, "width": 1, "dash": "dot"},
    )  # fmt: skip
    left, right = words
    if axis_share(figure.layout.xaxis.range, place, log_distance) < 0.4 and left:
        left, right = "", f"not {left}"
    for text, side in ((left, "right"), (right, "left")):
        figure.add_annotation(
            x=math.log10(place) if log_distance else place,
            y=height,
            yref="paper",
            xanchor=side,
            text=text,
            showarrow=False,
            xshift=4 if side == "left" else -4,
            font={"size": 12, "color": colour},
        )
