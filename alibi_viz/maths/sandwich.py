"""Sandwich: what sinusoidal positions alone add to a logit, as a bias with a ratio for each head.

Source: Chi, Fan, Rudnicky and Ramadge, "Dissecting Transformer Length Extrapolation via the Lens of
Receptive Field Analysis", ACL 2023, https://arxiv.org/abs/2212.10356

The paper's bias is the inner product of two sinusoidal position vectors of width dbar, divided by a
compression ratio r_h = 8 h / H; h counts heads from 1, H is their number.
"""

import numpy as np
from einops import rearrange, reduce

from alibi_viz.maths.arrays import Floats, require_length
from alibi_viz.maths.frequencies import pair_frequencies

# The paper's width dbar of the position vectors: half as many cosines.
POSITION_WIDTH = 128


def sandwich_bias(n_head: int, length: int, width: int = POSITION_WIDTH) -> Floats:
    """Returns every head's bias at every distance.

    bias(h, d) = (1 / r_h) * sum over k = 0 .. width / 2 - 1 of cos(d / 10000 ** (2 k / width))

    At distance 0 it is width / 2 / r_h, not 0: the softmax sees only differences.

    >>> sandwich_bias(8, 1, 4).tolist()[:2]
    [[2.0], [1.0]]

    Args:
        n_head: Number of heads, at least 1.
        length: Number of distances, at least 1.
        width: Width of the position vectors, even and at least 2.

    Returns:
        (head, distance), added to attention logits, in nats.

    Raises:
        ValueError: No head, a length below 1, or a width that is odd or below 2.
    """
    n_head = require_length("n_head", n_head)
    distance = np.arange(require_length("length", length), dtype=np.float64)
    angles = np.outer(distance, pair_frequencies(width))
    cosines = reduce(np.cos(angles), "distance pair -> distance", "sum")
    ratio = 8 * np.arange(1, n_head + 1) / n_head
    return rearrange(cosines, "distance -> 1 distance") / rearrange(ratio, "head -> head 1")
