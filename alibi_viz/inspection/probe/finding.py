"""A finding: what was noticed, in words that a user understands, with the numbers."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed."""

    subject: str
    """What it is about: slopes, paths, outputs, rounding, length, settings, weights, shown."""
    disagrees: bool
    """Whether two things that should be the same are not; else it is a note."""
    words: str
    """A sentence or two."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """The numbers in them, by name."""
