"""An answer with bytes beside its JSON: arrays go between the processes as they lie in memory."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Attached:
    """What a task returns, or is given back, where JSON alone would be too slow."""

    value: Any
    """As JSON can hold it."""
    parts: tuple[bytes, ...]
    """What it speaks of by number."""
