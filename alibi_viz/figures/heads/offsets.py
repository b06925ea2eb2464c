"""A bias by offset, past and future, and what the softmax makes of it for one query."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.theme import colours_by_slope, surface, template, with_alpha
from alibi_viz.maths.arrays import Floats

HEIGHT = 480
_BIAS_PANEL, _WEIGHT_PANEL = (0.55, 1.0), (0.0, 0.43)


@dataclass(frozen=True)
class OffsetCurves:
    """What the figure draws."""

    names: Sequence[str]
    """(head,) names of the curves."""
    steepness: Floats
    """(head,) what orders their colours: slopes, or what stands for them."""
    offsets: NDArray[np.int64]
    """(offset,) key position minus query position, in tokens."""
    bias: Floats
    """(head, offset) in nats, relative to offset 0; -inf where masked."""
    weights: Floats
    """(head, offset) softmax of the query in the middle at equal content."""
    plain: tuple[Floats, Floats] | None
    """(offset,) bias and weights of the chosen head in plain causal ALiBi, to compare with."""


def offsets_figure(curves: OffsetCurves, *, chosen: int, dark: bool = False) -> go.Figure:
    """Returns bias above, weights below, over the same offsets.

    Args:
        curves: What to draw.
        chosen: Index of the curve to bring forward.
        dark: Whether the figure is for the dark theme.
    """
    look = surface(dark)
    last = int(curves.offsets[-1])
    sees_future = bool(np.isfinite(curves.bias[:, -1]).any())
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "showlegend": False,
            "margin": {"l": 8, "r": 12, "t": 12, "b": 8},
            "xaxis": {
                "title": {
                    "text": "key before the query  ←  offset, tokens  →  key after it"
                    if sees_future
                    else "offset of the key from the query, tokens"
                },
                "range": [-1.03 * last, (1.03 if sees_future else 0.08) * last],
                "anchor": "y2",
            },
            "yaxis": {"title": {"text": "bias, nats"}, "domain": _BIAS_PANEL, "anchor": "x"},
            "yaxis2": {
                "title": {"text": "attention weight"},
                "domain": _WEIGHT_PANEL,
                "anchor": "x",
                "rangemode": "tozero",
            },
        }
    )
    colours = colours_by_slope(curves.steepness.tolist(), dark)
    order = [head for head in range(len(colours)) if head != chosen] + [chosen]
    for values, axis in ((curves.bias, "y"), (curves.weights, "y2")):
        seen = np.where(np.isneginf(curves.bias), np.nan, values)
        if curves.plain is not None:
            _add_plain(figure, curves, axis, look.muted)
        for head in order:
            figure.add_scatter(
                x=curves.offsets,
                y=seen[head].astype(np.float32),
                yaxis=axis,
                mode="lines",
                line={"color": colours[head], "width": 3.2 if head == chosen else 1.3},
                name=curves.names[head],
                hovertemplate="offset %{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
            )
    _mark_query(figure, curves, chosen, colours[chosen], dark)
    return figure


def _add_plain(figure: go.Figure, curves: OffsetCurves, axis: str, colour: str) -> None:
    assert curves.plain is not None
    bias, weights = curves.plain
    values = np.where(np.isneginf(bias), np.nan, bias if axis == "y" else weights)
    if axis == "y":
        at = len(values) // 8
        figure.add_annotation(
            x=int(curves.offsets[at]),
            y=float(values[at]),
            text="plain ALiBi",
            font={"color": colour, "size": 12},
            showarrow=False,
            xanchor="right",
            yanchor="bottom",
            xshift=-4,
        )
    figure.add_scatter(
        x=curves.offsets,
        y=values.astype(np.float32),
        yaxis=axis,
        mode="lines",
        line={"color": colour, "width": 2, "dash": "dash"},
        name="plain causal ALiBi, same head",
        hovertemplate="offset %{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
    )


def _mark_query(
    figure: go.Figure, curves: OffsetCurves, chosen: int, colour: str, dark: bool
) -> None:
    """Draws the query's place and names the chosen curve."""
    look = surface(dark)
    figure.add_shape(
        type="line", x0=0, x1=0, y0=0, y1=1, yref="paper",
        line={"color": look.muted, "width": 1, "dash": "dot"},
    )  # fmt: skip
    where = np.flatnonzero(np.isfinite(curves.bias[chosen]))
    # A quarter of the way into what the head sees, away from the query.
    at = int(where[len(where) // 4] if curves.offsets[where[0]] < 0 else where[-len(where) // 4])
    figure.add_annotation(
        x=int(curves.offsets[at]),
        y=float(curves.bias[chosen, at]),
        text=f"<b>{curves.names[chosen]}</b>",
        font={"color": colour, "size": 12},
        bgcolor=with_alpha(look.background, 0.8),
        showarrow=False,
        xanchor="center",
        yanchor="bottom",
        yshift=4,
    )
    if np.isneginf(curves.bias[chosen]).any() and np.isfinite(curves.bias[:, -1]).any():
        side = 0.75 if np.isneginf(curves.bias[chosen, -1]) else -0.75
        figure.add_annotation(
            x=side * int(curves.offsets[-1]),
            y=_BIAS_PANEL[0] + 0.03,
            yref="paper",
            text=f"{curves.names[chosen].split(',')[0]}: masked, −∞",
            font={"color": look.muted, "size": 12},
            showarrow=False,
        )
