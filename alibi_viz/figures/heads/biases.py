"""The live view's parts as figures to keep: one head's map, all heads' maps, one query's row.

A bias depends on the distance alone, and a weight on the distance and its query, so that a map of
any length is made from one row: at most `MAP_CELLS` tokens across are drawn.
"""

import math
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.distance import slope_text
from alibi_viz.figures.methods.effect import cell_edges, hatch_masked
from alibi_viz.figures.theme import (
    colour_bar,
    colours_by_slope,
    map_colourscale,
    surface,
    template,
    with_alpha,
)
from alibi_viz.figures.tiles import mosaic, tiles_figure
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.windows import WINDOW_MASS, effective_window

Colour = Literal["bias", "weight", "log weight"]
Scale = Literal["shared", "per head"]

MAP_CELLS = 160
TILE_CELLS = 40
MAP_HEIGHT, ROW_HEIGHT = 520, 460
LOG_FLOOR = math.log(1e-6)
"""Logarithm of the weight at the lower end of a logarithmic scale that all heads share."""
_BIAS_PANEL, _WEIGHT_PANEL = (0.56, 1.0), (0.0, 0.44)
_NAMES = {"bias": "bias, nats", "weight": "attention weight", "log weight": "attention weight"}


def map_tokens(length: int, most: int) -> NDArray[np.int64]:
    """Returns the tokens that stand for the cells of a map: all, or the middle one of each cell."""
    count = min(length, most)
    tokens: NDArray[np.int64] = ((np.arange(count) + 0.5) * length / count).astype(np.int64)
    return tokens


def map_values(slope: float, tokens: NDArray[np.int64], colour: Colour) -> Floats:
    """Returns what a map of one head shows.

    Args:
        slope: In nats per token.
        tokens: (place,) positions, rising.
        colour: "bias" in nats, "weight", or "log weight", its natural logarithm.

    Returns:
        (query, key), NaN where the key lies in the future.
    """
    bias = bias_by_distance([slope], int(tokens[-1]) + 1)[0]
    distance = tokens[:, None] - tokens[None, :]
    values = np.where(distance < 0, np.nan, bias[np.maximum(distance, 0)])
    if colour != "bias":
        # ln of the sum over the keys of each query, without a weight for each of them.
        values = values - np.logaddexp.accumulate(bias)[tokens][:, None]
    shown: Floats = np.exp(values) if colour == "weight" else values
    return shown


def colour_ends(
    slopes: Floats, head: int, *, length: int, colour: Colour, scale: Scale
) -> tuple[float, float]:
    """Returns the values at the two ends of the colours, as in the live view.

    Args:
        slopes: (head,) in nats per token.
        head: Index of the head.
        length: Tokens in the sequence.
        colour: What is coloured.
        scale: Whether all heads share the ends, those of the steepest one.
    """
    slope = float(slopes.max() if scale == "shared" else slopes[head])
    last = length - 1
    if colour == "bias":
        return -slope * max(last, 1), 0.0
    own = float(attention_by_distance([slope], length)[0, 0])
    if colour == "weight":
        return 0.0, own
    if scale == "shared":
        return LOG_FLOOR, 0.0
    return math.log(own) - slope * max(last, 1), math.log(own)


def head_map_figure(
    slopes: Floats,
    *,
    head: int,
    length: int,
    colour: Colour = "bias",
    scale: Scale = "shared",
    cell: tuple[int, int] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Returns one head's causal map: query down, key across, the future hatched.

    Args:
        slopes: (head,) in nats per token.
        head: The head, counted from 1.
        length: Tokens in the sequence.
        colour: What is coloured.
        scale: Whether its colours are those of all heads.
        cell: (query, key) to mark.
        dark: Whether the figure is for the dark theme.

    Raises:
        ValueError: No such head.
    """
    if not 1 <= head <= len(slopes):
        raise ValueError(f"head must be from 1 to {len(slopes)}, got {head}")
    look = surface(dark)
    tokens = map_tokens(length, MAP_CELLS)
    values = map_values(float(slopes[head - 1]), tokens, colour)
    ends = colour_ends(slopes, head - 1, length=length, colour=colour, scale=scale)
    axis = {"showgrid": False, "constrain": "domain", "tickformat": ",d"}
    axis["range"] = [-0.5, length - 0.5]
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": MAP_HEIGHT,
            "showlegend": False,
            "xaxis": {**axis, "title": {"text": "key, token"}, "scaleanchor": "y"},
            "yaxis": {**axis, "title": {"text": "query, token"}, "range": [length - 0.5, -0.5]},
        }
    )
    figure.add_trace(_heatmap(values, ends, colour, dark, x=tokens, y=tokens))
    if len(tokens) > 1:
        hatch_masked(figure, values, cell_edges(tokens), dark)
    if cell is not None:
        query, key = cell
        figure.add_scatter(
            x=[key],
            y=[query],
            mode="markers",
            name=f"query {query}, key {key}",
            marker={
                "symbol": "square",
                "size": 10,
                # Seen on the darkest and on the brightest cell.
                "color": with_alpha(look.background, 0.6),
                "line": {"width": 2, "color": look.text},
            },
        )
    return figure


def _heatmap(
    values: Floats,
    ends: tuple[float, float],
    colour: Colour,
    dark: bool,
    **places: NDArray[np.int64],
) -> go.Heatmap:
    ticks = power_ticks(*ends) if colour == "log weight" else {}
    return go.Heatmap(
        z=values.astype(np.float32),
        zmin=ends[0],
        zmax=ends[1],
        colorscale=map_colourscale(),
        hoverongaps=False,
        colorbar=colour_bar(_NAMES[colour], dark) | ticks,
        name=colour,
        hovertemplate="query %{y}, key %{x}: %{z:.4g}<extra></extra>",
        **places,
    )


def power_ticks(low: float, high: float) -> dict[str, Any]:
    """Returns ticks at powers of ten for a colour bar of natural logarithms.

    Args:
        low: Logarithm at its lower end.
        high: Logarithm at its upper end.
    """
    # An end that is a power of ten has a tick, whichever way its logarithm was rounded.
    first, last = low / math.log(10) - 1e-9, high / math.log(10) + 1e-9
    tens = range(math.ceil(first), math.floor(last) + 1)
    step = max(1, len(tens) // 8)
    return {
        "tickvals": [power * math.log(10) for power in tens[::-step]],
        "ticktext": [f"10<sup>{power}</sup>".replace("-", "−") for power in tens[::-step]],
    }


def all_heads_figure(
    slopes: Floats,
    *,
    length: int,
    colour: Colour = "bias",
    scale: Scale = "shared",
    dark: bool = False,
) -> go.Figure:
    """Returns the maps of all heads side by side, each labelled with its number and slope.

    Args:
        slopes: (head,) in nats per token.
        length: Tokens in the sequence.
        colour: What is coloured.
        scale: Whether all heads share their colours; if not, each has its own lowest and highest.
        dark: Whether the figure is for the dark theme.
    """
    tokens = map_tokens(length, TILE_CELLS)
    tiles = [map_values(float(slope), tokens, colour) for slope in slopes]
    ends = [
        colour_ends(slopes, head, length=length, colour=colour, scale=scale)
        for head in range(len(slopes))
    ]
    if scale == "per head":
        tiles = [(tile - low) / (high - low) for tile, (low, high) in zip(tiles, ends, strict=True)]
        ends = [(0.0, 1.0)]
    labels = [_label(slopes, head) for head in range(len(slopes))]
    figure = tiles_figure(tiles, labels, dark=dark)
    shown: Colour = "bias" if scale == "per head" else colour
    figure.add_trace(_heatmap(mosaic(tiles), ends[0], shown, dark))
    figure.data[0].hoverinfo = "skip"
    figure.data[0].hovertemplate = None
    if scale == "per head":
        bar = colour_bar(f"{_NAMES[colour]}, each head's own scale", dark)
        ends_named = {"tickvals": [0, 1], "ticktext": ["lowest", "highest"]}
        figure.data[0].colorbar = bar | ends_named
    return figure


def _label(slopes: Floats, head: int) -> str:
    number = f"<b>{head + 1}</b>"
    return number if len(slopes) > 24 else f"{number}  {slope_text(float(slopes[head]))}"


def row_figure(
    slopes: Floats,
    *,
    head: int,
    length: int,
    query: int,
    key: int | None = None,
    dark: bool = False,
) -> go.Figure:
    """Returns one query's bias by distance, and below it the attention weights it gives.

    Args:
        slopes: (head,) in nats per token.
        head: The head, counted from 1.
        length: Tokens in the sequence.
        query: Position of the query.
        key: Position of a key to mark.
        dark: Whether the figure is for the dark theme.
    """
    slope = slopes[head - 1 : head]
    colour = colours_by_slope(slopes.tolist(), dark)[head - 1]
    bias = bias_by_distance(slope, query + 1)[0]
    weights = attention_by_distance(slope, length, query)[0, : query + 1]
    figure = go.Figure(layout=_row_layout(query, dark))
    for values, axis in ((bias, "y"), (weights, "y2")):
        figure.add_scatter(
            x=np.arange(query + 1),
            y=values,
            yaxis=axis,
            mode="lines" if query else "markers",
            line={"color": colour, "width": 2},
            fill="tozeroy" if axis == "y2" else None,
            fillcolor=with_alpha(colour, 0.3),
            name="bias" if axis == "y" else "weight",
            hovertemplate="distance %{x}: %{y:.4g}<extra></extra>",
        )
    _mark_window(figure, int(effective_window(weights[None], WINDOW_MASS)[0]), query, dark)
    if key is not None:
        figure.add_shape(
            type="line", x0=query - key, x1=query - key, y0=0, y1=1, yref="paper",
            line={"color": surface(dark).text, "width": 1, "dash": "dot"},
        )  # fmt: skip
    return figure


def _row_layout(query: int, dark: bool) -> dict[str, Any]:
    """Returns two panels above each other, over one axis of distance."""
    return {
        "template": template(dark),
        "height": ROW_HEIGHT,
        "showlegend": False,
        "xaxis": {
            "title": {"text": "distance from the query, tokens"},
            "tickformat": ",d",
            "anchor": "y2",
            "range": [-0.5 - 0.01 * query, 1.01 * query + 0.5],
        },
        "yaxis": {
            "title": {"text": "bias, nats"},
            "domain": _BIAS_PANEL,
            "anchor": "x",
            "exponentformat": "none",
        },
        "yaxis2": {
            "title": {"text": "attention weight"},
            "domain": _WEIGHT_PANEL,
            "anchor": "x",
            "rangemode": "tozero",
        },
    }


def _mark_window(figure: go.Figure, window: int, query: int, dark: bool) -> None:
    """Shades the nearest keys that hold `WINDOW_MASS` of the attention, and says how many."""
    look = surface(dark)
    figure.add_shape(
        type="rect", x0=-0.5, x1=window - 0.5, y0=0, y1=1, yref="paper", line_width=0,
        fillcolor=with_alpha(look.accent, 0.1), layer="below",
    )  # fmt: skip
    figure.add_annotation(
        x=window - 0.5, y=0.5, yref="paper", showarrow=False, xshift=4,
        xanchor="left" if window < 0.6 * query else "right",
        bgcolor=with_alpha(look.background, 0.8),
        text=f"{WINDOW_MASS:.0%} of the attention within {window:,} "
        f"token{'s' if window > 1 else ''}",
        font={"size": 12, "color": look.muted},
    )  # fmt: skip
