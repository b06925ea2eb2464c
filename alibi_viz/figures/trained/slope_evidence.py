"""The evidence of a probe: slope by head, promised against read, in a short and in a long text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures import theme
from alibi_viz.figures.distance import slope_text
from alibi_viz.maths.arrays import Floats

HEIGHT = 250
SYMBOLS = ("circle", "diamond-open")
# Without any slope to go by.
USUAL_RANGE = (-8, -1)
MOST_TICKS = 12


@dataclass(frozen=True)
class SlopeLine:
    """Slopes of all heads in one reading."""

    name: str
    low: Floats
    """(head,) smallest over the layers, in nats per token."""
    high: Floats
    """(head,) largest over the layers."""


def slope_evidence_figure(
    promised: Floats | None, lines: Sequence[SlopeLine], *, dark: bool = False
) -> go.Figure:
    """Returns slopes by head on a base-2 axis; those that are 0 lie below it, reversed ones point.

    Args:
        promised: (head,) slopes that should act, None where none are promised.
        lines: What was read, one or two readings.
        dark: Whether the figure is for the dark theme.

    Returns:
        Heads across, log2 of the size of the slope up; a bar where layers differ.
    """
    look = theme.surface(dark)
    every = [*(line.low for line in lines), *(line.high for line in lines)]
    bottom, top = _range([*every, *([] if promised is None else [promised])])
    figure = go.Figure(layout={"template": theme.template(dark), "height": HEIGHT})
    n_head = len(lines[0].low)
    heads = np.arange(1, n_head + 1)
    if promised is not None:
        bar = {"symbol": "line-ew", "size": 20, "line": {"width": 3, "color": look.muted}}
        figure.add_scatter(
            x=heads, y=_place(promised, bottom), mode="markers", name="promised", marker=bar,
            customdata=[slope_text(slope) for slope in promised],
            hovertemplate="head %{x}: promised %{customdata}<extra></extra>",
        )  # fmt: skip
    colours = (look.accent, theme.read_by_colour(dark))
    for line, symbol, colour in zip(lines, SYMBOLS, colours, strict=False):
        figure.add_trace(_dots(heads, line, symbol, colour, bottom))
    ticks = list(range(top, bottom, -1 if top - bottom <= MOST_TICKS else -4))
    figure.update_xaxes(title_text="head", range=[0.4, n_head + 0.6], showgrid=False,
                        dtick=1 if n_head <= 16 else None)  # fmt: skip
    figure.update_yaxes(
        title_text="slope, nats per token",
        range=[bottom - 0.6, top + 0.6],
        tickvals=[*ticks, bottom],
        ticktext=[*(slope_text(2.0**tick) for tick in ticks), "0"],
    )
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    figure.update_layout(showlegend=True, legend=legend, margin={"t": 36, "b": 46, "l": 64, "r": 8})
    return figure


def _dots(heads: Any, line: SlopeLine, symbol: str, colour: str, bottom: int) -> go.Scatter:
    places, low = _place(line.high, bottom), _place(line.low, bottom)
    symbols = ["triangle-down" if slope < 0 else symbol for slope in line.low]
    return go.Scatter(
        x=heads,
        y=places,
        mode="markers",
        name=line.name,
        marker={"symbol": symbols, "size": 9, "color": colour, "line": {"width": 1.5}},
        error_y={
            "type": "data", "symmetric": False, "array": np.zeros(len(low)),
            "arrayminus": np.maximum(places - low, 0), "color": colour, "width": 4,
        },
        customdata=[
            slope_text(high) if np.isclose(high, low, rtol=1e-3) else f"{low:.3g} to {high:.3g}"
            for low, high in zip(line.low, line.high, strict=True)
        ],
        hovertemplate=f"head %{{x}}, {line.name}: %{{customdata}}<extra></extra>",
    )  # fmt: skip


def _range(values: Sequence[Floats]) -> tuple[int, int]:
    """Returns the power of two below the smallest slope, where 0 lies, and that of the largest."""
    sizes = np.abs(np.concatenate(values))
    # Rounding leaves some of a slope of 0.
    sizes = sizes[sizes > 1e-7]
    if not len(sizes):
        return USUAL_RANGE
    return int(np.floor(np.log2(sizes.min()))) - 1, int(np.ceil(np.log2(sizes.max())))


def _place(slopes: Floats, bottom: int) -> Floats:
    """Returns where slopes lie on the axis: log2 of their size, or the bottom for 0."""
    return np.log2(np.maximum(np.abs(slopes), 2.0**bottom))
