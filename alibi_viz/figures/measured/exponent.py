"""Perplexity of trained models against the exponent of their slopes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.labels import mark_at_top, moved_apart, value_ticks
from alibi_viz.figures.theme import method_colour, method_style, surface, template
from alibi_viz.maths.arrays import Floats

HEIGHT, SMALL_HEIGHT = 420, 250
_DASHES = ("solid", "dash", "dot", "dashdot")
_LABEL_HEIGHT = 17


@dataclass(frozen=True)
class ExponentCurve:
    """Perplexity at one evaluation length."""

    length: int
    """Tokens in an evaluation window."""
    exponents: Floats
    """(point,) exponents of the flattest slope, rising."""
    mean: Floats
    """(point,) perplexity, of the mean loss over seeds."""
    interval: Floats
    """(point, end) where the 95 % interval of the difference to the published exponent ends."""
    words: tuple[str, ...]
    """(point,) how it stands to the published exponent; "" for that one itself."""


def exponent_figure(
    curves: Sequence[ExponentCurve], *, present: float | None, is_small: bool, dark: bool
) -> go.Figure:
    """Returns a line for each evaluation length over a logarithmic axis of exponents.

    Args:
        curves: At least one, with a point.
        present: An exponent to mark; None for none.
        is_small: Whether the figure stands beside others.
        dark: Whether it is for the dark theme.
    """
    height = SMALL_HEIGHT if is_small else HEIGHT
    tried = sorted({float(exponent) for curve in curves for exponent in curve.exponents})
    ends = [*tried, *([present] if present else [])]
    low = min(float(curve.interval[:, 0].min()) for curve in curves) / 1.03
    high = max(float(curve.interval[:, 1].max()) for curve in curves) * 1.03
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": height,
            "hovermode": "closest",
            "showlegend": False,
            "margin": {"l": 8, "r": 96, "t": 12, "b": 8},
            "xaxis": {
                "title": {"text": "exponent: the flattest slope is 2 to minus this"},
                "type": "log",
                "range": [math.log10(min(ends) / 1.15), math.log10(max(ends) * 1.15)],
                "tickvals": tried,
                "ticktext": [f"{exponent:g}" for exponent in tried],
            },
            "yaxis": {
                "title": {"text": "perplexity per token"},
                "type": "log",
                "range": [math.log10(low), math.log10(high)],
                "tickvals": value_ticks(low, high),
                "ticktext": [f"{tick:,g}" for tick in value_ticks(low, high)],
            },
        }
    )
    figure.add_traces([_line(curve, place, dark) for place, curve in enumerate(curves)])
    if present:
        line = {"color": surface(dark).muted, "width": 2, "dash": "dot"}
        figure.add_vline(x=present, line=line, layer="below")
        mark_at_top(figure, present, f"now {present:g}", surface(dark).muted)
    _label(figure, curves, height, dark)
    return figure


def _line(curve: ExponentCurve, place: int, dark: bool) -> go.Scatter:
    pairs = zip(curve.exponents.tolist(), curve.words, strict=True)
    return go.Scatter(
        x=curve.exponents,
        y=curve.mean,
        name=f"{curve.length:,} tokens",
        mode="lines+markers",
        customdata=[f"exponent {e:g}{f'<br>{word}' if word else ''}" for e, word in pairs],
        line={"color": method_colour("alibi", dark), "width": 2, "dash": _DASHES[place % 4]},
        marker={"symbol": method_style("alibi").symbol, "size": 8},
        error_y={
            "symmetric": False,
            "array": curve.interval[:, 1] - curve.mean,
            "arrayminus": curve.mean - curve.interval[:, 0],
            "width": 3,
            "thickness": 1,
        },
        hovertemplate="%{y:.4g} at %{customdata}<extra>%{fullData.name}</extra>",
    )


def _label(figure: go.Figure, curves: Sequence[ExponentCurve], height: int, dark: bool) -> None:
    """Writes each length beside the end of its line."""
    low, high = figure.layout.yaxis.range
    line_height = _LABEL_HEIGHT / (height - 80) * (high - low)
    places = moved_apart(
        [math.log10(float(curve.mean[-1])) for curve in curves],
        list(np.full(len(curves), line_height)),
        highest=high + line_height / 2,
    )
    for curve, place in zip(curves, places, strict=True):
        figure.add_annotation(
            x=1,
            xref="paper",
            y=place,
            xanchor="left",
            xshift=4,
            text=f"{curve.length:,} tokens",
            showarrow=False,
            font={"size": 13, "color": method_colour("alibi", dark)},
        )
