"""Which channel pairs of sines or rotations a model has seen go around, for a training length."""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Turning = Literal["sinusoidal", "rope"]

WIDTHS: dict[Turning, int] = {"sinusoidal": 128, "rope": 32}
"""Channels that are paired: our model's d_model for the embedding, its d_head for rotations."""


def turns_within(method: Turning, length: int) -> NDArray[np.float64]:
    """Returns how often each channel pair goes around its circle within a text.

    Args:
        method: "sinusoidal", over the channels of an embedding, or "rope", over those of a head.
        length: Tokens of the text.

    Returns:
        (pair,) turns, the fastest pair first: 1 is once around.
    """
    return length * _radians_per_token(method) / (2 * math.pi)


def pairs_with_a_full_turn(method: Turning, train_length: int, *, turn: float = 2 * math.pi) -> int:
    """Returns how many pairs go around at least once within the training length.

    Args:
        method: "sinusoidal" or "rope".
        train_length: Tokens of a text in training.
        turn: Radians that count as once around.
    """
    return int((train_length * _radians_per_token(method) >= turn).sum())


def unseen_pairs(method: Turning, train_length: int, *, turn: float = 2 * math.pi) -> int:
    """Returns how many pairs meet angles past the training length that they never met within it.

    Args:
        method: "sinusoidal" or "rope".
        train_length: Tokens of a text in training.
        turn: Radians that count as once around.
    """
    n_pair = WIDTHS[method] // 2
    return n_pair - pairs_with_a_full_turn(method, train_length, turn=turn)


def _radians_per_token(method: Turning) -> NDArray[np.float64]:
    """Returns the angle that the method itself turns each pair by from one token to the next."""
    # Here, not at the top: the positions need torch, most lessons do not.
    if method == "rope":
        from alibi_viz.positions.rope import rotary_angles

        angles: NDArray[np.float64] = rotary_angles(2, WIDTHS[method])[1].numpy()
        return angles
    from alibi_viz.positions.sinusoidal import sinusoidal_embedding

    pairs = sinusoidal_embedding(2, WIDTHS[method])[1].double().numpy().reshape(-1, 2)
    turned: NDArray[np.float64] = np.arctan2(pairs[:, 0], pairs[:, 1])
    return turned
