"""What an exponent means for a trained model, beside the figures of slopes and whole."""

import streamlit as st

from alibi_viz.charts.measured.exponent import ExponentChart
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.show.figure import show_chart


def show_exponents(chart: ExponentChart) -> None:
    """Shows perplexity against exponent; nothing until models of two exponents are measured."""
    if len(chart.exponents) < 2:
        return
    st.subheader("What the exponent means for a trained model", anchor=False)
    show_chart(chart, with_table=True)
    look_for(chart.sentence())


def show_present_exponent(exponent: float) -> None:
    """Shows the same small, with the exponent under the finger marked."""
    show_exponents(ExponentChart(present=exponent, is_small=True))
