"""Accuracy by the length of the window and by where in it the needle lies, as small maps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.figures.theme import colour_bar, map_colourscale, template
from alibi_viz.maths.arrays import Floats

ROW_HEIGHT, ONE_HEIGHT = 225, 430
_ACROSS, _AT_MOST = 3, 4


@dataclass(frozen=True)
class DepthPanel:
    """One small map."""

    label: str
    """What stands above it."""
    lengths: tuple[int, ...]
    """(length,) tokens in a window, rising."""
    shares: Floats
    """(length, depth) 0 .. 1; depth counts equal parts of the window, nearest first."""


def depth_figure(panels: Sequence[DepthPanel], *, dark: bool = False) -> go.Figure:
    """Returns a small map a panel, the shortest window on top, the nearest needles at the left.

    Args:
        panels: At least one; three or four stand side by side.
        dark: Whether the figure is for the dark theme.
    """
    across = min(len(panels), _ACROSS if len(panels) <= 2 * _ACROSS else _AT_MOST)
    down = math.ceil(len(panels) / across)
    figure = make_subplots(
        down,
        across,
        subplot_titles=[shorten(panel.label, 44, placeholder=" …") for panel in panels],
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.16 / down,
    )
    for index, panel in enumerate(panels):
        row, column = divmod(index, across)
        figure.add_trace(_map(panel), row + 1, column + 1)
        figure.update_yaxes(
            tickvals=list(range(len(panel.lengths))),
            ticktext=[f"{length:,}" for length in panel.lengths],
            row=row + 1,
            col=column + 1,
        )
    figure.update_layout(
        template=template(dark),
        height=max(ONE_HEIGHT, ROW_HEIGHT * down + 60),
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        coloraxis={
            "colorscale": map_colourscale(),
            "cmin": 0,
            "cmax": 100,
            "colorbar": colour_bar("answered rightly, %", dark),
        },
    )
    figure.update_xaxes(showgrid=False, ticks="", dtick=1)
    figure.update_yaxes(showgrid=False, ticks="", autorange="reversed")
    figure.update_xaxes(title_text="needle's eighth of the window", row=down)
    figure.update_yaxes(title_text="window, tokens", col=1)
    figure.update_annotations(font_size=13)
    return figure


def _map(panel: DepthPanel) -> go.Heatmap:
    n_depth = panel.shares.shape[1]
    whole = [
        [f"{length:,} tokens, needle {depth * length // n_depth:,} to "
         f"{(depth + 1) * length // n_depth:,}" for depth in range(n_depth)]
        for length in panel.lengths
    ]  # fmt: skip
    return go.Heatmap(
        x=list(range(1, n_depth + 1)),
        y=list(range(len(panel.lengths))),
        z=100 * panel.shares,
        text=[[f"{100 * share:.0f}" for share in row] for row in panel.shares],
        # As large as cells let it be, and in the colour that reads best on each.
        texttemplate="%{text}",
        customdata=whole,
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        name=panel.label,
        hovertemplate="%{customdata} tokens back: %{z:.1f} %<extra>%{fullData.name}</extra>",
    )
