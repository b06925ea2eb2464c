"""Embedding, query/key, logit or nowhere: what does each method change, and what is new to it?

The page has five parts; a control at the top chooses one, and only that one runs:
    pipeline    attention step by step, the place lit where a method acts, in numbers
    compare     two methods in the same three views, and what each costs
    variants    ALiBi for encoders and for longer inputs, and two other shapes of bias
    stretching  rotations and penalties of a trained model that reads longer windows
    precision   what bfloat16 and float16 leave of a bias
"""

import streamlit as st

from alibi_viz.ui.frame.stage import stage
from alibi_viz.ui.link.settle import ask
from alibi_viz.ui.methods import controls, parts

# The title comes first on the page and last in time: its equation is that of what is chosen.
header = st.container()
place = stage()
row = place.controls.container(horizontal=True, vertical_alignment="bottom", gap="medium")
(part,) = ask(row, controls.PART)
with place.figure:
    parts.SHOW[part](row, header)
