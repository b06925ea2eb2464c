"""The numbers that a figure draws, as one table."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go


def drawn_numbers(figure: go.Figure) -> pd.DataFrame:
    """Returns every number of a figure, one row a point or a cell.

    Columns are called as the axes are, with their units. A figure of several panels has the
    titles of its axes in columns of their own. Hatches and written words are left out.

    Args:
        figure: Lines, dots, bars and maps.
    """
    traces = [trace for trace in figure.data if not _is_decoration(trace)]
    tables = [_table(figure, trace, number) for number, trace in enumerate(traces)]
    if not tables:
        return pd.DataFrame()
    axes = {tuple(table.columns[1:]) for table in tables}
    if len(axes) > 1:
        tables = [_with_axes_as_cells(table) for table in tables]
    return pd.concat(tables, ignore_index=True)


def _is_decoration(trace: Any) -> bool:
    return getattr(trace, "mode", None) == "text" or trace.name == "masked"


def _table(figure: go.Figure, trace: Any, number: int) -> pd.DataFrame:
    across = _title(figure, "xaxis", trace.xaxis)
    up = _title(figure, "yaxis", trace.yaxis)
    if across == up:
        across, up = f"{across} (across)", f"{up} (up)"
    name = trace.name or f"{trace.type} {number + 1}"
    if trace.type == "heatmap":
        return _map_table(trace, name, across, up)
    x, y = np.asarray(trace.x), np.asarray(trace.y)
    table = pd.DataFrame({"curve": name, across: x, up: y})
    if trace.type == "bar" and trace.base is not None:
        table.insert(1, "from", np.asarray(trace.base))
    return table.dropna(ignore_index=True)


def _map_table(trace: Any, name: str, across: str, up: str) -> pd.DataFrame:
    z = np.asarray(trace.z, dtype=float)
    rows = np.arange(z.shape[0]) if trace.y is None else np.asarray(trace.y)
    columns = np.arange(z.shape[1]) if trace.x is None else np.asarray(trace.x)
    down, right = np.meshgrid(rows, columns, indexing="ij")
    value = (trace.colorbar.title.text or "value") if trace.showscale is not False else "value"
    table = pd.DataFrame({"curve": name, up: down.ravel(), across: right.ravel(), value: z.ravel()})
    return table.dropna(ignore_index=True)


def _with_axes_as_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Returns a table whose columns have the same names in every panel."""
    names = list(table.columns[1:])
    plain = (
        ["x", "y"] if len(names) == 2 else [f"number {place + 1}" for place in range(len(names))]
    )
    renamed = table.rename(columns=dict(zip(names, plain, strict=True)))
    renamed.insert(1, "axes", "; ".join(names))
    return renamed


def _title(figure: go.Figure, kind: str, name: str | None) -> str:
    """Returns the title of the axis that a trace is drawn on, or what stands for one."""
    axis = kind + (name or kind[0])[1:]
    text = figure.layout[axis].title.text
    return str(text) if text else {"xaxis": "x", "yaxis": "y"}[kind]
