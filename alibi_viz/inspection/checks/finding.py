"""A finding: what was noticed, in words that a user understands, with the numbers."""

from dataclasses import dataclass, field
from typing import Any

# What libraries raise when they are asked for more than they can.
RUN_ERRORS = (RuntimeError, ValueError, IndexError, TypeError, AttributeError, NotImplementedError)


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed."""

    subject: str
    """What it is about: slopes, paths, outputs, rounding, length, settings or weights."""
    disagrees: bool
    """Whether two things that should be the same are not; else it is a note."""
    words: str
    """A sentence or two."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """The numbers in them, by name."""


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's message, or its kind where it has none."""
    lines = str(error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__
