"""What is new to a model past its training length, as numbers and in words.

A method hands the model numbers that depend on position or distance. In training it saw some range
of each; past its training length it meets others, or meets the same again, or nothing at all. Each
method says its own; here is what several of them share.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.frequencies import turns_per_token

if TYPE_CHECKING:
    from alibi_viz.positions.base import PositionMethod


@dataclass(frozen=True)
class Novelty:
    """Per part of a method, how far training reached and how far the longer input reaches."""

    part: str
    """What is counted, such as "head"; in the singular."""
    unit: str
    """What is measured of each, with its unit."""
    seen: Floats
    """(part,) the largest value in training; no part at all where nothing depends on position."""
    met: Floats
    """(part,) the largest value in the longer input."""
    lowest: Floats
    """(part,) the smallest value; above 0 on a logarithmic axis."""
    ends: tuple[float, float]
    """Ends of the axis."""
    told: str
    """What is new, in sentences."""
    news: str
    """The same in half a sentence."""
    is_log: bool = False
    """Whether the axis is logarithmic."""

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """(part,) whether the longer input brings values that training never had."""
        return self.met > self.seen


def growing_penalties(position: "PositionMethod", train_length: int, eval_length: int) -> Novelty:
    """Returns what is new where each head's bias falls without end: lower ones than any seen.

    Args:
        position: A method that has a bias, with what it learned as numpy arrays.
        train_length: Tokens in a training window.
        eval_length: Tokens in the longer input.
    """
    bias = position.bias_by_distance(max(eval_length, 2))
    assert bias is not None
    # The largest distance in a window is one less than its length.
    lowest, seen, met = (0 - bias[:, [1, train_length - 1, eval_length - 1]].astype(float)).T
    steepest, flattest = int(met.argmax()), int(met.argmin())
    return Novelty(
        part="head",
        unit="penalty, nats",
        seen=seen,
        met=met,
        # A logarithmic axis has no zero: bars start one token back.
        lowest=lowest,
        ends=(float(lowest.min()) / 1.5, float(met.max()) * 1.5),
        told=f"Biases lower than any seen in training: the steepest head's lowest goes from "
        f"−{seen[steepest]:.4g} to −{met[steepest]:.4g} nats, the flattest's from "
        f"−{seen[flattest]:.3g} to −{met[flattest]:.3g}. New distances can only count less.",
        news=f"biases lower than any in training are new, in {int((met > seen).sum())} of "
        f"{len(seen)} heads",
        is_log=True,
    )


def turning_pairs(width: int, train_length: int, eval_length: int) -> Novelty:
    """Returns what is new where pairs of channels turn: angles, until they have been once around.

    Args:
        width: Channels that are paired.
        train_length: Tokens in a training window.
        eval_length: Tokens in the longer input.
    """
    turns = turns_per_token(width)
    seen, met = (np.minimum(turns * (length - 1), 1.0) for length in (train_length, eval_length))
    count = int((met > seen).sum())
    return Novelty(
        part="pair of channels",
        unit="how far around the circle, turns",
        seen=seen,
        met=met,
        lowest=np.zeros(len(seen)),
        ends=(0.0, 1.04),
        told=f"{count} of {len(seen)} pairs of channels reach angles that training never had; "
        f"{int((met < 1).sum())} have not gone around once even at {eval_length:,} tokens. The "
        f"slowest needs {1 / turns[-1]:,.0f}. Every new position is a new combination of angles.",
        news=f"angles are new, in {count} of {len(seen)} pairs of channels",
    )
