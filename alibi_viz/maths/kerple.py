"""KERPLE's logarithmic bias: a penalty that grows ever more slowly with distance.

Source: Chi, Fan, Ramadge and Rudnicky, "KERPLE: Kernelized Relative Positional Embedding for Length
Extrapolation", NeurIPS 2022, https://arxiv.org/abs/2205.09921

The paper trains r1 and r2 for every head; here they are given.
"""

import numpy as np
from einops import rearrange

from alibi_viz.maths.arrays import Array, as_floats, counting_up, log1p, require_length


def kerple_log_bias(r1: Array, r2: Array, length: int) -> Array:
    """Returns the bias of every head at every distance: -r1 * ln(1 + r2 * distance).

    The weight at equal content falls as a power, (1 + r2 * distance) ** -r1, where ALiBi's falls
    exponentially.

    >>> kerple_log_bias([2.0], [1.0], 3).round(4).tolist()
    [[0.0, -1.3863, -2.1972]]

    Args:
        r1: (head,) how strong the penalty is, above 0; the exponent of the power law. A torch
            tensor gives a torch tensor.
        r2: (head,) how soon it sets in, above 0, per token.
        length: Number of distances, at least 1.

    Returns:
        (head, distance), added to attention logits, in nats.

    Raises:
        ValueError: r1 or r2 not above 0 and finite, or a length below 1.
    """
    r1, r2 = as_floats(r1), as_floats(r2)
    for name, values in (("r1", r1), ("r2", r2)):
        if not bool(((values > 0) & (values < np.inf)).all()):
            raise ValueError(f"{name} must be above 0 and finite, got {values.tolist()}")
    distance = counting_up(r2, require_length("length", length))
    # Subtracting from 0, not negating: a bias of -0.0 would print as "-0".
    return rearrange(r1, "head -> head 1") * (0 - log1p(rearrange(r2, "head -> head 1") * distance))
