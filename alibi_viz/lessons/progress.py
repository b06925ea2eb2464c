"""What a student has done of the course, as a few characters in a link.

One bit for each question and each action, in the order of the course, written in hexadecimal:
progress needs no account and no storage, and a link carries it to another machine.
"""

from collections.abc import Collection, Sequence
from string import hexdigits
from typing import TypeAlias

from alibi_viz.lessons.lesson import Lesson

# A lesson's slug and one of its items.
Item: TypeAlias = tuple[str, str]


def all_items(lessons: Sequence[Lesson]) -> list[Item]:
    """Returns everything there is to do, in the order of the course."""
    return [(lesson.slug, item) for lesson in lessons for item in lesson.items]


def to_text(done: Collection[Item], lessons: Sequence[Lesson]) -> str:
    """Returns what is done as hexadecimal digits; empty for nothing.

    Args:
        done: Items that are done.
        lessons: The course.
    """
    bits = sum(1 << place for place, item in enumerate(all_items(lessons)) if item in done)
    return f"{bits:x}" if bits else ""


def from_text(text: str, lessons: Sequence[Lesson]) -> frozenset[Item]:
    """Returns what a link says is done; nothing where it says nothing that can be read.

    Args:
        text: Hexadecimal digits as `to_text` writes them.
        lessons: The course.
    """
    items = all_items(lessons)
    # Longer than any progress, or no digits: int() would also take signs and underscores.
    if len(text) > len(items) or not set(text) <= set(hexdigits):
        return frozenset()
    bits = int(text or "0", 16)
    return frozenset(item for place, item in enumerate(items) if bits >> place & 1)
