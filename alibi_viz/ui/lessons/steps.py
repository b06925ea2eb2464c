"""One lesson at a time: its steps, and beside or below them its view."""

from collections.abc import Collection
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.lessons.lesson import Lesson, State
from alibi_viz.lessons.progress import Item
from alibi_viz.lessons.questions import (
    ChoiceQuestion,
    NumberQuestion,
    Question,
    SpotQuestion,
    Verdict,
)
from alibi_viz.ui.frame.navigation import address
from alibi_viz.ui.frame.presentation import is_large, is_presenting
from alibi_viz.ui.lessons import place as lesson_place
from alibi_viz.ui.lessons.action import show_action
from alibi_viz.ui.lessons.place import Attempt, Place
from alibi_viz.ui.lessons.to_pages import page_address, page_promise
from alibi_viz.ui.lessons.views import WIDE_VIEWS, show_view

_STEP_BAR = "lesson_step"
_TOP = st.components.v2.component(
    "alibi_lesson_top", js=Path(__file__).with_name("top.js").read_text(encoding="utf-8")
)


def show_lesson(place: Place) -> None:
    """Shows the lesson's step, and keeps the link's progress in step with it."""
    lesson = place.lesson
    bar = st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    )
    text, answer, view = _areas(lesson)
    with view:
        state = show_view(lesson)
    with text:
        _to_the_top(place)
        _title(place)
        if place.step == "look":
            _look(lesson)
        elif place.step == "do":
            show_action(lesson, state)
        elif place.step == "why":
            _why(lesson, state)
        else:
            _ask(place, answer)
    with answer:
        _moves(place)
    done = lesson_place.done_items()
    with bar:
        _bar(place, done)


def _areas(lesson: Lesson) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Returns where the text goes, where the answer and the way on, and where the view."""
    if lesson.view.name in WIDE_VIEWS:
        left, view = st.columns([3, 5], gap="medium")
        return left.container(), left.container(), view
    left, view = st.columns([2, 3], gap="large")
    return left.container(), left.container(), view


def _to_the_top(place: Place) -> None:
    """Scrolls to where a step begins when another one is shown, which Streamlit does not."""
    _TOP(key="lesson_top", data={"step": f"{place.lesson.slug}/{place.step}"}, height=1)


def _title(place: Place) -> None:
    st.header(place.lesson.title, anchor=False)


def _bar(place: Place, done: Collection[Item]) -> None:
    """Shows the way to the list, the time that the lesson takes, and its steps."""
    st.button(
        "All lessons",
        key="lesson_all",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=lesson_place.go,
        args=(None,),
    )
    st.caption(f"about {place.lesson.minutes} minutes", width="content")
    asked = place.step if place.step in place.lesson.items[:-1] else place.lesson.items[0]
    st.link_button(
        "Ask the class",
        address("room", {"ask": f"{place.lesson.slug}/{asked}"}),
        icon=":material/groups:",
        type="tertiary",
        help="For a lecturer: students answer on their phones.",
    )
    _step_bar(place, done)


def _step_bar(place: Place, done: Collection[Item]) -> None:
    lesson = place.lesson
    numbers = {question.key: str(n) for n, question in enumerate(lesson.questions, 1)}

    def name(step: str) -> str:
        text = numbers.get(step, step.capitalize())
        return f"{text} ✓" if (lesson.slug, step) in done else text

    def move() -> None:
        lesson_place.go(lesson.slug, st.session_state[_STEP_BAR])

    # The link decides; the bar only shows it, and asks for another.
    st.session_state[_STEP_BAR] = place.step
    st.segmented_control(
        "steps of this lesson",
        lesson.steps,
        required=True,
        format_func=name,
        key=_STEP_BAR,
        on_change=move,
        label_visibility="collapsed",
        width="content",
        wrap=True,
    )


def _look(lesson: Lesson) -> None:
    st.markdown(f"**Goal.** {lesson.goal}")
    st.markdown(lesson.opening)
    st.markdown(f"**What to look for:** {lesson.look}")


def _why(lesson: Lesson, state: State) -> None:
    st.subheader("Why it is so", anchor=False)
    st.markdown(lesson.explanation)
    with st.container(key="lesson_full_view"):
        st.link_button(
            page_promise(lesson, state),
            page_address(lesson, state),
            icon=":material/open_in_new:",
            type="secondary",
        )


def _ask(place: Place, answer: DeltaGenerator) -> None:
    """Shows a question, a field for the answer, and what there is to say about it."""
    lesson = place.lesson
    question = next(q for q in lesson.questions if q.key == place.step)
    number = lesson.questions.index(question) + 1
    st.subheader(f"Question {number} of {len(lesson.questions)}", anchor=False)
    st.markdown(question.prompt)
    if isinstance(question, SpotQuestion):
        st.code("\n".join(question.lines), language="python", line_numbers=True, wrap_lines=True)
    last = lesson_place.attempt(lesson, question.key)
    with answer:
        with st.form(f"form_{lesson.slug}_{question.key}", border=False):
            _answer_field(lesson, question)
            st.form_submit_button("Check", on_click=_check, args=(lesson, question))
        if last is not None:
            _show_verdict(lesson, question, last)


def _field_key(lesson: Lesson, question: Question) -> str:
    return f"answer_{lesson.slug}_{question.key}"


def _answer_field(lesson: Lesson, question: Question) -> None:
    key = _field_key(lesson, question)
    if isinstance(question, NumberQuestion):
        unit = f", {question.unit}" if question.unit else ""
        st.text_input(
            f"your answer{unit}",
            key=key,
            placeholder="a number: 0.25, 1/4 or 2^-2",
            max_chars=60,
            autocomplete="off",
        )
    elif isinstance(question, ChoiceQuestion):
        texts = [option.text for option in question.options]
        st.radio(
            "your answer", range(len(texts)), index=None, format_func=texts.__getitem__, key=key
        )
    else:
        st.radio(
            "the wrong line",
            range(len(question.lines)),
            index=None,
            format_func=lambda line: str(line + 1),
            key=key,
            horizontal=True,
        )


def _check(lesson: Lesson, question: Question) -> None:
    """Marks what the field holds; a callback of the form."""
    given = st.session_state[_field_key(lesson, question)]
    if given is None or given == "":
        verdict = Verdict(False, "Give an answer first; a guess will do.")
    elif isinstance(question, NumberQuestion):
        verdict = question.check(given)
    else:
        verdict = question.check(int(given))
    lesson_place.remember(lesson, question.key, verdict)


def _reveal(lesson: Lesson, question: Question) -> None:
    """Puts the answer on the table; a callback of a button."""
    verdict = Verdict(False, question.explained())
    lesson_place.remember(lesson, question.key, verdict, is_shown=True)


def _show_verdict(lesson: Lesson, question: Question, last: Attempt) -> None:
    if last.verdict.right:
        st.success(f"**Right.** {last.verdict.feedback}", icon=":material/check:")
    elif last.is_shown:
        st.info(question.in_full())
    else:
        said = "Close." if last.verdict.close else "Not yet."
        st.warning(f"**{said}** {last.verdict.feedback}", icon=":material/undo:")
        st.button(
            "Show the answer",
            key="lesson_reveal",
            type="tertiary",
            on_click=_reveal,
            args=(lesson, question),
        )


def _moves(place: Place) -> None:
    """Shows the way back and the way on; with large type, a presenter's keys press them."""
    lesson = place.lesson
    target: tuple[str | None, str]
    if place.after is not None:
        label, target = _next_label(place), (lesson.slug, place.after)
    elif place.next_lesson is not None:
        label, target = f"Next lesson: {place.next_lesson.title}", (place.next_lesson.slug, "look")
    else:
        label, target = "To the list of lessons", (None, "")
    last = lesson_place.attempt(lesson, place.step)
    # Presented, the keys are heard elsewhere.
    has_keys = is_large() and not is_presenting()
    is_open = place.step in lesson.items[:-1] and not (last and last.is_settled)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Back",
            key="lesson_back",
            type="tertiary",
            disabled=place.before is None,
            on_click=lesson_place.go,
            args=(lesson.slug, place.before or ""),
            shortcut="PageUp" if has_keys else None,
        )
        st.button(
            label,
            key="lesson_next",
            type="secondary" if is_open else "primary",
            on_click=lesson_place.go,
            args=target,
            shortcut="PageDown" if has_keys else None,
        )


def _next_label(place: Place) -> str:
    if place.after == "do":
        return "Next: your turn"
    if place.after == "why":
        return "Next: why it is so"
    number = [question.key for question in place.lesson.questions].index(str(place.after)) + 1
    return f"Next: question {number}"
