"""What a student has done of the course, as a few characters in a link.

Three characters for each question and each action, made from its name: progress needs no account
and no storage, a link carries it to another machine, and a question that is inserted, moved or
taken out changes nothing for the others.
"""

import base64
import hashlib
from collections.abc import Collection, Sequence
from string import hexdigits
from typing import TypeAlias

from alibi_viz.lessons.lesson import Lesson

# A lesson's slug and one of its items.
Item: TypeAlias = tuple[str, str]

MARK = "~"
"""What progress begins with; without it, it is of the first edition."""
_SIZE = 3
# Far more than any progress takes, that of a longer course included.
_LONGEST = 3000

# The first edition wrote hexadecimal digits, a bit an item in this order; such links are about.
_FIRST_EDITION = {
    "equal-words": "share swap mask do",
    "adding": "terms norm turns table do",
    "rotating": "cosine shift turns do",
    "penalty": "bias contest leak first-row do",
    "ladder": "third first-of-16 rules ninth-of-12 from-zero do",
    "softmax": "factor itself far-weight advantage shift do",
    "windows": "steep flat short-text which-head halve do",
    "short-long": "sinusoidal twice nats do",
    "early-tokens": "mean-context little sliding saved do",
    "trained-heads": "read-back price silent sorted do",
    "failures": "price bfloat16 encoder retrieval interpolate decoding do",
    "choosing": "updates hours far tasks cost do",
}
_BITS: tuple[Item, ...] = tuple(
    (slug, item) for slug, items in _FIRST_EDITION.items() for item in items.split()
)


def all_items(lessons: Sequence[Lesson]) -> list[Item]:
    """Returns everything there is to do, in the order of the course."""
    return [(lesson.slug, item) for lesson in lessons for item in lesson.items]


def code_of(item: Item) -> str:
    """Returns the three characters that stand for an item, whatever the course around it.

    >>> code_of(("penalty", "do"))
    'g55'
    """
    digest = hashlib.sha256(".".join(item).encode()).digest()
    return base64.b32encode(digest).decode().lower()[:_SIZE]


def to_text(done: Collection[Item], lessons: Sequence[Lesson]) -> str:
    """Returns what is done as a link says it; empty for nothing.

    Args:
        done: Items that are done.
        lessons: The course.
    """
    codes = [code_of(item) for item in all_items(lessons) if item in done]
    return MARK + "".join(codes) if codes else ""


def from_text(text: str, lessons: Sequence[Lesson]) -> frozenset[Item]:
    """Returns what a link says is done; nothing where it says nothing that can be read.

    Args:
        text: As `to_text` writes it, or hexadecimal digits of the first edition.
        lessons: The course.
    """
    items = all_items(lessons)
    if text.startswith(MARK):
        by_code = {code_of(item): item for item in items}
        codes = text.removeprefix(MARK)
        if len(codes) > _LONGEST:
            return frozenset()
        parts = (codes[start : start + _SIZE] for start in range(0, len(codes), _SIZE))
        return frozenset(by_code[part] for part in parts if part in by_code)
    # Longer than any progress, or no digits: int() would also take signs and underscores.
    if len(text) > len(_BITS) or not set(text) <= set(hexdigits):
        return frozenset()
    bits = int(text or "0", 16)
    done = {item for place, item in enumerate(_BITS) if bits >> place & 1}
    return frozenset(done.intersection(items))
