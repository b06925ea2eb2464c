"""What a shared server can bear: sizes, lengths and tokens that may be asked for."""

import os
from typing import Any

HEADS = (1, 2, 3, 4, 6, 8, 12, 16)
LAYERS = (1, 2, 3, 4, 5, 6)
WIDTHS = (32, 48, 64, 96, 128, 192, 256)
TRAIN_LENGTHS = (32, 64, 128, 256, 512)
TOKENS = (100_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000)
EXPONENTS = (0.5, 16.0)
MAX_SEED = 99
VOCABULARY = 1024
# Tokens in a batch, whatever the length of its windows, so that lengths can be compared.
BATCH_TOKENS = 2048
# What a training run may cost, in probes of `alibi_viz.jobs.cost`: 20 minutes on a core that does
# one in 5 milliseconds.
MAX_PROBES = 240_000

EVAL_LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384)
SLIDING_LENGTHS = tuple(length for length in EVAL_LENGTHS if length <= 2048)
MAX_CHECKPOINTS = 8
# Steps of a recall model, up to those of the bundled ones.
RECALL_STEPS = (50, 100, 200, 400)
FREE_HEADS = tuple(range(8))
# A sliding window computes each token many times over, so fewer are scored.
TOKENS_SCORED = {"nonoverlapping": 32_768, "sliding_window": 4096}


def threads_for_jobs() -> int:
    """Returns how many cores a job computes on: all but one, which stays with the visitors."""
    return max(1, (os.cpu_count() or 1) - 1)


def minutes(seconds: float) -> str:
    """Returns a time in words.

    >>> [minutes(seconds) for seconds in (20, 60, 150)]
    ['less than a minute', '1 minute', '3 minutes']
    """
    if seconds < 45:
        return "less than a minute"
    count = max(1, int(seconds / 60 + 0.5))
    return f"{count} minute{'s' if count > 1 else ''}"


def check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raises ValueError where `value` is none of the allowed ones."""
    if value not in allowed or isinstance(value, bool):
        listed = ", ".join(map(str, allowed))
        raise ValueError(f"{name} must be one of {listed}, got {value!r}")


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raises ValueError where `value` is not between `low` and `high`, both included."""
    if not isinstance(value, (int, float)) or not low <= value <= high:
        raise ValueError(f"{name} must be between {low:g} and {high:g}, got {value!r}")
