"""The course, in the order in which one would discover the subject: the only list of lessons."""

from functools import cache
from importlib import import_module

from alibi_viz.lessons.lesson import Lesson

ORDER = (
    "equal_words",
    "adding",
    "rotating",
    "penalty",
    "ladder",
    "softmax",
    "windows",
    "short_long",
    "early_tokens",
    "trained_heads",
    "failures",
    "look_back",
    "stretching",
    "choosing",
)


@cache
def lessons() -> tuple[Lesson, ...]:
    """Returns all lessons, in order."""
    return tuple(import_module(f"{__name__}.{name}").LESSON for name in ORDER)


def find_lesson(slug: str) -> Lesson:
    """Returns the lesson of that name.

    Raises:
        ValueError: No such lesson.
    """
    for lesson in lessons():
        if lesson.slug == slug:
            return lesson
    raise ValueError(
        f"lesson must be one of {', '.join(lesson.slug for lesson in lessons())}, got {slug!r}"
    )
