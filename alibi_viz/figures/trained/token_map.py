"""The attention of a trained model's heads as figures to keep: one head large, or all small.

More cells than a page of paper can show are pooled: each shows the largest of those it covers. The
map itself is pixels, also in an SVG file; its axes and words are vectors.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.distance import READ_BACK_ROUNDING, slope_text
from alibi_viz.figures.heads.biases import power_ticks
from alibi_viz.figures.methods.effect import cell_edges, hatch_masked
from alibi_viz.figures.theme import colour_bar, difference_stops, map_colourscale, template
from alibi_viz.figures.tiles import mosaic, tiles_figure
from alibi_viz.maths.arrays import AnyFloats, Floats

HEIGHT = 520
MOST_CELLS = 256
# As many tokens can be read on an axis of 13 cm.
READABLE = 40
Quantity = Literal["log weight", "weight", "logit", "content", "position"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
# The smallest weight that maps, here and on the page, large and small, tell from none.
FAINTEST = 1e-4
_NAMES = {"weight": "attention weight", "log weight": "attention weight"}


def token_map_figure(
    values: AnyFloats,
    tokens: Sequence[str],
    *,
    quantity: Quantity,
    is_difference: bool = False,
    dark: bool = False,
) -> go.Figure:
    """Returns one head's map over a text: query down, key across, masked keys hatched.

    Args:
        values: (query, key), NaN where masked; weights where the quantity is "log weight".
        tokens: The text, cut.
        quantity: What is coloured.
        is_difference: Whether values are those of one head minus those of another.
        dark: Whether the figure is for the dark theme.
    """
    length = len(tokens)
    is_log = quantity == "log weight" and not is_difference
    shown, step = pooled(np.asarray(values, np.float64), is_difference=is_difference)
    if is_log:
        with np.errstate(divide="ignore"):
            shown = np.maximum(np.log(shown), _log_floor(length))
    places = np.arange(len(shown)) * step + (step - 1) / 2
    # Of a position term one reads off the ends: those of all cells, not of pooled ones.
    ranged = np.asarray(values, np.float64) if quantity == "position" else shown
    low, high = _ends(ranged, quantity, length, is_difference=is_difference)
    figure = _frame(tokens, dark)
    if len(shown) > 1:
        hatch_masked(figure, shown, cell_edges(places), dark)
    unit = _NAMES.get(quantity, f"{quantity}, nats")
    bar = colour_bar(f"difference of {unit}" if is_difference else unit, dark)
    figure.add_heatmap(
        x=places,
        y=places,
        z=shown.astype(np.float32),
        zmin=low,
        zmax=high,
        colorscale=list(difference_stops(dark)) if is_difference else map_colourscale(),
        hoverongaps=False,
        colorbar=bar | (power_ticks(low, high) if is_log else {}),
        name=f"ln {quantity.split()[-1]}" if is_log else quantity,
        hovertemplate="query %{y}, key %{x}: %{z:.4g}<extra></extra>",
    )
    return figure


def pooled(values: Floats, *, is_difference: bool = False) -> tuple[Floats, int]:
    """Returns a map of at most `MOST_CELLS` rows, and how many tokens a cell covers.

    Args:
        values: (query, key), NaN where masked.
        is_difference: Whether the largest either way counts, not the largest.
    """
    step = math.ceil(len(values) / MOST_CELLS)
    if step == 1:
        return values, 1
    size = math.ceil(len(values) / step)
    padded = np.full((size * step, size * step), -np.inf)
    padded[: len(values), : len(values)] = np.where(np.isnan(values), -np.inf, values)
    blocks = padded.reshape(size, step, size, step)
    largest = blocks.max(axis=(1, 3))
    if is_difference:
        smallest = np.where(np.isneginf(blocks), np.inf, blocks).min(axis=(1, 3))
        largest = np.where(-smallest > largest, smallest, largest)
    return np.where(np.isfinite(largest), largest, np.nan), step


def _log_floor(length: int) -> float:
    return math.log(min(FAINTEST, 0.05 / length))


def _ends(
    values: Floats, quantity: str, length: int, *, is_difference: bool
) -> tuple[float, float]:
    """Returns the values at the ends of the colours, as in the view on the page."""
    seen = values[np.isfinite(values)]
    if is_difference:
        end = float(np.quantile(np.abs(seen), 0.995)) or float(np.abs(seen).max()) or 1e-6
        return -end, end
    if quantity == "weight":
        return 0.0, max(float(np.quantile(seen, 0.99)), 1 / length)
    if quantity == "log weight":
        return _log_floor(length), 0.0
    # A straight line over all distances: none of its values stands alone.
    ends = (0.0, 1.0) if quantity == "position" else (0.005, 0.999)
    low, high = (float(end) for end in np.quantile(seen, ends))
    # A head without a bias has one value everywhere, which has the colour of the highest.
    return (low, high) if high - low > 1e-6 else (high - 1, high)


def _frame(tokens: Sequence[str], dark: bool) -> go.Figure:
    length = len(tokens)
    axis: dict[str, Any] = {"showgrid": False, "constrain": "domain", "ticks": ""}
    if length <= READABLE:
        names = [f"{_visible(token)}" for token in tokens]
        axis |= {
            "tickvals": list(range(length)),
            "ticktext": names,
            "tickfont": {"size": 10 if length > 24 else 11},
        }
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "showlegend": False,
            "xaxis": axis
            | {
                "title": {"text": "key"},
                "range": [-0.5, length - 0.5],
                "scaleanchor": "y",
                "tickangle": -90 if length <= READABLE else 0,
            },
            "yaxis": axis | {"title": {"text": "query"}, "range": [length - 0.5, -0.5]},
        }
    )
    if length > READABLE:
        figure.update_layout(
            xaxis_title_text="key, position of the token",
            yaxis_title_text="query, position of the token",
        )
    return figure


def _visible(token: str) -> str:
    shown = token.replace("\n", "⏎").replace("\t", "⇥").replace(" ", "·") or "∅"
    shown = shown.replace("&", "&amp;").replace("<", "&lt;")
    return shown if len(shown) <= 10 else f"{shown[:9]}…"


def heads_figure(thumbnails: AnyFloats, slopes: Floats | None, *, dark: bool = False) -> go.Figure:
    """Returns small maps of all heads, a layer a row where they fit, with their slopes.

    Args:
        thumbnails: (layer, head, row, column) largest weight of each part of a map.
        slopes: (layer, head) in nats per token; None where there are none.
        dark: Whether the figure is for the dark theme.
    """
    n_layer, n_head, side, _ = thumbnails.shape
    floor = math.log(FAINTEST)
    with np.errstate(divide="ignore"):
        shown = np.maximum(np.log(thumbnails.astype(np.float64)), floor)
    shown[..., np.triu(np.ones((side, side), bool), 1)] = np.nan
    tiles = list(shown.reshape(-1, side, side))
    across = n_head if n_head <= 16 else None
    labels = [
        f"<b>{layer + 1}·{head + 1}</b>{_slope_label(slopes, layer, head)}"
        for layer in range(n_layer)
        for head in range(n_head)
    ]
    figure = tiles_figure(tiles, labels, across=across, dark=dark)
    figure.add_heatmap(
        z=mosaic(tiles, across).astype(np.float32),
        zmin=floor,
        zmax=0.0,
        colorscale=map_colourscale(),
        hoverinfo="skip",
        colorbar=colour_bar("largest weight in a cell", dark) | power_ticks(floor, 0.0),
        name="ln weight",
    )
    return figure


def _slope_label(slopes: Floats | None, layer: int, head: int) -> str:
    if slopes is None or slopes.shape[1] > 12 or slopes[layer, head] <= 0:
        return ""
    return f"  {slope_text(float(slopes[layer, head]), READ_BACK_ROUNDING)}"
