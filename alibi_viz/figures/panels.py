"""Small matrices side by side, with every number written in its cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.colors import sample_colorscale

from alibi_viz.figures.theme import (
    difference_stops,
    ink_on,
    map_stops,
    surface,
    template,
)
from alibi_viz.maths.arrays import Floats

ROW_HEIGHT = 250
# Space between panels, as shares of the figure.
_GAP_ACROSS, _GAP_DOWN = 0.09, 0.15


@dataclass(frozen=True)
class Panel:
    """One small matrix."""

    title: str
    """What it shows, with its unit."""
    values: Floats
    """(row, column) numbers; NaN where masked."""
    rows: Sequence[str]
    """Names of the rows, first row on top; may repeat."""
    columns: Sequence[str]
    """Names of the columns; may repeat."""
    ends: tuple[float, float] | None = None
    """Lowest and highest value of the colours; those of the values if left out."""
    is_difference: bool = False
    """Whether 0 means no change, and signs differ: drawn in the colours of differences."""


def panels_figure(panels: Sequence[Panel], *, across: int = 2, dark: bool = False) -> go.Figure:
    """Returns the panels in rows, each with its numbers in its cells.

    Args:
        panels: At least one.
        across: Panels in a row.
        dark: Whether the figure is for the dark theme.
    """
    across = min(across, len(panels))
    down = -(-len(panels) // across)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": ROW_HEIGHT * down + 30,
            "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
            "showlegend": False,
        }
    )
    for index, panel in enumerate(panels):
        row, column = divmod(index, across)
        name = "" if index == 0 else str(index + 1)
        domains = (
            _domain(column, across, _GAP_ACROSS),
            _domain(down - 1 - row, down, _GAP_DOWN),
        )
        figure.update_layout(_axes(panel, name, domains))
        figure.add_trace(_heatmap(panel, name, dark))
        figure.add_trace(_numbers(panel, name, dark))
        _hatch_masked(figure, panel, name, dark)
        figure.add_annotation(
            text=panel.title,
            x=domains[0][0],
            y=domains[1][1],
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="bottom",
            yshift=3,
            showarrow=False,
            font={"size": 13, "color": surface(dark).text},
        )
    return figure


def hatch(
    x: Sequence[float], y: Sequence[float], *, axes: str = "", dark: bool = False
) -> go.Scatter:
    """Returns a quiet hatch over an outline: masked, no value.

    Args:
        x: Corners of the outline, in order.
        y: The same, along the other axis.
        axes: Number of the axes to draw on, "" for the first.
        dark: Whether the figure is for the dark theme.
    """
    look = surface(dark)
    return go.Scatter(
        x=x,
        y=y,
        xaxis=f"x{axes}",
        yaxis=f"y{axes}",
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=look.panel,
        fillpattern={"shape": "/", "fgcolor": look.grid, "bgcolor": look.panel, "size": 7},
        hoverinfo="skip",
        showlegend=False,
        name="masked",
    )


def number_text(values: Floats) -> NDArray[np.str_]:
    """Returns numbers as short as they can be read: two decimals, three where all are small.

    >>> number_text(np.array([[1.0, -0.254]])).tolist()
    [['1.00', '−0.25']]
    """
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0
    digits = 3 if 0 < largest < 0.3 else 2
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    flat = [
        "" if np.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
        for value in values.ravel().tolist()
    ]
    return np.array(flat).reshape(values.shape)


def _domain(place: int, count: int, gap: float) -> list[float]:
    size = (1 - gap * (count - 1)) / count
    start = place * (size + gap)
    return [start, min(start + size, 1.0)]


def _axes(panel: Panel, name: str, domains: tuple[list[float], list[float]]) -> dict[str, Any]:
    """Returns both axes of a panel: places are numbers, names are ticks, since names repeat."""
    shared = {"showgrid": False, "ticks": "", "showline": False, "fixedrange": True}
    rows, columns = panel.values.shape
    return {
        f"xaxis{name}": shared
        | {
            "domain": domains[0],
            "anchor": f"y{name}",
            "range": [-0.5, columns - 0.5],
            "tickvals": list(range(columns)),
            "ticktext": list(panel.columns),
            "tickangle": 0,
            "tickfont": {"size": 11},
        },
        f"yaxis{name}": shared
        | {
            "domain": domains[1],
            "anchor": f"x{name}",
            "range": [rows - 0.5, -0.5],
            "tickvals": list(range(rows)),
            "ticktext": list(panel.rows),
            "tickfont": {"size": 11},
            "ticklabelstandoff": 5,
        },
    }


def _heatmap(panel: Panel, name: str, dark: bool) -> go.Heatmap:
    low, high = _ends(panel)
    return go.Heatmap(
        z=panel.values,
        zmin=low,
        zmax=high,
        colorscale=_colours(panel, dark),
        showscale=False,
        xaxis=f"x{name}",
        yaxis=f"y{name}",
        xgap=1,
        ygap=1,
        hoverongaps=False,
        customdata=np.array([[f"{r}, {c}" for c in panel.columns] for r in panel.rows]),
        hovertemplate="%{customdata}: %{z:.4f}<extra></extra>",
        name=panel.title,
    )


def _numbers(panel: Panel, name: str, dark: bool) -> go.Scatter:
    """Returns the numbers of all visible cells, each in the ink that reads on its cell."""
    row, column = np.nonzero(np.isfinite(panel.values))
    low, high = _ends(panel)
    places = ((panel.values[row, column] - low) / (high - low)).clip(0, 1)
    cells = sample_colorscale(_colours(panel, dark), places.tolist())
    return go.Scatter(
        x=column,
        y=row,
        text=number_text(panel.values)[row, column],
        mode="text",
        textfont={"size": 10, "color": [ink_on(cell) for cell in cells]},
        xaxis=f"x{name}",
        yaxis=f"y{name}",
        hoverinfo="skip",
        name="numbers",
    )


def _ends(panel: Panel) -> tuple[float, float]:
    """Returns lowest and highest value of the colours; a single value gets the brightest one."""
    low, high = panel.ends or (float(np.nanmin(panel.values)), float(np.nanmax(panel.values)))
    return (low, high) if low < high else (low - 1.0, high)


def _colours(panel: Panel, dark: bool) -> list[str]:
    return list(difference_stops(dark) if panel.is_difference else map_stops())


def _hatch_masked(figure: go.Figure, panel: Panel, name: str, dark: bool) -> None:
    """Hatches the cells that are masked, which lie side by side in every row."""
    for row, cells in enumerate(np.isnan(panel.values)):
        if cells.any():
            first = int(cells.argmax()) - 0.5
            last = first + int(cells.sum())
            corners = ([first, last, last, first], [row - 0.5, row - 0.5, row + 0.5, row + 0.5])
            figure.add_trace(hatch(*corners, axes=name, dark=dark))
