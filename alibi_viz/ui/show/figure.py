"""Shows a plotly figure with what belongs to it: alternative text, its numbers, files of it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from alibi_viz.charts.base import Chart, Look
from alibi_viz.ui.frame.header import is_dark
from alibi_viz.ui.frame.present import figure_height, presented_frame
from alibi_viz.ui.frame.presentation import (
    controls_are_chosen,
    figure_scale,
    is_alone,
    is_large,
    is_presenting,
    takes_the_screen,
)
from alibi_viz.ui.show.drawn import drawn
from alibi_viz.ui.show.take_away import take_away

# The camera saves what is on the screen; the menu below saves a figure with title and state.
_CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "toImage"],
}

# In large type a figure grows with its type, and yet has to stand below its controls on a
# projector's 720 pixels.
LARGE_HEIGHT = 430


def look() -> Look:
    """Returns how this visitor's figures are to look."""
    tallest = LARGE_HEIGHT if is_large() and not is_presenting() else None
    return Look(dark=is_dark(), type_scale=figure_scale(), tallest=tallest)


def show_chart(chart: Chart, *, with_table: bool = False) -> None:
    """Shows a chart and a menu to take it away.

    Args:
        chart: What to show; its name is the key of its element.
        with_table: Whether its numbers stand folded away below it.
    """
    is_presented = takes_the_screen(chart.name)
    if is_alone() and not is_presented:
        return
    drawing = drawn(chart, look(), figure_height() if is_presented else None)
    with presented_frame(chart.title, chart.sentence()) if is_presented else nullcontext():
        # On a projector the tools would cover labels, and nobody reaches them.
        config = _CONFIG | ({"displayModeBar": False} if is_presenting() else {})
        st.plotly_chart(drawing.figure, key=chart.name, theme=None, alt=drawing.alt, config=config)
    if is_presenting():
        return
    take_away(chart)
    if with_table:
        folded_table("The numbers", chart.table, key=chart.name)


@contextmanager
def shown_canvas(name: str, chart: Chart) -> Iterator[bool]:
    """Gives whether to show a canvas within; presented, with the words of the chart that it draws.

    Args:
        name: The canvas's, to present it by.
        chart: Has the title and the sentence.
    """
    is_presented = takes_the_screen(name)
    with presented_frame(chart.title, chart.sentence()) if is_presented else nullcontext():
        yield is_presented or not is_alone()


def take_charts_away(charts: Mapping[str, Chart]) -> None:
    """Shows a menu for each of the charts that a canvas draws in its own way.

    Args:
        charts: The charts, by what stands on the menu.
    """
    if controls_are_chosen() or is_presenting():
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.caption("Take away:", width="content")
        for label, chart in charts.items():
            take_away(chart, label)


def folded_table(
    label: str,
    make: Callable[[], pd.DataFrame],
    *,
    key: str,
    equation: str | None = None,
    note: str | None = None,
    columns: dict[str, Any] | None = None,
) -> None:
    """Shows a table that is made only where a visitor has opened it.

    Args:
        label: What the closed line says.
        make: Makes the table.
        key: Name of the table on its page, and of the file saved from it.
        equation: LaTeX that stands above the table, without delimiters.
        note: Markdown that stands above the table.
        columns: As for `show_table`.
    """
    if is_presenting():
        return
    with st.expander(label, key=f"{key}_open", on_change="rerun") as folded:
        if folded.open:
            if equation:
                st.latex(equation)
            if note:
                st.caption(note)
            show_table(make(), key=key, columns=columns)


def show_table(
    table: pd.DataFrame | pa.Table, *, key: str, columns: dict[str, Any] | None = None
) -> None:
    """Shows a table and a button that saves it.

    Args:
        table: The numbers, perhaps a `drawn.ready_table`; column names carry the units.
        key: Name of the table on its page, and of the file saved from it.
        columns: How the page shows columns (`st.column_config`); the file keeps every digit.
    """
    if is_presenting():
        return
    st.dataframe(table, hide_index=True, key=f"{key}_table", column_config=columns, placeholder="–")
    st.download_button(
        "Save as CSV",
        lambda: _csv(table),
        file_name=f"alibi-viz-{key}.csv",
        mime="text/csv",
        key=f"{key}_csv",
        on_click="ignore",
    )


def _csv(table: pd.DataFrame | pa.Table) -> bytes:
    frame: pd.DataFrame = table.to_pandas() if isinstance(table, pa.Table) else table
    return frame.to_csv(index=False).encode()
