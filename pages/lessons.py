"""Lead me through it, and ask me before you show me."""

import streamlit as st

from alibi_viz.ui import teacher
from alibi_viz.ui.controls import bound_control
from alibi_viz.ui.frame import page_header
from alibi_viz.ui.lesson_list import show_list
from alibi_viz.ui.lesson_place import current_place
from alibi_viz.ui.lesson_steps import show_lesson

page_header("lessons")
place = current_place()
if place is not None:
    show_lesson(place)
else:
    part = bound_control(teacher.PART, st.container())
    {
        "lessons": show_list,
        "links": teacher.show_links,
        "sheets": teacher.show_sheets,
        "notes": teacher.show_notes_page,
    }[part]()
