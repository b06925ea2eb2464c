"""Loss by how much context a token has: the early-token curse itself, and where methods break.

The token at position p of a nonoverlapping window is predicted from p + 1 tokens. A causal model
does not see what follows, so the first positions of a long window are those of a short one: short
windows measure them many times, long ones the positions that short ones do not hold.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.stretch import Stretch

BANDS_PER_OCTAVE = 2


class Band(NamedTuple):
    """Positions that are averaged."""

    first: int
    """Fewest tokens of context."""
    last: int
    """Most tokens of context, included."""
    tokens: int
    """Targets averaged."""
    nll: float
    """Their mean loss, in nats per token."""


def bands_up_to(longest: int) -> list[tuple[int, int]]:
    """Returns the first and last context of each band that fits, two an octave.

    >>> bands_up_to(16)
    [(1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 8), (9, 11), (12, 16)]

    Args:
        longest: Most tokens of context.
    """
    octaves = np.arange(BANDS_PER_OCTAVE * int(np.log2(longest)) + BANDS_PER_OCTAVE)
    ends = np.unique(np.round(2 ** (octaves / BANDS_PER_OCTAVE)).astype(int)).tolist()
    lasts = [end for end in ends if end <= longest]
    return [(before + 1, last) for before, last in zip([0, *lasts], lasts, strict=False)]


def losses_by_context(
    losses: NDArray[np.float32], stretch: Stretch, eval_length: int
) -> list[Band]:
    """Returns the mean loss of each band of `bands_up_to(eval_length)` that has targets.

    Args:
        losses: (target,) of nonoverlapping windows, in nats.
        stretch: The text and its targets.
        eval_length: Tokens in a window.
    """
    context = (stretch.targets - stretch.first) % eval_length + 1
    bands = []
    for first, last in bands_up_to(eval_length):
        held = losses[(context >= first) & (context <= last)]
        if len(held):
            nll = round(float(held.mean(dtype=np.float64)), 5)
            bands.append(Band(first, last, len(held), nll))
    return bands


def bands_of(records: Iterable[Record]) -> list[Band]:
    """Returns one model's loss by context, each band from the shortest windows that hold it.

    Args:
        records: Nonoverlapping, of one model and one text, at several lengths.
    """
    bands: dict[int, Band] = {}
    for record in sorted(records, key=lambda record: record.eval_length):
        for band in (Band(*values) for values in record.bands):
            bands.setdefault(band.last, band)
    return [bands[last] for last in sorted(bands)]
