"""Shows a plotly figure with what belongs to it: alternative text, its numbers, a file of them."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from alibi_viz.figures.enlarge import enlarged
from alibi_viz.ui.presentation import LARGE_SCALE, is_large


def show_figure(
    figure: go.Figure, *, key: str, alt: str, table: pd.DataFrame | None = None
) -> None:
    """Shows a figure and, folded away below it, the numbers it draws.

    Args:
        figure: The figure, in the theme that the visitor sees.
        key: Name of the chart on its page, and of the files saved from it.
        alt: What the figure shows, for who cannot see it.
        table: The numbers, one row a mark or line; left out where the page shows them anyway.
    """
    config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": "svg", "filename": f"alibi-viz-{key}"},
    }
    if is_large():
        figure = enlarged(figure, LARGE_SCALE)
    st.plotly_chart(figure, key=key, theme=None, alt=alt, config=config)
    if table is not None:
        with st.expander("The numbers"):
            show_table(table, key=key)


def show_table(table: pd.DataFrame, *, key: str, columns: dict[str, Any] | None = None) -> None:
    """Shows a table and a button that saves it.

    Args:
        table: The numbers; column names carry the units.
        key: Name of the table on its page, and of the file saved from it.
        columns: How the page shows columns (`st.column_config`); the file keeps every digit.
    """
    st.dataframe(table, hide_index=True, key=f"{key}_table", column_config=columns)
    st.download_button(
        "Save as CSV",
        table.to_csv(index=False).encode(),
        file_name=f"alibi-viz-{key}.csv",
        mime="text/csv",
        key=f"{key}_csv",
        on_click="ignore",
    )
