"""Attention weight against distance, and how much of the attention has been met by then.

Two panels share the distance axis. On a logarithmic axis distance 0, the query's own key, has no
place; it stands at `OWN_KEY_PLACE`, one half, with a tick that says 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.theme import colours_by_slope, surface, template, with_alpha
from alibi_viz.maths.content import Spread
from alibi_viz.maths.windows import half_life

Floats = NDArray[np.floating[Any]]
# Plotly checks and copies each trace object twice, plain dictionaries once: at 64 heads that makes
# a difference of 0.1 s.
Trace = dict[str, Any]

OWN_KEY_PLACE = 0.5
HEIGHT = 500
WEIGHT_FLOOR = 1e-6
"""The lowest weight on a logarithmic axis: even attention over 16,384 keys is sixty times more."""

_WEIGHT_PANEL = (0.43, 1.0)
_HELD_PANEL = (0.0, 0.36)
_MANY_HEADS = 16


@dataclass(frozen=True)
class DecayCurves:
    """What the figure draws.

    Attributes:
        slopes: (head,) slopes, in nats per token.
        distances: (distance,) drawn distances, from 0 to the query's first key.
        weights: (head, distance) attention weight of the one key at each distance.
        held: (head, distance) share of the attention on all keys up to there.
        length: Tokens in the sequence; the distance axis ends there.
        train_length: Tokens a sequence had in training: distances from there on were never seen.
    """

    slopes: Floats
    distances: NDArray[np.int64]
    weights: Spread
    held: Spread
    length: int
    train_length: int

    @property
    def reach(self) -> int:
        """Distance from the query to the first token."""
        return int(self.distances[-1])


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
    place = _placed(curves.distances, log_distance)
    named = named_heads(curves.slopes, chosen)
    figure = go.Figure(
        data=_bands(curves, place, named, dark) + _lines(curves, place, chosen, dark),
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "showlegend": False,
            "margin": {"l": 8, "r": 26, "t": 12, "b": 8},
            "xaxis": _distance_axis(curves.length, log_distance),
            "yaxis": _weight_axis(curves, log_weight),
            "yaxis2": _held_axis(),
        },
    )
    _label_heads(figure, curves, named, (log_distance, log_weight), dark)
    _mark_distances(figure, curves, log_distance, dark)
    return figure


def named_heads(slopes: Floats, chosen: int) -> list[int]:
    """Returns the heads that get a label: the steepest, the flattest and the chosen one.

    Args:
        slopes: (head,) slopes in any order.
        chosen: Index of the chosen head.

    Returns:
        Indices without repetition, the chosen one last.
    """
    ends = [int(np.argmax(slopes)), int(np.argmin(slopes))]
    return [head for head in dict.fromkeys(ends) if head != chosen] + [chosen]


def slope_text(slope: float) -> str:
    """Returns a slope as a fraction if it is one over a power of two, else with three digits.

    >>> slope_text(0.25), slope_text(2 ** -0.5)
    ('1/4', '0.707')
    """
    inverse = 1 / slope
    exact = inverse == int(inverse) and math.log2(inverse) == int(math.log2(inverse))
    return f"1/{int(inverse):,}" if exact and inverse > 1 else f"{slope:.3g}"


def distance_ticks(length: int, *, with_zero: bool = True) -> dict[str, Any]:
    """Returns ticks of a logarithmic axis of tokens: powers of two, or of four where many.

    Args:
        length: Largest number on the axis, in tokens.
        with_zero: Whether the query's own key has a tick, at `OWN_KEY_PLACE`.
    """
    step = 1 if length <= 64 else 2
    powers = [2**power for power in range(0, max(length, 2).bit_length(), step)]
    places = [OWN_KEY_PLACE, *powers] if with_zero else powers
    texts = (["0"] if with_zero else []) + [f"{power:,}" for power in powers]
    return {"tickmode": "array", "tickvals": places, "ticktext": texts}


def _placed(distances: NDArray[np.int64], log_distance: bool) -> NDArray[np.float32]:
    own = OWN_KEY_PLACE if log_distance else 0
    return np.where(distances == 0, own, distances).astype(np.float32)


def _distance_axis(length: int, log_distance: bool) -> dict[str, Any]:
    last = max(length - 1, 1)
    axis = {"title": {"text": "distance from query to key, tokens"}, "anchor": "y2"}
    if not log_distance:
        return axis | {"range": [-0.01 * last, 1.02 * last]}
    ends = [math.log10(0.42), math.log10(last * 1.12)]
    return axis | {"type": "log", "range": ends, **distance_ticks(length)}


def _weight_axis(curves: DecayCurves, log_weight: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": "attention weight of one key"}}
    axis |= {"domain": _WEIGHT_PANEL, "anchor": "x"}
    if log_weight:
        ends = [math.log10(WEIGHT_FLOOR), 0.2]
        return axis | {"type": "log", "range": ends, "dtick": 1, "exponentformat": "power"}
    largest = max(float(part.max()) for part in (curves.weights.median, curves.weights.high))
    return axis | {"range": [-0.015 * largest, 1.06 * largest]}


def _held_axis() -> dict[str, Any]:
    return {
        "title": {"text": "share on keys up to there"},
        "domain": _HELD_PANEL,
        "anchor": "x",
        "range": [-0.03, 1.06],
        "tickformat": ".0%",
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
    }


def _lines(curves: DecayCurves, place: Floats, chosen: int, dark: bool) -> list[Trace]:
    """Returns one line a head in each panel; the chosen head last, so that it lies on top."""
    colours = colours_by_slope(curves.slopes.tolist(), dark)
    thin = 1.1 if len(colours) > _MANY_HEADS else 1.7
    order = [head for head in range(len(colours)) if head != chosen] + [chosen]
    return [
        dict(
            type="scatter",
            x=place,
            y=np.maximum(values.median[head], 1e-12).astype(np.float32),
            customdata=curves.distances,
            yaxis=axis,
            name=f"head {head + 1}, slope {slope_text(curves.slopes[head])}",
            mode="lines" if curves.reach else "markers",
            line={"color": colours[head], "width": 3.4 if head == chosen else thin},
            hovertemplate=f"distance %{{customdata}}<br>{said} %{{y:.3g}}<extra>%{{fullData.name}}"
            "</extra>",
        )
        for values, axis, said in ((curves.weights, "y", "weight"), (curves.held, "y2", "held"))
        for head in order
    ]


def _bands(curves: DecayCurves, place: Floats, named: Sequence[int], dark: bool) -> list[Trace]:
    """Returns the 10-90 % range over draws of the named heads, where there is more than one."""
    if np.array_equal(curves.weights.low, curves.weights.high):
        return []
    colours = colours_by_slope(curves.slopes.tolist(), dark)
    there_and_back = np.concatenate([place, place[::-1]])
    return [
        dict(
            type="scatter",
            x=there_and_back,
            y=np.maximum(np.concatenate([values.high[head], values.low[head][::-1]]), 1e-12).astype(
                np.float32
            ),
            yaxis=axis,
            fill="toself",
            fillcolor=with_alpha(colours[head], 0.22),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
        )
        for values, axis in ((curves.weights, "y"), (curves.held, "y2"))
        for head in named
    ]


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
        place = float(_placed(curves.distances[at : at + 1], logs[0])[0])
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
        _share(figure.layout.xaxis.range, place, logs[0]),
        _share(figure.layout.yaxis.range, max(weight, WEIGHT_FLOOR), logs[1]),
    )


def _share(ends: Sequence[float], value: float, log: bool) -> float:
    """Returns how far along an axis a value lies, from 0 to 1."""
    at = math.log10(value) if log else value
    return (at - ends[0]) / (ends[1] - ends[0])


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
    if _share(figure.layout.xaxis.range, place, log_distance) < 0.4 and left:
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
