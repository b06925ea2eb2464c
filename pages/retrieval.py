"""How far back does a model find something again, and what does looking back cost?

The page has five parts; a control at the top chooses one, and only that one runs:
    recall      needles in filler, found again in windows up to 64 times those of training
    depth       the same by where in the window the needle lies
    middle      the same beside the published curves of Lost in the Middle
    copying     what a text that stood before is worth to the language models
    one needle  the head that finds it, the price of the distance, the content that pays it
"""

import streamlit as st

from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.frame.stage import stage
from alibi_viz.ui.link.settle import ask
from alibi_viz.ui.retrieval import controls, parts

page_header("retrieval", r"\mathrm{price} = m_h \cdot \mathrm{distance}")


@st.fragment
def body() -> None:
    """Controls, figure and sentences of one part: all that a control changes."""
    place = stage()
    row = place.controls.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    (part,) = ask(row, controls.PART)
    with place.figure:
        parts.SHOW[part](row)


body()
