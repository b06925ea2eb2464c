"""Lead me through it, and ask me before you show me."""

import streamlit as st

from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.lessons import planner, teacher
from alibi_viz.ui.lessons.contents import show_list
from alibi_viz.ui.lessons.controls import PART
from alibi_viz.ui.lessons.place import current_place, step_from
from alibi_viz.ui.lessons.steps import show_lesson
from alibi_viz.ui.link.settle import bound_control

place = current_place()
page_header("lessons", step=None if place is None else step_from(place))
if place is not None:
    show_lesson(place)
else:
    part = bound_control(PART, st.container())
    {
        "lessons": show_list,
        "plan": planner.show_planner,
        "agenda": planner.show_agenda,
        "links": teacher.show_links,
        "sheets": teacher.show_sheets,
        "notes": teacher.show_notes_page,
    }[part]()
