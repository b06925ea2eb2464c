"""One needle in one window: what every head pays and has, and where the one that finds it looks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from alibi_viz.figures.distance import distance_axis, slope_text
from alibi_viz.figures.theme import (
    colours_by_slope,
    head_colours,
    surface,
    template,
    with_alpha,
)
from alibi_viz.maths.arrays import AnyFloats, Floats

HEIGHT = 430
KEYS_HEIGHT = 430
# A weight below this is drawn here: far keys of a steep head have less than any axis could show.
FLOOR = 1e-8
_DRAWN_KEYS = 1024


@dataclass(frozen=True)
class NeedleHeads:
    """What every head pays, has and gives."""

    weights: AnyFloats
    """(head,) attention on the needle, 0 .. 1."""
    slopes: Sequence[float] | None
    """(head,) in nats per token; None where the bias is no slope."""
    prices: Floats | None
    """(head,) nats that the bias takes; None where position lies in the content."""
    content: Floats | None
    """(head,) the needle's content logit above filler's, in nats."""
    needed: Floats | None
    """(head,) content for half the attention, in nats."""


def needle_figure(data: NeedleHeads, *, dark: bool = False) -> go.Figure:
    """Returns the attention on the needle by head, and below it its price beside its content.

    Args:
        data: What to draw.
        dark: Whether the figure is for the dark theme.
    """
    look, count = surface(dark), len(data.weights)
    heads = np.arange(1, count + 1, dtype=np.int64)
    rows = 1 if data.needed is None else 2
    figure = make_subplots(
        rows, 1, shared_xaxes=True, vertical_spacing=0.07, row_heights=[2, 3][:rows]
    )
    slopes = data.slopes
    colours = head_colours(count, dark) if slopes is None else colours_by_slope(slopes, dark)
    figure.add_bar(
        x=heads,
        y=100 * data.weights,
        marker={"color": list(colours)},
        text=[f"{100 * weight:.0f}" for weight in data.weights],
        textposition="outside",
        cliponaxis=False,
        name="attention on the needle",
        hovertemplate="head %{x}: %{y:.3g} % of its attention<extra></extra>",
    )
    _add_nats(figure, data, heads, dark)
    figure.update_layout(
        template=template(dark),
        height=HEIGHT if rows == 2 else HEIGHT * 2 // 3,
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        barmode="stack",
        bargap=0.35,
        showlegend=rows == 2,
        legend={"orientation": "h", "x": 0, "y": 0.64, "yanchor": "top", "font": {"size": 12}},
    )
    figure.data[0].showlegend = False
    figure.update_yaxes(title_text="attention, %", range=[0, 116], tickvals=[0, 50, 100], row=1)
    figure.update_xaxes(
        tickvals=heads,
        ticktext=[_head_text(head, slopes) for head in heads.tolist()],
        showgrid=False,
        range=[0.4, count + 0.6],
    )
    figure.update_xaxes(
        title_text="head" if slopes is None else "head and its slope, nats per token", row=rows
    )
    figure.add_hline(y=50, line={"color": look.muted, "width": 1, "dash": "dot"}, row=1, col=1)
    return figure


def _head_text(head: int, slopes: Sequence[float] | None) -> str:
    if slopes is None:
        return str(head)
    slope = slopes[head - 1]
    return f"{head}<br>{slope_text(slope) if slope else 'free'}"


def _add_nats(figure: go.Figure, data: NeedleHeads, heads: NDArray[np.int64], dark: bool) -> None:
    """Adds what half the attention needs, stacked, and what the content has, as diamonds."""
    if data.prices is None or data.needed is None or data.content is None:
        return
    look = surface(dark)
    rivals = data.needed - data.prices
    top = _top(data)
    parts = (
        ("price of the distance", data.prices, with_alpha(look.accent, 0.75)),
        ("all other keys together", rivals, with_alpha(look.muted, 0.4)),
    )
    for name, values, colour in parts:
        figure.add_bar(
            x=heads,
            y=values,
            marker={"color": colour},
            name=name,
            hovertemplate="head %{x}: %{y:.3g} nats<extra>" + name + "</extra>",
            row=2,
            col=1,
        )
    figure.add_scatter(
        x=heads,
        y=data.content,
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 11,
            "color": look.text,
            "line": {"width": 1.5, "color": look.background},
        },
        name="content that the needle has",
        hovertemplate="head %{x}: content of %{y:.3g} nats<extra></extra>",
        row=2,
        col=1,
    )
    for head, price in zip(heads.tolist(), data.prices.tolist(), strict=True):
        if price > top:
            figure.add_annotation(
                x=head, y=top, text=f"↑ {price:,.0f}", showarrow=False, yanchor="top",
                font={"size": 12, "color": look.text}, row=2, col=1,
            )  # fmt: skip
    low = min(0.0, float(data.content.min()), float(data.prices.min())) - 0.6
    figure.update_yaxes(title_text="nats", range=[low, top], row=2)


def _top(data: NeedleHeads) -> float:
    """Returns where the axis of nats ends: above every content, not above every price."""
    assert data.needed is not None
    assert data.content is not None
    best = int(data.weights.argmax())
    return 1.15 * max(12.0, float(data.content.max()), min(float(data.needed[best]), 40.0))


@dataclass(frozen=True)
class KeysOfHead:
    """Where one head looks from the question."""

    weights: AnyFloats
    """(distance,) attention on the key at each distance."""
    needle: int
    """Distance of the needle that is asked for, in tokens."""
    names: dict[int, str]
    """What the needles are called, by distance."""
    slope: float | None
    """Of the head, in nats per token; None where its bias is no slope."""
    colour_rank: tuple[int, int]
    """Which head it is, from 0, of how many."""


def needle_keys_figure(data: KeysOfHead, *, dark: bool = False) -> go.Figure:
    """Returns a head's attention by distance on logarithmic axes: filler as dots, needles named.

    Args:
        data: What to draw.
        dark: Whether the figure is for the dark theme.
    """
    look, length = surface(dark), len(data.weights)
    rank, count = data.colour_rank
    colour = head_colours(count, dark)[rank]
    drawn = np.unique(np.geomspace(1, length - 1, _DRAWN_KEYS).astype(int))
    filler = np.array([distance for distance in drawn if distance not in data.names])
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": KEYS_HEIGHT,
            "showlegend": False,
            "hovermode": "closest",
            "margin": {"l": 8, "r": 8, "t": 24, "b": 8},
            "xaxis": distance_axis(length, log_distance=True),
            "yaxis": {
                "title": {"text": "attention weight"},
                "type": "log",
                "range": [math.log10(FLOOR) - 0.2, 0.35],
                "exponentformat": "power",
                "dtick": 2,
            },
        }
    )
    figure.add_scatter(
        x=filler,
        y=data.weights[filler].clip(FLOOR),
        mode="markers",
        marker={"size": 4, "color": with_alpha(look.muted, 0.5)},
        name="filler",
        hovertemplate="filler, %{x:,} tokens back: %{y:.2g}<extra></extra>",
    )
    if data.slope is not None:
        # The level is that of filler: its median, with the slope taken out.
        level = float(np.median(np.log(data.weights[filler].clip(1e-300)) + data.slope * filler))
        figure.add_scatter(
            x=drawn,
            y=np.exp(level - data.slope * drawn).clip(FLOOR),
            mode="lines",
            line={"color": colour, "width": 1.6, "dash": "dash"},
            name="the slope alone",
            hoverinfo="skip",
        )
    for distance, name in data.names.items():
        _add_needle(figure, data, distance, name, dark)
    figure.add_hline(y=0.5, line={"color": look.muted, "width": 1, "dash": "dot"})
    return figure


def _add_needle(figure: go.Figure, data: KeysOfHead, distance: int, name: str, dark: bool) -> None:
    is_asked = distance == data.needle
    look = surface(dark)
    rank, count = data.colour_rank
    figure.add_scatter(
        x=[distance],
        y=[max(float(data.weights[distance]), FLOOR)],
        mode="markers",
        marker={
            "size": 15 if is_asked else 9,
            "symbol": "star" if is_asked else "diamond-open",
            "color": head_colours(count, dark)[rank] if is_asked else look.text,
        },
        name=name,
        hovertemplate="%{fullData.name}, %{x:,} tokens back: %{y:.3g}<extra></extra>",
    )
    figure.add_annotation(
        x=math.log10(distance),
        y=math.log10(max(float(data.weights[distance]), FLOOR)),
        text=f"<b>{name}</b>" if is_asked else name,
        showarrow=False,
        yshift=15,
        font={"size": 13 if is_asked else 12, "color": look.text},
        bgcolor=with_alpha(look.background, 0.7),
    )
