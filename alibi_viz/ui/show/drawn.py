"""Charts and tables as browsers get them, made once for all visitors.

Charts are values: the chart, its look, and what it is drawn from besides its fields decide the
figure. Kept is JSON, which nobody can change; drawing a figure costs a hundred times as much as
sending one.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import Lock
from typing import Any

import orjson
import pandas as pd
import pyarrow as pa
from plotly.basedatatypes import BaseFigure

from alibi_viz.charts.base import Chart, Look

KEPT = 192
"""Figures of some 40 kB each."""


class ReadyFigure(BaseFigure):  # type: ignore[misc]
    """A figure that has been drawn and checked before, for whoever wants its specification."""

    def __init__(self, spec: bytes) -> None:
        """Takes the specification; plotly's own start would check and copy all of it again."""
        self._spec = spec

    def to_dict(self) -> dict[str, Any]:
        """Returns the specification, a new one each time."""
        spec: dict[str, Any] = orjson.loads(self._spec)
        return spec


class Drawing:
    """A chart in one look, drawn when it is first asked for; whoever asks meanwhile waits."""

    def __init__(self, chart: Chart, look: Look, height: int | None) -> None:
        """Says what is to be drawn.

        Args:
            chart: What is drawn.
            look: Theme and size of type.
            height: Pixels; the chart's own if None.
        """
        self._asked = (chart, look, height)
        self._lock = Lock()
        self._made: tuple[bytes, str] | None = None

    @property
    def figure(self) -> ReadyFigure:
        """The figure."""
        return ReadyFigure(self._make()[0])

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        return self._make()[1]

    def _make(self) -> tuple[bytes, str]:
        with self._lock:
            if self._made is None:
                chart, look, height = self._asked
                figure = chart.figure(look)
                if height is not None:
                    figure.update_layout(height=height)
                self._made = figure.to_json(validate=False).encode(), chart.alt()
            return self._made


def drawn(chart: Chart, look: Look, height: int | None = None) -> Drawing:
    """Returns a chart as browsers get it.

    Args:
        chart: What is drawn.
        look: Theme and size of type.
        height: Pixels; the chart's own if None.
    """
    source = chart.drawn_from()
    if source is None:
        return Drawing(chart, look, height)
    return _kept(chart, look, height, source)


@lru_cache(maxsize=KEPT)
def _kept(chart: Chart, look: Look, height: int | None, source: Hashable) -> Drawing:
    return Drawing(chart, look, height)


@lru_cache(maxsize=KEPT)
def ready_table(make: Callable[..., pd.DataFrame], *of: Hashable) -> pa.Table:
    """Returns a table as browsers get it; nobody can change it.

    Args:
        make: A function of a module that makes the table from `of` alone.
        of: What it is made from.
    """
    return pa.Table.from_pandas(make(*of))
