"""What a teacher takes from the lessons: links to hand out, sheets to print, notes."""

import streamlit as st

from alibi_viz.lessons.course import lessons
from alibi_viz.lessons.sheet import common_errors, notes
from alibi_viz.ui.frame.navigation import address
from alibi_viz.ui.lessons.handouts import show_files
from alibi_viz.ui.lessons.link_builder import show_link_builder
from alibi_viz.ui.link.class_address import address_field, is_address


def show_links() -> None:
    """Shows the link builder."""
    st.markdown(
        "Open any page in a prepared state, with only the controls of the exercise, or a step of a "
        "lesson, with type for a projector. The class scans the code, or you paste the link. With "
        "large type a presenter's keys, Page Up and Page Down, walk through the steps of a lesson."
    )
    st.link_button(
        "Open a room: the class answers on its phones",
        address("room"),
        icon=":material/groups:",
    )
    show_link_builder()


def show_sheets() -> None:
    """Shows a printable sheet for each lesson, its answers, and both for all lessons."""
    st.markdown(
        "Sheets for students have the figure, the questions and the lesson's address; the answers "
        "are files of their own. Each file works without a network: open it and print."
    )
    base = address_field("sheets_base")
    if not is_address(base):
        st.error("This is no address: it has to begin with http:// or https://.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        show_files(tuple(lesson.slug for lesson in lessons()), base)
        st.markdown("**All lessons** in one file")
    for lesson in lessons():
        with st.container(horizontal=True, vertical_alignment="center"):
            show_files((lesson.slug,), base)
            st.markdown(f"**{lesson.title}** :small[{len(lesson.questions)} questions]")


def show_notes_page() -> None:
    """Shows the teacher's notes, and saves them as a page to print."""
    course = lessons()
    st.download_button(
        "Notes to print",
        lambda: notes(course),
        file_name="alibi-viz-teachers-notes.html",
        mime="text/html",
        key="teacher_notes",
        icon=":material/print:",
        on_click="ignore",
    )
    for lesson in course:
        st.markdown(
            f"**{lesson.title}**, {lesson.minutes} minutes. {lesson.goal}  \n"
            f"*In class:* {lesson.teaching}  \n"
            f"*Common errors:* {'; '.join(common_errors(lesson))}."
        )
