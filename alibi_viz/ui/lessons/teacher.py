"""What a teacher takes from the lessons: links to hand out, sheets to print, notes."""

from functools import partial

import streamlit as st

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.sheet import common_errors, notes, sheet
from alibi_viz.ui.frame.navigation import address
from alibi_viz.ui.lessons.controls import LESSON
from alibi_viz.ui.lessons.link_builder import class_link, show_link_builder
from alibi_viz.ui.link.class_address import address_field, is_address, qr_code


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
    """Shows a printable sheet for each lesson."""
    st.markdown(
        "One sheet a lesson: the questions, then, on a page of their own, the answers. Each is a "
        "file that needs no network; open it and print. Its code leads to the lesson."
    )
    base = address_field("sheets_base")
    if not is_address(base):
        st.error("This is no address: it has to begin with http:// or https://.")
        return
    for number, lesson in enumerate(lessons(), 1):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.download_button(
                f"Sheet {number}",
                # Made at the click: a sheet works out all answers of its lesson.
                partial(_sheet, lesson.slug, number, base),
                file_name=f"alibi-viz-lesson-{number:02}-{lesson.slug}.html",
                mime="text/html",
                key=f"sheet_{lesson.slug}",
                icon=":material/print:",
                on_click="ignore",
            )
            st.markdown(f"**{lesson.title}** :small[{len(lesson.questions)} questions]")


@st.cache_data(max_entries=48, show_spinner=False)
def _sheet(slug: str, number: int, base: str) -> str:
    link = class_link(base, "lessons", {LESSON.key: slug})
    return sheet(find_lesson(slug), number, qr_code(link))


def show_notes_page() -> None:
    """Shows the teacher's notes, and saves them as a page to print."""
    course = lessons()
    st.download_button(
        "Notes to print, one page",
        lambda: notes(course),
        file_name="alibi-viz-teachers-notes.html",
        mime="text/html",
        key="teacher_notes",
        icon=":material/print:",
        on_click="ignore",
    )
    for number, lesson in enumerate(course, 1):
        st.markdown(
            f"**{number}. {lesson.title}**, {lesson.minutes} minutes. {lesson.goal}  \n"
            f"*In class:* {lesson.teaching}  \n"
            f"*Common errors:* {'; '.join(common_errors(lesson))}."
        )
