"""The frequencies that sinusoidal positions, rotations and Sandwich share: one for each pair.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5,
https://arxiv.org/abs/1706.03762; RoPE and Sandwich take them over.

The paper writes 1 / 10000**(2 i / d_model) for the pair of channels 2 i and 2 i + 1; here k counts
the pairs, and the width is that of the embedding or of a head.
"""

import math

import numpy as np

from alibi_viz.maths.arrays import Floats

BASE = 10_000.0


def pair_frequencies(width: int) -> Floats:
    """Returns the angle by which each pair of channels turns from one position to the next.

    frequency(k) = BASE ** (-2 k / width),  k = 0 .. width / 2 - 1

    >>> pair_frequencies(4).tolist()
    [1.0, 0.01]

    Args:
        width: Channels of the vectors, even and at least 2.

    Returns:
        (pair,) radians per token, fastest first.

    Raises:
        ValueError: A width that is odd or below 2.
    """
    if width < 2 or width % 2:
        raise ValueError(f"width must be even and at least 2, got {width}")
    # Python's power and not numpy's, whose last digit is another one here and there: the committed
    # models were trained and measured with exactly these.
    return np.array([BASE ** (-channel / width) for channel in range(0, width, 2)])


def turns_per_token(width: int) -> Floats:
    """Returns how many turns each pair of channels makes from one position to the next.

    Args:
        width: Channels of the vectors, even and at least 2.

    Returns:
        (pair,) turns per token, fastest first.

    Raises:
        ValueError: A width that is odd or below 2.
    """
    turns: Floats = pair_frequencies(width) / (2 * math.pi)
    return turns
