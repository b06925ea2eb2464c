"""Small square maps side by side in one figure: one map of pixels for all, a label on each."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.theme import surface, template
from alibi_viz.maths.arrays import Floats

# Pixels that the maps have across on a page of paper, and what stands below them.
_WIDTH, _HIGHEST, _BELOW = 520, 640, 60


def tiles_across(count: int) -> int:
    """Returns how many small maps stand in a row: about one and a half times as many as rows."""
    return min(count, max(1, math.ceil(math.sqrt(1.5 * count))))


def mosaic(tiles: Sequence[Floats], across: int | None = None) -> Floats:
    """Returns small square maps as one large map, with gaps between them and room for labels.

    Args:
        tiles: (row, column) each, all of one size.
        across: Maps in a row; as `tiles_across` says if left out.
    """
    side, across = len(tiles[0]), across or tiles_across(len(tiles))
    pitch_x, pitch_y = _pitch(side)
    down = -(-len(tiles) // across)
    whole = np.full((down * pitch_y, across * pitch_x), np.nan)
    for index, tile in enumerate(tiles):
        row, column = divmod(index, across)
        top, left = row * pitch_y + pitch_y - side, column * pitch_x
        whole[top : top + side, left : left + side] = tile
    return whole


def _pitch(side: int) -> tuple[int, int]:
    """Returns cells from one small map to the next, across and down."""
    return side + max(2, side // 8), side + max(3, round(side * 0.3))


def tiles_figure(
    tiles: Sequence[Floats],
    labels: Sequence[str],
    *,
    across: int | None = None,
    dark: bool = False,
) -> go.Figure:
    """Returns the ground of `mosaic`: axes, labels and the masked part; the map goes on top.

    Args:
        tiles: (row, column) each, all of one size.
        labels: One for each.
        across: Maps in a row; as `tiles_across` says if left out.
        dark: Whether the figure is for the dark theme.
    """
    look, side = surface(dark), len(tiles[0])
    across = across or tiles_across(len(tiles))
    pitch_x, pitch_y = _pitch(side)
    down = -(-len(tiles) // across)
    axis: dict[str, Any] = {"showgrid": False, "showticklabels": False, "ticks": ""}
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": min(round(_WIDTH * down * pitch_y / (across * pitch_x)), _HIGHEST) + _BELOW,
            "showlegend": False,
            "xaxis": axis
            | {"title": {"text": "key →"}, "range": [-1, across * pitch_x], "constrain": "domain"},
            "yaxis": axis
            | {
                "title": {"text": "← query"},
                "range": [down * pitch_y, -1],
                "scaleanchor": "x",
                "constrain": "domain",
            },
        }
    )
    for index, label in enumerate(labels):
        row, column = divmod(index, across)
        left, top = column * pitch_x - 0.5, row * pitch_y + pitch_y - side - 0.5
        figure.add_shape(
            type="rect", x0=left, x1=left + side, y0=top, y1=top + side, line_width=0,
            fillcolor=look.grid, layer="below",
        )  # fmt: skip
        figure.add_annotation(
            x=left, y=top, text=label, xanchor="left", yanchor="bottom", showarrow=False,
            font={"size": 11, "color": look.text}, borderpad=0,
        )  # fmt: skip
    return figure
