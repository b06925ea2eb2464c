"""What is this, and where do I begin?"""

import streamlit as st

from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.home import doors
from alibi_viz.ui.home.ending import FIRST_PLACE, show_ending
from alibi_viz.ui.home.typed import chosen_ending
from alibi_viz.ui.link.numbers import choose, linked_numbers, within

page_header("home")
st.markdown(doors.OPENING)


@st.fragment
def picture() -> None:
    """The picture that moves, and the field for an ending of one's own."""
    frame = st.container()
    ending = chosen_ending()
    (place,) = linked_numbers(
        "read",
        default=(FIRST_PLACE + 1,),
        nearest=lambda asked: (within(asked[0], len(ending.lengths)),),
        allowed=f"1 to {len(ending.lengths)}",
    )
    with frame:
        show_ending(ending, place - 1, on_place=lambda at: choose("read", (at + 1,)))


picture()
doors.show()
