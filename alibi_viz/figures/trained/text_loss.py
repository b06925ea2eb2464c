"""The loss along a text: which parts of it a model predicts well, and from where on it does not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.theme import surface, template
from alibi_viz.maths.arrays import AnyFloats

HEIGHT = 380
# Parts of a text that the loss is averaged over.
LOSS_PARTS = 24


@dataclass(frozen=True)
class TextLoss:
    """The loss of each token of a text."""

    name: str
    nll: AnyFloats
    """(length - 1,) -ln p of each token but the first, in nats."""
    colour: str


def text_loss_figure(
    curves: Sequence[TextLoss], *, train_length: int | None = None, dark: bool = False
) -> go.Figure:
    """Returns the loss along the text, each line a mean over parts of it.

    Args:
        curves: Over the same text, the first one solid.
        train_length: Tokens the model was trained on, marked if the text goes beyond.
        dark: Whether the figure is for the dark theme.
    """
    look = surface(dark)
    length = max(len(curve.nll) for curve in curves) + 1
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "x unified",
            # Above the plot: lines reach everywhere in it.
            "margin": {"t": 30},
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
            "xaxis": {"title": {"text": "position in the text, token"}, "range": [0, length]},
            "yaxis": {"title": {"text": "mean loss, nats per token"}, "rangemode": "tozero"},
        }
    )
    for number, curve in enumerate(curves):
        dash = "dash" if number else "solid"
        places, means = mean_by_part(curve.nll)
        figure.add_trace(
            go.Scatter(
                x=places, y=means, name=curve.name, mode="lines+markers",
                line={"color": curve.colour, "width": 2.2, "dash": dash}, marker={"size": 4},
                hovertemplate="%{y:.2f}",
            )
        )  # fmt: skip
    if train_length is not None and length > train_length:
        figure.add_vline(
            x=train_length, line={"color": look.muted, "width": 1, "dash": "dot"},
            annotation={
                "text": f"trained on {train_length}", "font": {"size": 12, "color": look.muted},
            },
        )  # fmt: skip
    return figure


def mean_by_part(nll: AnyFloats, parts: int = LOSS_PARTS) -> tuple[AnyFloats, AnyFloats]:
    """Returns the middle position of each part of the text, and the mean loss there.

    >>> mean_by_part(np.array([1.0, 3.0, 5.0, 7.0]), parts=2)
    (array([1.5, 3.5]), array([2., 6.]))

    Args:
        nll: (length - 1,) of each token but the first.
        parts: At most as many.
    """
    count = min(parts, len(nll))
    edges = np.linspace(0, len(nll), count + 1).astype(int)
    means = np.add.reduceat(nll.astype(np.float64), edges[:-1]) / np.diff(edges)
    # nll[0] is the loss of the token at position 1.
    return (edges[:-1] + edges[1:] - 1) / 2 + 1, means
