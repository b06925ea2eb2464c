"""KERPLE's logarithmic bias: a penalty that grows ever more slowly with distance.

Source: Chi, Fan, Ramadge and Rudnicky, "KERPLE: Kernelized Relative Positional Embedding for Length
Extrapolation", NeurIPS 2022, https://arxiv.org/abs/2205.09921

The paper trains r1 and r2 for every head; here they are given.
"""

import numpy as np

from alibi_viz.maths.arrays import Floats, require_length


def kerple_log_bias(r1: float, r2: float, length: int) -> Floats:
    """Returns one head's bias at every distance: -r1 * ln(1 + r2 * distance).

    The weight at equal content falls as a power, (1 + r2 * distance) ** -r1, where ALiBi's falls
    exponentially.

    >>> kerple_log_bias(2.0, 1.0, 3).round(4).tolist()
    [0.0, -1.3863, -2.1972]

    Args:
        r1: How strong the penalty is, above 0; the exponent of the power law.
        r2: How soon it sets in, above 0, per token.
        length: Number of distances, at least 1.

    Returns:
        (distance,), added to attention logits, in nats.

    Raises:
        ValueError: r1 or r2 not above 0 and finite, or a length below 1.
    """
    for name, value in (("r1", r1), ("r2", r2)):
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be above 0 and finite, got {value}")
    distance = np.arange(require_length("length", length), dtype=np.float64)
    # Subtracting from 0, not negating: a bias of -0.0 would print as "-0".
    bias: Floats = r1 * (0 - np.log1p(r2 * distance))
    return bias
