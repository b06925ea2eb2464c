"""Where a student is in the course, and what is done: in the link, and nowhere else.

?lesson= names the lesson, ?step= the step within it, and ?done= holds all progress in a few
characters. A reload, a bookmark or another machine finds everything again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.lesson import Lesson
from alibi_viz.lessons.plan import Plan, plan_of, read_plan
from alibi_viz.lessons.progress import Item, from_text, to_text
from alibi_viz.lessons.questions import Verdict
from alibi_viz.positions import METHODS
from alibi_viz.ui.lessons.controls import DONE, LESSON, PLAN, step_of
from alibi_viz.ui.lessons.perplexity import drawn_methods
from alibi_viz.ui.link.settle import choose, forget, linked

_STEP = "step"


@dataclass(frozen=True)
class Place:
    """One step of one lesson."""

    lesson: Lesson
    step: str

    @property
    def before(self) -> str | None:
        """The step before; None at the first."""
        place = self.lesson.steps.index(self.step)
        return self.lesson.steps[place - 1] if place else None

    @property
    def after(self) -> str | None:
        """The step after; None at the last."""
        place = self.lesson.steps.index(self.step)
        return self.lesson.steps[place + 1] if place + 1 < len(self.lesson.steps) else None

    @property
    def next_lesson(self) -> Lesson | None:
        """The lesson after this one, in the class's plan or in the course; None after the last."""
        plan = current_plan()
        if plan is not None and self.lesson in plan.lessons:
            return plan.after(self.lesson)
        return plan_of(lessons()).after(self.lesson)


@dataclass(frozen=True)
class Attempt:
    """A student's last answer to a question in this visit."""

    verdict: Verdict
    tries: int
    is_shown: bool = False
    """Whether the student asked for the answer."""

    @property
    def is_settled(self) -> bool:
        """Whether the answer is on the table."""
        return self.verdict.right or self.is_shown


def current_place() -> Place | None:
    """Returns where the link says that the student is; None on the list of lessons.

    A link that says nothing leads to where this visit has left the lessons. A lesson or step that
    does not exist leads to the list, or to the lesson's first step, with a note.
    """
    is_back = LESSON.key not in st.query_params
    slug = linked(LESSON)
    if not slug:
        return None
    lesson = find_lesson(slug)
    place = Place(lesson, linked(step_of(lesson)))
    # Other pages may have moved the controls since.
    if is_back or st.session_state.get("_lesson_prepared") != slug:
        _prepare(lesson, keep_link=not is_back)
    return place


def current_plan() -> Plan | None:
    """Returns the plan of the class whose link was opened; None where there is none."""
    plan = read_plan(linked(PLAN))
    return plan if plan.parts else None


def go(slug: str | None, step: str = "look") -> None:
    """Moves to a step, or to the list of lessons; a callback of buttons.

    Args:
        slug: The lesson's name; None for the list.
        step: The step's name.
    """
    choose(LESSON.key, slug or "")
    choose(_STEP, step)
    if slug is None:
        for name in (LESSON.key, _STEP):
            st.query_params.pop(name, None)
    elif LESSON.key in st.query_params and st.session_state.get("_lesson_prepared") != slug:
        _prepare(find_lesson(slug), keep_link=False)


def step_from(place: Place) -> Callable[[int], None]:
    """Returns what goes a step on or back in a lesson; past its ends it stays."""

    def step(by: int) -> None:
        other = place.after if by > 0 else place.before
        if other is not None:
            go(place.lesson.slug, other)

    return step


def _prepare(lesson: Lesson, *, keep_link: bool) -> None:
    """Sets the controls that the lesson shows to its prepared values.

    Args:
        lesson: The lesson.
        keep_link: Whether what the link says about a control stands.
    """
    st.session_state["_lesson_prepared"] = lesson.slug
    if not keep_link:
        # A head or a cell that was chosen in another lesson's figure.
        for name in ("head", "cell", "pair"):
            forget(name)
            st.query_params.pop(name, None)
    for name in lesson.view.controls:
        if not (keep_link and name in st.query_params):
            set_control(lesson, name, lesson.view.state[name])


def set_control(lesson: Lesson, name: str, value: Any) -> None:
    """Sets a control of a lesson's view.

    Args:
        lesson: The lesson.
        name: The control's name in a link.
        value: As the view's state has it.
    """
    # Else the control would carry over what another page was left at.
    forget(name)
    if name == "head":
        choose(name, (value,))
    elif name == "methods":
        drawn = drawn_methods(lesson.view.state)
        st.session_state[name] = [METHODS[key].label for key in value if key in drawn]
    elif name == "position":
        st.session_state[name] = METHODS[value].label
    else:
        st.session_state[name] = value


def done_items() -> frozenset[Item]:
    """Returns what is done, by the link and in this visit, and keeps the link in step."""
    before: frozenset[Item] = st.session_state.get("_lessons_done", frozenset())
    said = linked(DONE)
    done = before | from_text(said, lessons())
    st.session_state["_lessons_done"] = done
    if (text := to_text(done, lessons())) != said:
        choose(DONE.key, text)
        linked(DONE)
    return done


def mark_done(lesson: Lesson, item: str) -> None:
    """Remembers that a question is answered or the action done, by the student."""
    done: frozenset[Item] = st.session_state.get("_lessons_done", frozenset())
    st.session_state["_lessons_done"] = done | {(lesson.slug, item)}


def start_over() -> None:
    """Forgets all progress; a callback of a button."""
    st.session_state["_lessons_done"] = frozenset()
    st.session_state["_attempts"] = {}
    st.session_state["_helped"] = frozenset()
    choose(DONE.key, "")


def had_help(lesson: Lesson, kind: str) -> bool:
    """Returns whether a student has asked for that help with the lesson's action."""
    return (lesson.slug, kind) in st.session_state.get("_helped", frozenset())


def note_help(lesson: Lesson, kind: str, *, given: bool = True) -> None:
    """Remembers that a student has asked for help with an action, or does without it again.

    Args:
        lesson: The lesson.
        kind: "hint" or "shown".
        given: Whether there was help.
    """
    helped: frozenset[Item] = st.session_state.get("_helped", frozenset())
    one = frozenset({(lesson.slug, kind)})
    st.session_state["_helped"] = helped | one if given else helped - one


def attempt(lesson: Lesson, question: str) -> Attempt | None:
    """Returns the last answer to a question; None before the first."""
    attempts: dict[Item, Attempt] = st.session_state.get("_attempts", {})
    return attempts.get((lesson.slug, question))


def remember(lesson: Lesson, question: str, verdict: Verdict, *, is_shown: bool = False) -> None:
    """Keeps an answer, and the progress if it is right: an answer that is shown is not given."""
    last = attempt(lesson, question)
    tries = (last.tries if last else 0) + (not is_shown)
    kept = Attempt(verdict, tries, is_shown)
    attempts = st.session_state.get("_attempts", {})
    st.session_state["_attempts"] = attempts | {(lesson.slug, question): kept}
    if verdict.right:
        mark_done(lesson, question)
