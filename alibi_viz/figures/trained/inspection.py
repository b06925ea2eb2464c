"""What the heads of a trained model do with their attention, beside what their slopes alone would.

Distance axes are logarithmic; distance 0, the query's own key, stands at one half with a tick of 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.distance import (
    READ_BACK_ROUNDING,
    distance_axis,
    distance_ticks,
    placed,
    slope_text,
)
from alibi_viz.figures.theme import colours_by_slope, surface, template
from alibi_viz.maths.arrays import AnyFloats

HEIGHT = 380
WEIGHT_FLOOR = 1e-6
# Distances up to here are drawn one by one; beyond, means over this many parts of each octave.
EXACT_DISTANCES = 16


@dataclass(frozen=True)
class DistanceCurve:
    """Mean attention of one head at each distance."""

    name: str
    weights: AnyFloats
    """(distance,) mean weight over the queries that have a key at that distance."""
    colour: str
    is_measured: bool = True
    """Measured in a model, or what the slope alone would give, which is dashed."""


def by_distance_figure(curves: Sequence[DistanceCurve], *, dark: bool = False) -> go.Figure:
    """Returns mean attention against distance, both logarithmic.

    Args:
        curves: What to draw, the most important one first.
        dark: Whether the figure is for the dark theme.
    """
    length = max(len(curve.weights) for curve in curves)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "legend": {"x": 1, "y": 1, "xanchor": "right", "yanchor": "top"},
            "xaxis": distance_axis(length, log_distance=True),
            "yaxis": {
                "title": {"text": "mean attention weight"},
                "type": "log",
                "range": [math.log10(_lowest(curves)), 0.05],
                "exponentformat": "power",
                "dtick": 1,
            },
        }
    )
    for curve in curves:
        figure.add_trace(_line(curve))
    return figure


def _lowest(curves: Sequence[DistanceCurve]) -> float:
    smallest = [
        float(curve.weights[curve.weights > 0].min())
        for curve in curves
        if curve.is_measured and (curve.weights > 0).any()
    ]
    return max(min(smallest, default=WEIGHT_FLOOR) / 2, WEIGHT_FLOOR)


def _line(curve: DistanceCurve) -> go.Scatter:
    distances, weights = binned_by_octave(curve.weights)
    return go.Scatter(
        x=placed(distances, log_distance=True),
        # A weight of nothing has no place on a logarithmic axis.
        y=np.where(weights > 0, weights, np.nan).astype(np.float32),
        customdata=distances,
        name=curve.name,
        mode="lines",
        line={
            "color": curve.colour,
            "width": 2.4 if curve.is_measured else 1.6,
            "dash": "solid" if curve.is_measured else "dash",
        },
        hovertemplate="distance %{customdata:.0f}: %{y:.3g}<extra>" + curve.name + "</extra>",
    )


def binned_by_octave(values: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
    """Returns distances and means: each distance up to 16, then 16 parts an octave.

    Few queries have a far key, so single distances there are noise.

    >>> distances, means = binned_by_octave(np.arange(40.0))
    >>> distances[-3:].tolist(), means[-3:].tolist()
    ([34.5, 36.5, 38.5], [34.5, 36.5, 38.5])

    Args:
        values: (distance,) from distance 0.
    """
    starts, start = [], 0
    while start < len(values):
        starts.append(start)
        start += max(1, 2 ** (start.bit_length() - 1) // EXACT_DISTANCES)
    edges = np.array([*starts, len(values)])
    counts = np.diff(edges)
    means = np.add.reduceat(values, edges[:-1]) / counts
    return edges[:-1] + (counts - 1) / 2, means


@dataclass(frozen=True)
class MeasuredWindows:
    """The windows of all heads over one text."""

    measured: AnyFloats
    """(layer, head) mean nearest keys that hold the mass, in tokens."""
    slopes: AnyFloats | None
    """(layer, head) in nats per token; None for a model without slopes."""
    theory: AnyFloats | None
    """(layer, head) the same means for heads that follow their slopes alone."""
    mass: float
    length: int
    """Tokens in the text."""


def measured_windows_figure(
    data: MeasuredWindows, *, chosen: tuple[int, int], dark: bool = False
) -> go.Figure:
    """Returns one dot a head: its window against that of its slope alone, or against its layer.

    Args:
        data: What to draw.
        chosen: (layer, head) to bring forward, from 0.
        dark: Whether the figure is for the dark theme.
    """
    look = surface(dark)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "showlegend": False,
            "hovermode": "closest",
            "xaxis": _theory_axis(data) if data.theory is not None else _layer_axis(data),
            "yaxis": {
                **_token_axis(data),
                "title": {"text": f"measured {data.mass:.0%} window, tokens"},
            },
        }
    )
    if data.theory is not None:
        _add_identity(figure, data, look.muted)
    figure.add_trace(_dots(data, dark))
    _name_chosen(figure, data, chosen, dark)
    return figure


def _ends(data: MeasuredWindows) -> tuple[float, float]:
    return 0.85, max(data.length, 2) * 1.2


def _token_axis(data: MeasuredWindows) -> dict[str, Any]:
    low, high = _ends(data)
    ticks = distance_ticks(data.length, with_zero=False)
    return {"type": "log", "range": [math.log10(low), math.log10(high)], **ticks}


def _theory_axis(data: MeasuredWindows) -> dict[str, Any]:
    title = f"{data.mass:.0%} window of the slope alone, tokens"
    return {**_token_axis(data), "title": {"text": title}}


def _layer_axis(data: MeasuredWindows) -> dict[str, Any]:
    return {"title": {"text": "layer"}, "dtick": max(1, len(data.measured) // 12)}


def _add_identity(figure: go.Figure, data: MeasuredWindows, colour: str) -> None:
    ends = _ends(data)
    figure.add_trace(
        go.Scatter(
            x=ends, y=ends, mode="lines", line={"color": colour, "width": 1, "dash": "dot"},
            hoverinfo="skip",
        )
    )  # fmt: skip
    for text, x, y in (("looks further", 0.03, 0.97), ("looks less far", 0.97, 0.06)):
        figure.add_annotation(
            text=text, x=x, y=y, xref="paper", yref="paper", showarrow=False,
            font={"size": 12, "color": colour}, xanchor="left" if x < 0.5 else "right",
        )  # fmt: skip


def _places(data: MeasuredWindows) -> AnyFloats:
    """Returns (layer, head) places on the horizontal axis, equal ones moved apart a little."""
    n_layer, n_head = data.measured.shape
    if data.theory is None:
        spread = np.linspace(-0.3, 0.3, n_head) if n_head > 1 else np.zeros(1)
        return np.arange(1, n_layer + 1)[:, None] + spread
    spread = np.linspace(-0.06, 0.06, n_layer) if n_layer > 1 else np.zeros(1)
    places: AnyFloats = data.theory * np.exp(spread)[:, None]
    return places


def _dots(data: MeasuredWindows, dark: bool) -> go.Scatter:
    n_layer, n_head = data.measured.shape
    colours = (
        [surface(dark).accent] * (n_layer * n_head)
        if data.slopes is None
        else [colour for layer in data.slopes for colour in colours_by_slope(layer.tolist(), dark)]
    )
    return go.Scatter(
        x=_places(data).ravel(),
        y=data.measured.ravel(),
        mode="markers",
        marker={"color": colours, "size": 8 if n_layer * n_head <= 128 else 5, "opacity": 0.9},
        text=_head_words(data),
        hovertemplate="%{text}<extra></extra>",
    )


def _head_words(data: MeasuredWindows) -> list[str]:
    words = []
    for (layer, head), window in np.ndenumerate(data.measured):
        text = f"layer {layer + 1}, head {head + 1}: {window:.3g} tokens"
        if data.slopes is not None and data.theory is not None:
            slope = slope_text(float(data.slopes[layer, head]), READ_BACK_ROUNDING)
            text += f"<br>slope {slope} alone: {data.theory[layer, head]:.3g} tokens"
        words.append(text)
    return words


def _name_chosen(
    figure: go.Figure, data: MeasuredWindows, chosen: tuple[int, int], dark: bool
) -> None:
    look = surface(dark)
    x, y = float(_places(data)[chosen]), float(data.measured[chosen])
    figure.add_trace(
        go.Scatter(
            x=[x], y=[y], mode="markers", hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 15, "color": look.text, "line": {"width": 2}},
        )
    )  # fmt: skip
    figure.add_annotation(
        x=math.log10(x) if data.theory is not None else x, y=math.log10(y),
        text=f"layer {chosen[0] + 1}, head {chosen[1] + 1}", showarrow=False, yshift=18,
        font={"size": 12, "color": look.text}, bgcolor=look.background, opacity=0.9,
    )  # fmt: skip
