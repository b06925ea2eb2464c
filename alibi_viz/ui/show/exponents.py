"""What an exponent means for a trained model, beside the figures of slopes and whole."""

import streamlit as st

from alibi_viz.charts.measured.exponent import ExponentChart
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.frame.presentation import is_presenting
from alibi_viz.ui.show.figure import show_chart

TITLE = "What the exponent means for a trained model"


def show_exponents(chart: ExponentChart) -> None:
    """Shows perplexity against exponent; nothing until models of two exponents are measured."""
    if len(chart.exponents) < 2:
        return
    st.subheader(TITLE, anchor=False)
    show_chart(chart, with_table=True)
    look_for(chart.sentence())


def show_present_exponent(exponent: float) -> None:
    """Shows the same small, the exponent under the finger marked, once a visitor opens it."""
    chart = ExponentChart(present=exponent, is_small=True)
    if is_presenting() or len(chart.exponents) < 2:
        return
    # Closed at first: plotly's script weighs more than the rest of the page.
    with st.expander(TITLE, key="trained_exponent_open", on_change="rerun") as folded:
        if folded.open:
            show_chart(chart, with_table=True)
            look_for(chart.sentence())
