"""What is this, and where do I begin?"""

import streamlit as st

from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.home import doors
from alibi_viz.ui.home.controls import read_of
from alibi_viz.ui.home.ending import show_ending
from alibi_viz.ui.home.typed import chosen_ending
from alibi_viz.ui.link.settle import choose, linked

page_header("home")
st.markdown(doors.OPENING)


@st.fragment
def picture() -> None:
    """The picture that moves, and the field for an ending of one's own."""
    frame = st.container()
    ending = chosen_ending()
    (place,) = linked(read_of(len(ending.lengths)))
    with frame:
        show_ending(ending, place - 1, on_place=lambda at: choose("read", (at + 1,)))


picture()
doors.show_doors()
