"""Loss against training tokens, while a model learns and afterwards."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from alibi_viz.figures.labels import label_last_points
from alibi_viz.figures.theme import method_colour, method_style, surface, template, with_alpha

HEIGHT = 360
# The axis grows in steps of this, so that it stands still while points come in.
_AXIS_STEP = 0.5
_LABEL_HEIGHT = 16
_MARGIN = {"l": 8, "r": 104, "t": 12, "b": 8}

Curve = Sequence[tuple[int, float]]


@dataclass(frozen=True)
class TrainingCurves:
    """What the figure draws."""

    method: str
    """Key of the position method; decides the colour."""
    train: Curve
    """(training tokens seen, nats per token) on the text that is learned from."""
    validation: Curve
    """The same on text that is not."""
    tokens: int
    """Training tokens in all: where the axis ends."""
    vocabulary: int
    """Tokens to guess among; an even guess costs its logarithm."""

    @property
    def even_guess(self) -> float:
        """Loss of a model that knows nothing, in nats per token."""
        return math.log(self.vocabulary)


def training_figure(curves: TrainingCurves, *, dark: bool = False) -> go.Figure:
    """Returns both loss curves over the whole budget, so that one sees what is still to come.

    Args:
        curves: What to draw.
        dark: Whether the figure is for the dark theme.

    Returns:
        Nats per token against millions of training tokens; lines labelled at their ends.
    """
    look, colour = surface(dark), method_colour(curves.method, dark)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "showlegend": False,
            "margin": _MARGIN,
            "xaxis": _token_axis(curves.tokens),
            "yaxis": _loss_axis(curves),
        }
    )
    figure.add_trace(_line("training", curves.train, with_alpha(colour, 0.5), width=1.5))
    symbol = method_style(curves.method).symbol
    figure.add_trace(_line("validation", curves.validation, colour, width=2.5, symbol=symbol))
    figure.add_hline(
        y=curves.even_guess,
        line={"color": look.muted, "width": 1, "dash": "dot"},
        annotation={
            "text": f"even guess among {curves.vocabulary:,}: {curves.even_guess:.2f}",
            "font": {"size": 12, "color": look.muted},
            "yanchor": "bottom",
            "xanchor": "right",
            "x": 1,
        },
    )
    _label_ends(figure, curves, colour, look.muted)
    return figure


def _line(name: str, curve: Curve, colour: str, width: float, symbol: str = "") -> go.Scatter:
    return go.Scatter(
        x=[tokens / 1e6 for tokens, _ in curve],
        y=[loss for _, loss in curve],
        customdata=[math.exp(loss) for _, loss in curve],
        name=name,
        mode="lines+markers" if symbol else "lines",
        line={"color": colour, "width": width},
        marker={"symbol": symbol or "circle", "size": 7},
        hovertemplate="%{y:.3f} nats, perplexity %{customdata:.1f}<br>"
        "%{x:.2f} M tokens<extra>%{fullData.name}</extra>",
    )


def _token_axis(tokens: int) -> dict[str, Any]:
    return {
        "title": {"text": "training tokens seen, millions"},
        "range": [0, tokens / 1e6],
    }


def _loss_axis(curves: TrainingCurves) -> dict[str, Any]:
    losses = [loss for curve in (curves.train, curves.validation) for _, loss in curve]
    lowest = min([*losses, curves.even_guess / 2])
    highest = max([*losses, curves.even_guess])
    return {
        "title": {"text": "loss, nats per token"},
        "range": [
            math.floor(lowest / _AXIS_STEP) * _AXIS_STEP - 0.1,
            math.ceil(highest / _AXIS_STEP) * _AXIS_STEP + 0.1,
        ],
    }


def _label_ends(figure: go.Figure, curves: TrainingCurves, colour: str, muted: str) -> None:
    """Writes each line's name and newest loss beside its end, one above the other."""
    ends = [
        (name, curve[-1], shade)
        for name, curve, shade in (
            ("training", curves.train, muted),
            ("validation", curves.validation, colour),
        )
        if curve
    ]
    low, high = figure.layout.yaxis.range
    height = _LABEL_HEIGHT / (HEIGHT - 60) * (high - low)
    told = [
        (tokens / 1e6, loss, f"{name} {loss:.2f}", shade) for name, (tokens, loss), shade in ends
    ]
    label_last_points(figure, told, height)
