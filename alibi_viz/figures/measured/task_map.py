"""Which contenders lead at which task and length: a grid of names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.theme import method_colour, surface, template, with_alpha

ROW_HEIGHT = 96
_NAMED = 3
"""Leaders that a cell has room for."""


@dataclass(frozen=True)
class LedCell:
    """One cell of the grid."""

    task: str
    """What its row is called."""
    length: int
    """Its column, in tokens."""
    leaders: tuple[tuple[str, str], ...]
    """(label, key of the position method) of each leader, the best first."""
    value: str
    """What the first of them reaches, with its unit."""


def task_map_figure(cells: Sequence[LedCell], *, dark: bool = False) -> go.Figure:
    """Returns a grid of names in the methods' colours, tasks down and lengths across.

    Args:
        cells: At least one; a task and length that has none stays empty.
        dark: Whether the figure is for the dark theme.
    """
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    lengths = sorted({cell.length for cell in cells})
    places = [(lengths.index(cell.length), tasks.index(cell.task)) for cell in cells]
    columns, rows = np.array(places).T
    return go.Figure(
        go.Scatter(
            x=columns,
            y=rows,
            mode="markers",
            marker={"size": 36, "opacity": 0},
            customdata=[
                f"{cell.task}, {cell.length:,} tokens<br>first: {cell.value}<br>nobody is ahead of "
                + "<br>".join(["", *(label for label, _ in cell.leaders)])
                for cell in cells
            ],
            hovertemplate="%{customdata}<extra></extra>",
        ),
        layout={
            "template": template(dark),
            "height": ROW_HEIGHT * len(tasks) + 70,
            "showlegend": False,
            "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
            "xaxis": {
                "title": {"text": "window, or from copy to copy, tokens"},
                "tickvals": list(range(len(lengths))),
                "ticktext": [f"{length:,}" for length in lengths],
                "range": [-0.5, len(lengths) - 0.5],
                "showgrid": False,
            },
            "yaxis": {
                "title": {"text": "task"},
                "tickvals": list(range(len(tasks))),
                "ticktext": [task.replace(" in ", "<br>in ") for task in tasks],
                "range": [len(tasks) - 0.5, -0.5],
                "showgrid": False,
            },
            "shapes": [
                _panel(cell, place, dark) for cell, place in zip(cells, places, strict=True)
            ],
            "annotations": [
                _text(cell, place, dark) for cell, place in zip(cells, places, strict=True)
            ],
        },
    )


def _panel(cell: LedCell, place: tuple[int, int], dark: bool) -> dict[str, Any]:
    column, row = place
    return {
        "type": "rect",
        "x0": column - 0.48,
        "x1": column + 0.48,
        "y0": row - 0.47,
        "y1": row + 0.47,
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": _ground(cell, dark),
    }


def _text(cell: LedCell, place: tuple[int, int], dark: bool) -> dict[str, Any]:
    column, row = place
    text = _names(cell, surface(dark).muted, dark)
    return {"x": column, "y": row, "text": text, "showarrow": False, "font": {"size": 12}}


def _ground(cell: LedCell, dark: bool) -> str:
    """Returns the colour of the method that leads alone, or that of a panel."""
    methods = {method for _, method in cell.leaders}
    if len(methods) > 1:
        return surface(dark).panel
    return with_alpha(method_colour(methods.pop(), dark), 0.14)


def _names(cell: LedCell, muted: str, dark: bool) -> str:
    # Where there are many, the best of each method.
    best = {method: (label, method) for label, method in reversed(cell.leaders)}
    by_method = [leader for leader in cell.leaders if leader in best.values()]
    shown = cell.leaders if len(cell.leaders) <= _NAMED + 1 else by_method[:_NAMED]
    lines = [
        f'<span style="color:{method_colour(method, dark)}">{_short(label)}</span>'
        for label, method in shown
    ]
    if rest := len(cell.leaders) - len(shown):
        lines.append(f'<span style="color:{muted}">and {rest} more</span>')
    return "<br>".join([*lines, f'<span style="color:{muted}">{cell.value}</span>'])


def _short(label: str) -> str:
    return label if len(label) <= 18 else f"{label[:17]}…"
