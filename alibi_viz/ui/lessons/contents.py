"""The list of lessons, with what is done of each."""

from collections.abc import Collection

import streamlit as st

from alibi_viz.lessons.course import lessons
from alibi_viz.lessons.lesson import Lesson
from alibi_viz.lessons.progress import Item, all_items, to_text
from alibi_viz.ui.lessons import place as lesson_place
from alibi_viz.ui.lessons.controls import DONE, PLAN
from alibi_viz.ui.lessons.link_builder import class_link
from alibi_viz.ui.link.class_address import this_address
from alibi_viz.ui.link.copy_link import copy_link
from alibi_viz.ui.link.settle import choose


def show_list() -> None:
    """Shows all lessons, the progress of the whole course, and where to go on."""
    done = lesson_place.done_items()
    plan = lesson_place.current_plan()
    course = plan.lessons if plan else lessons()
    items = all_items(course)
    minutes = plan.minutes if plan else sum(lesson.minutes for lesson in course)
    finished = len(set(items) & done)
    left = [lesson for lesson in course if _open_items(lesson, done)]
    st.markdown(
        f"{len(course)} lessons, about {minutes} minutes in all. Each has a view to look at, "
        "questions to answer before anything is given away, and something to do. Your progress is "
        "in the address of this page: keep the address, and you keep your place."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(
            finished / len(items), text=f"{finished} of {len(items)} questions and tasks done"
        )
        if left:
            st.button(
                "Start" if not done else f"Go on: {left[0].title}",
                key="lesson_go_on",
                on_click=lesson_place.go,
                args=(left[0].slug, _first_open(left[0], done)),
            )
        if done:
            st.button(
                "Start over", key="lesson_reset", type="tertiary", on_click=lesson_place.start_over
            )
            copy_link(
                class_link(this_address(), "lessons", {DONE.key: to_text(done, lessons())}),
                key="copy_progress",
                label="copy link with my progress",
            )
        if plan:
            st.button(
                "Show all lessons",
                key="lesson_all_of_them",
                type="tertiary",
                on_click=choose,
                args=(PLAN.key, ""),
            )
    with st.container(gap="small"):
        for lesson in course:
            _row(lesson, done)


def _row(lesson: Lesson, done: Collection[Item]) -> None:
    n_open = len(_open_items(lesson, done))
    finished = len(lesson.items) - n_open
    with st.container(border=True, key=f"lesson_row_{lesson.slug}"):
        name, state, button = st.columns([8, 3, 2], vertical_alignment="center", gap="small")
        name.markdown(f"**{lesson.title}**  \n:small[{lesson.goal}]")
        ticked = ":material/check: all done" if not n_open else f"{finished} of {len(lesson.items)}"
        state.caption(f"{lesson.minutes} minutes  ·  {ticked}")
        button.button(
            "Open" if not finished else "Go on" if n_open else "Again",
            key=f"lesson_open_{lesson.slug}",
            help=lesson.title,
            width="stretch",
            on_click=lesson_place.go,
            args=(lesson.slug, _first_open(lesson, done) if finished else "look"),
        )


def _open_items(lesson: Lesson, done: Collection[Item]) -> list[str]:
    return [item for item in lesson.items if (lesson.slug, item) not in done]


def _first_open(lesson: Lesson, done: Collection[Item]) -> str:
    """Returns the step to go on with: the beginning of a lesson that is untouched or finished."""
    left = _open_items(lesson, done)
    return left[0] if 0 < len(left) < len(lesson.items) else "look"
