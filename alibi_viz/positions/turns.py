"""Which channel pairs of sines or rotations a model has seen go around, for a training length."""

import math
from typing import Literal

from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.frequencies import turns_per_token

Turning = Literal["sinusoidal", "rope"]

WIDTHS: dict[Turning, int] = {"sinusoidal": 128, "rope": 16}
"""Channels that are paired, as in our models: d_model for the embedding, d_head for rotations."""


def turns_within(method: Turning, length: int) -> Floats:
    """Returns how often each channel pair goes around its circle from a text's first token to last.

    Args:
        method: "sinusoidal", over the channels of an embedding, or "rope", over those of a head.
        length: Tokens of the text.

    Returns:
        (pair,) turns, the fastest pair first: 1 is once around.
    """
    return (length - 1) * turns_per_token(WIDTHS[method])


def pairs_with_a_full_turn(
    method: Turning, train_length: int, *, radians: float = 2 * math.pi
) -> int:
    """Returns how many pairs go around at least once within the training length.

    Args:
        method: "sinusoidal" or "rope".
        train_length: Tokens of a text in training.
        radians: The angle that counts as once around.
    """
    angles = 2 * math.pi * turns_within(method, train_length)
    return int((angles >= radians).sum())


def unseen_pairs(method: Turning, train_length: int, *, radians: float = 2 * math.pi) -> int:
    """Returns how many pairs meet angles past the training length that they never met within it.

    Args:
        method: "sinusoidal" or "rope".
        train_length: Tokens of a text in training.
        radians: The angle that counts as once around.
    """
    return WIDTHS[method] // 2 - pairs_with_a_full_turn(method, train_length, radians=radians)
