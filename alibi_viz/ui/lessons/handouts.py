"""Files to print: sheets for students with figure and address, and the answers for the teacher."""

import html
from functools import partial

import streamlit as st
from plotly.offline import get_plotlyjs

from alibi_viz.lessons.course import find_lesson
from alibi_viz.lessons.lesson import Lesson
from alibi_viz.lessons.markup import inline
from alibi_viz.lessons.sheet import Handout, answers, sheets
from alibi_viz.ui.lessons.controls import LESSON
from alibi_viz.ui.lessons.link_builder import class_link
from alibi_viz.ui.lessons.views import prepared_chart
from alibi_viz.ui.link.class_address import qr_code


def show_files(slugs: tuple[str, ...], base: str) -> None:
    """Shows two buttons: one saves the students' sheets of some lessons, one their answers.

    Args:
        slugs: The lessons, in order.
        base: Address of the app, as the class reaches it.
    """
    name = slugs[0] if len(slugs) == 1 else "lessons"
    for what, make in (
        ("sheets", partial(student_sheets, slugs, base)),
        ("answers", partial(_answers, slugs)),
    ):
        one = "sheet" if what == "sheets" else what
        st.download_button(
            one.capitalize() if len(slugs) == 1 else f"All {what}",
            # Made at the click: figures and answers are worked out then.
            make,
            file_name=f"alibi-viz-{what if len(slugs) > 1 else one}-{name}.html",
            mime="text/html",
            key=f"{what}_{name}",
            icon=":material/print:",
            on_click="ignore",
        )


@st.cache_data(max_entries=8, show_spinner=False)
def student_sheets(slugs: tuple[str, ...], base: str) -> str:
    """Returns the sheets of some lessons as one file, with their figures and addresses.

    Args:
        slugs: The lessons, in order.
        base: Address of the app, as the class reaches it.
    """
    chosen = [find_lesson(slug) for slug in slugs]
    handouts = [_handout(lesson, base) for lesson in chosen]
    is_drawn = any(handout.figure for handout in handouts)
    return sheets(chosen, handouts, f"<script>{get_plotlyjs()}</script>" if is_drawn else "")


def _handout(lesson: Lesson, base: str) -> Handout:
    link = class_link(base, "lessons", {LESSON.key: lesson.slug})
    return Handout(link, qr_code(link), _figure(lesson))


def _figure(lesson: Lesson) -> str:
    """Returns the lesson's prepared view, drawn when the file is opened, and what to look for."""
    chart = prepared_chart(lesson)
    if chart is None:
        return ""
    figure = chart.figure()
    figure.update_layout(font_family="Helvetica, Arial, Liberation Sans, sans-serif")
    drawn: str = figure.to_html(
        full_html=False,
        include_plotlyjs=False,
        config={"staticPlot": True, "responsive": True},
        div_id=f"figure-{lesson.slug}",
        default_width="100%",
        default_height="330px",
    )
    seen = f'<div role="img" aria-label="{html.escape(chart.alt())}">{drawn}</div>'
    return f"{seen}<figcaption>{inline(lesson.look)}</figcaption>"


def _answers(slugs: tuple[str, ...]) -> str:
    return answers([find_lesson(slug) for slug in slugs])
