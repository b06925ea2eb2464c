"""A plan for a class: which lessons, in which order, with how many minutes; a line in a link."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.lesson import Lesson

LONGEST = 240
"""Minutes that one lesson may take."""
PRESETS: dict[int, tuple[str, ...]] = {
    45: ("equal-words", "penalty", "softmax", "short-long", "early-tokens"),
    90: (
        *("equal-words", "adding", "rotating", "penalty", "ladder", "softmax", "windows"),
        *("short-long", "early-tokens", "choosing"),
    ),
}
"""Lessons that fit a class of so many minutes, with time left for questions."""


@dataclass(frozen=True)
class PlannedLesson:
    """One lesson of a plan."""

    lesson: Lesson
    minutes: int


@dataclass(frozen=True)
class Plan:
    """Lessons in the order in which a class does them."""

    parts: tuple[PlannedLesson, ...] = ()

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """The lessons, in order."""
        return tuple(part.lesson for part in self.parts)

    @property
    def minutes(self) -> int:
        """How long all of it takes."""
        return sum(part.minutes for part in self.parts)

    @property
    def starts(self) -> tuple[int, ...]:
        """The minute at which each lesson begins, from 0."""
        return tuple(accumulate((part.minutes for part in self.parts[:-1]), initial=0))

    @property
    def text(self) -> str:
        """How a link says it: "equal-words.6,penalty.8"."""
        return ",".join(f"{part.lesson.slug}.{part.minutes}" for part in self.parts)

    def moved(self, slug: str, by: int) -> "Plan":
        """Returns the plan with a lesson earlier (-1) or later (1); at an end it stays."""
        parts = list(self.parts)
        place = self._place(slug)
        other = min(max(place + by, 0), len(parts) - 1)
        parts.insert(other, parts.pop(place))
        return Plan(tuple(parts))

    def without(self, slug: str) -> "Plan":
        """Returns the plan without a lesson."""
        return Plan(tuple(part for part in self.parts if part.lesson.slug != slug))

    def with_lesson(self, slug: str, minutes: int | None = None) -> "Plan":
        """Returns the plan with a lesson at its end, or in its place with other minutes.

        Args:
            slug: The lesson.
            minutes: How long it takes; as long as the lesson says if left out.
        """
        lesson = find_lesson(slug)
        new = PlannedLesson(lesson, lesson.minutes if minutes is None else minutes)
        if lesson not in self.lessons:
            return Plan((*self.parts, new))
        return Plan(tuple(new if part.lesson == lesson else part for part in self.parts))

    def after(self, lesson: Lesson) -> Lesson | None:
        """Returns the lesson after another; None at the end, or where that one is not planned."""
        pairs = zip(self.lessons, self.lessons[1:], strict=False)
        return next((second for first, second in pairs if first == lesson), None)

    def _place(self, slug: str) -> int:
        return [lesson.slug for lesson in self.lessons].index(slug)


def preset(minutes: int) -> Plan:
    """Returns the plan for a class of so many minutes, one of `PRESETS`."""
    return plan_of([find_lesson(slug) for slug in PRESETS[minutes]])


def plan_of(chosen: Sequence[Lesson]) -> Plan:
    """Returns a plan of lessons that take as long as they say."""
    return Plan(tuple(PlannedLesson(lesson, lesson.minutes) for lesson in chosen))


def read_plan(text: str) -> Plan:
    """Returns the plan that a link says; what names no lesson is passed over, and every second.

    >>> read_plan("penalty.10,algebra.3,penalty.2,windows").text
    'penalty.10,windows.7'

    Args:
        text: As `Plan.text` writes it; minutes may be left out.
    """
    plan = Plan()
    known = {lesson.slug: lesson for lesson in lessons()}
    for part in text.split(","):
        slug, _, minutes = part.strip().partition(".")
        if slug in known and known[slug] not in plan.lessons:
            told = int(minutes) if minutes.isdecimal() and len(minutes) < 4 else 0
            plan = plan.with_lesson(slug, min(told, LONGEST) if told else None)
    return plan
