"""Validation loss of several trained models against training tokens: have they learned enough?"""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from alibi_viz.figures.labels import label_last_points
from alibi_viz.figures.theme import method_colour, method_style, template

HEIGHT = 300
_LABEL_HEIGHT = 15
_INNER_HEIGHT = HEIGHT - 60


@dataclass(frozen=True)
class ValidationCurve:
    """One model's curve."""

    method: str
    """Key of the position method; decides the colour."""
    label: str
    """What stands beside the line; empty for none."""
    points: Sequence[tuple[int, float]]
    """(training tokens seen, nats per token), rising in tokens; at least one."""


def losses_figure(curves: Sequence[ValidationCurve], *, dark: bool = False) -> go.Figure:
    """Returns all curves on linear axes, from where the highest one has halved its excess.

    Args:
        curves: At least one.
        dark: Whether the figure is for the dark theme.

    Returns:
        One line a model, labelled at its end; the first, steep part lies above the axis.
    """
    ends = [curve.points[-1][1] for curve in curves]
    low, high = min(ends) - 0.1, max(ends) + 1.0
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "showlegend": False,
            "margin": {"l": 8, "r": 96, "t": 8, "b": 8},
            "xaxis": {"title": {"text": "training tokens seen, millions"}, "rangemode": "tozero"},
            "yaxis": {"title": {"text": "validation loss, nats/token"}, "range": [low, high]},
        }
    )
    for curve in curves:
        style = method_style(curve.method)
        figure.add_trace(
            go.Scatter(
                x=[tokens / 1e6 for tokens, _ in curve.points],
                y=[loss for _, loss in curve.points],
                name=curve.label,
                mode="lines",
                line={
                    "color": method_colour(curve.method, dark),
                    "width": style.width,
                    "dash": style.dash,
                },
                hovertemplate="%{y:.3f} nats at %{x:.2f} M tokens<extra>%{fullData.name}</extra>",
            )
        )
    _label_ends(figure, curves, (high - low) * _LABEL_HEIGHT / _INNER_HEIGHT, dark)
    return figure


def _label_ends(
    figure: go.Figure, curves: Sequence[ValidationCurve], apart: float, dark: bool
) -> None:
    ends = []
    for curve in curves:
        if curve.label:
            tokens, loss = curve.points[-1]
            text = f"{curve.label} {loss:.2f}"
            ends.append((tokens / 1e6, loss, text, method_colour(curve.method, dark)))
    label_last_points(figure, ends, apart)
