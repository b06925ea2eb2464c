"""What does each head's bias look like, and what do heads, exponent and length do to it?"""

from dataclasses import asdict

import streamlit as st

from alibi_viz.charts.biases import HeadMapChart, LiveParts
from alibi_viz.ui.canvas.live import live_view
from alibi_viz.ui.explore import words
from alibi_viz.ui.explore.controls import COLOUR, SCALE
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.frame.stage import stage
from alibi_viz.ui.link.heads import alibi_controls, cell_of, linked_cell, linked_head
from alibi_viz.ui.link.settle import ask, choose
from alibi_viz.ui.show.exponents import show_present_exponent
from alibi_viz.ui.show.figure import folded_table, shown_canvas, take_charts_away

header = st.container()
place = stage(SCALE)
with place.controls:
    heads, look = alibi_controls(COLOUR, widths=[2, 2, 2, 3.4, 2])
(scale,) = ask(place.more, SCALE)
with header:
    page_header("explore", words.logit_equation(heads))

head = linked_head(heads.heads)
query, key = linked_cell(cell_of("cell", heads.length))
head_map = HeadMapChart(**asdict(heads), **look, scale=scale, head=head, cell=(query, key))
parts = LiveParts.of(head_map)
with place.figure, shown_canvas("live", parts.overview):
    live_view(
        head_map,
        on_head=lambda chosen: choose("head", (chosen,)),
        on_cell=lambda chosen: choose("cell", chosen),
    )
look_for(parts.overview.sentence())
if effect := parts.ladder.rule_effect():
    st.caption(effect)
take_charts_away(parts.named())
folded_table("Slopes: all heads as a table", parts.ladder.table, key="slopes")
folded_table(
    f"Head {head}, query {query} as a table",
    parts.row.short_table,
    key="row",
    equation=words.slope_equation(heads, head),
)
show_present_exponent(heads.exponent)
with st.expander("Python for this state", key="python_open", on_change="rerun") as folded:
    if folded.open:
        st.code(words.program(head_map), language="python")
