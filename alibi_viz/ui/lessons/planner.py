"""The plan of a class: chosen and ordered, handed out as a link and a sheet, and projected."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.plan import LONGEST, PRESETS, Plan, PlannedLesson, preset
from alibi_viz.lessons.questions import ChoiceQuestion
from alibi_viz.lessons.sheet import plan_sheet
from alibi_viz.ui.frame.navigation import PAGES, address
from alibi_viz.ui.lessons.controls import LESSON, PART, PLAN
from alibi_viz.ui.lessons.handouts import show_files
from alibi_viz.ui.lessons.link_builder import class_link
from alibi_viz.ui.lessons.place import current_plan
from alibi_viz.ui.link.class_address import address_field, class_address, is_address, qr_code
from alibi_viz.ui.link.copy_link import copy_link
from alibi_viz.ui.link.parameters import LARGE
from alibi_viz.ui.link.settle import choose


def show_planner() -> None:
    """Shows the lessons of the plan to choose and order, and what to hand out of it."""
    plan = current_plan() or preset(min(PRESETS))
    st.markdown(
        "Choose the lessons of your class, their order and their minutes. Students who open the "
        "link see these lessons only, in this order."
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        _presets()
        for part in plan.parts:
            _part(plan, part)
        _add(plan)
        st.markdown(_fit(plan))
    with right:
        base = address_field("plan_base")
        if not is_address(base):
            st.error("This is no address: it has to begin with http:// or https://.")
            return
        _hand_out(plan, base)


def _presets() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Begin with a plan for", width="content")
        for minutes in PRESETS:
            st.button(
                f"{minutes} minutes",
                key=f"plan_preset_{minutes}",
                on_click=_keep,
                args=(preset(minutes),),
            )


def _part(plan: Plan, part: PlannedLesson) -> None:
    """Shows one lesson of the plan with its minutes, and buttons to move it and take it out."""
    slug, title = part.lesson.slug, part.lesson.title
    key = f"plan_minutes_{slug}"
    st.session_state[key] = part.minutes

    def timed() -> None:
        _keep(plan.with_lesson(slug, int(st.session_state[key])))

    with st.container(horizontal=True, vertical_alignment="center", key=f"plan_row_{slug}"):
        st.number_input(
            f"minutes for {title}",
            1,
            LONGEST,
            key=key,
            on_change=timed,
            label_visibility="collapsed",
            width=130,
        )
        st.markdown(f"**{title}**", width="stretch")
        for sign, what, changed in (
            ("arrow_upward", "earlier", plan.moved(slug, -1)),
            ("arrow_downward", "later", plan.moved(slug, 1)),
            ("close", "out", plan.without(slug)),
        ):
            st.button(
                f":material/{sign}:",
                key=f"plan_{what}_{slug}",
                help=f"{title}: {what}",
                disabled=changed == plan or not changed.parts,
                type="tertiary",
                on_click=_keep,
                args=(changed,),
            )


def _add(plan: Plan) -> None:
    others = [lesson.slug for lesson in lessons() if lesson not in plan.lessons]
    if not others:
        return

    def add() -> None:
        if slug := st.session_state["plan_add"]:
            _keep(plan.with_lesson(slug))
            st.session_state["plan_add"] = None

    st.selectbox(
        "add a lesson",
        others,
        index=None,
        format_func=lambda slug: f"{find_lesson(slug).title}, {find_lesson(slug).minutes} minutes",
        key="plan_add",
        on_change=add,
    )


def _keep(plan: Plan) -> None:
    """Keeps a plan in the link; a callback."""
    choose(PLAN.key, plan.text)


def _fit(plan: Plan) -> str:
    """Returns how the plan fits the shortest class that holds it."""
    said = f"**{plan.minutes} minutes** of lessons"
    room = next((minutes for minutes in PRESETS if minutes >= plan.minutes), None)
    if room is None:
        return f"{said}: more than a class of {max(PRESETS)} minutes. Spread them over two classes."
    return f"{said}: a class of {room} minutes leaves {room - plan.minutes} for questions."


def _hand_out(plan: Plan, base: str) -> None:
    """Shows the link for the class, the way to the projector's page, and the files to print."""
    link = plan_link(plan, base)
    code = qr_code(link)
    st.image(code, width=220, alt=f"QR code of the link {link}", output_format="PNG")
    st.code(link, language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        copy_link(link, key="copy_plan_link", label="copy link for the class")
        shown = {PART.key: "agenda", PLAN.key: plan.text, LARGE.key: "1"}
        st.link_button(
            "Page for the projector", address("lessons", shown), icon=":material/open_in_new:"
        )
    st.download_button(
        "Plan to print",
        partial(plan_sheet, plan, link, code),
        file_name="alibi-viz-plan.html",
        mime="text/html",
        key="plan_file",
        icon=":material/print:",
        on_click="ignore",
    )
    show_files(tuple(lesson.slug for lesson in plan.lessons), base)


def plan_link(plan: Plan, base: str) -> str:
    """Returns the address under which a class finds its plan.

    Args:
        plan: The plan.
        base: Address of the app, as the class reaches it.
    """
    return class_link(base, "lessons", {PLAN.key: plan.text})


def show_agenda() -> None:
    """Shows the plan for a projector: minutes, lessons, and the code of the class."""
    plan = current_plan() or preset(min(PRESETS))
    link = plan_link(plan, class_address())
    listed, code = st.columns([3, 1], gap="large")
    with listed:
        for start, part in zip(plan.starts, plan.parts, strict=True):
            _line(start, part)
    code.image(qr_code(link), alt=f"QR code of the link {link}", output_format="PNG")
    code.markdown(f":small[{link}]")


def _line(start: int, part: PlannedLesson) -> None:
    lesson = part.lesson
    opened = address("lessons", {LESSON.key: lesson.slug, LARGE.key: "1"})
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(
        f"{start} to {start + part.minutes}  ·  **[{lesson.title}]({opened})**  \n{lesson.goal}",
        width="stretch",
    )
    if "room" in {page.name for page in PAGES}:
        _ask(row, part)


def _ask(row: DeltaGenerator, part: PlannedLesson) -> None:
    """Shows the way to ask the class together: a choice where the lesson has one."""
    questions = part.lesson.questions
    choices = (question.key for question in questions if isinstance(question, ChoiceQuestion))
    asked = next(choices, questions[0].key)
    row.link_button(
        "Ask the class",
        address("room", {"ask": f"{part.lesson.slug}/{asked}"}),
        icon=":material/groups:",
        type="tertiary",
    )
