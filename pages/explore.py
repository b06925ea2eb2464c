"""What does each head's bias look like, and what do heads, exponent and length do to it?"""

import streamlit as st

from alibi_viz.ui.canvas.live import live_view
from alibi_viz.ui.explore import words as text
from alibi_viz.ui.explore.live_files import take_live_view_away
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.link.controls import alibi_controls
from alibi_viz.ui.link.numbers import choose, linked_cell, linked_head
from alibi_viz.ui.recipes.explore import state_code
from alibi_viz.ui.show.figure import folded_table

header = st.container()
settings, look = alibi_controls(
    text.COLOUR,
    text.SCALE,
    widths=[2, 2, 2, 2.4, 1.8, 2],
)
with header:
    page_header("explore", text.logit_equation(settings))

head = linked_head(3, settings.heads)
# Query 400 and key 352 of 512 tokens.
query, key = linked_cell("cell", settings.length, at=(400 / 511, 352 / 511))
live_view(
    settings,
    head=head,
    cell=(query, key),
    colour=look["colour"],
    scale=look["scale"],
    on_head=lambda chosen: choose("head", (chosen,)),
    on_cell=lambda chosen: choose("cell", chosen),
)
look_for(text.what_to_look_for(settings))
if effect := text.rule_effect(settings):
    st.caption(effect)
take_live_view_away(settings, head=head, cell=(query, key), **look)

folded_table("Slopes: all heads as a table", lambda: text.slopes_table(settings), key="slopes")
folded_table(
    f"Head {head}, query {query} as a table",
    lambda: text.row_table(settings, head, query),
    key="row",
    equation=text.slope_equation(settings, head),
)
with st.expander("Python for this state"):
    st.code(state_code(settings, head, query, key), language="python")
