"""After the softmax, how far does each head see?"""

import streamlit as st

from alibi_viz.ui.decay.controls import CONTROLS, decay_controls, table_columns
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.frame.stage import stage
from alibi_viz.ui.link.heads import alibi_controls
from alibi_viz.ui.link.settle import settle_links
from alibi_viz.ui.show.exponents import show_present_exponent
from alibi_viz.ui.show.figure import folded_table, show_chart

page_header(
    "decay",
    r"\mathrm{weight}(d) = \frac{e^{\,c_d - m_h d}}{\sum_{d'=0}^{i} e^{\,c_{d'} - m_h d'}}",
)


@st.fragment
def body() -> None:
    """Controls, charts, sentence and table: all that a control changes."""
    settle_links(*CONTROLS)
    place = stage(*CONTROLS)
    with place.controls:
        heads, _ = alibi_controls()
    with place.more:
        decay = decay_controls(heads)
    left, right = place.figure.columns([3, 2], gap="medium")
    with left:
        show_chart(decay)
    with right:
        show_chart(decay.windows())
    look_for(decay.sentence())
    folded_table(
        "All heads as a table",
        decay.heads_table,
        key="decay_heads",
        note=decay.table_note(),
        columns=table_columns(),
    )
    show_present_exponent(heads.exponent)


body()
