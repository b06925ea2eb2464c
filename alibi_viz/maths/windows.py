"""How far a head sees: windows, half-lives and effective numbers of keys."""

import math

from einops import reduce

from alibi_viz.maths.arrays import Array, as_slopes, log

WINDOW_MASS = 0.95
"""Share of a head's attention that its window holds, unless another is asked for."""
# Sums of weights that reach the mass exactly, such as ten times 0.05, may end just below it.
_ROUNDING = 1e-12


def effective_window(weights: Array, mass: float) -> Array:
    """Returns how many of the nearest keys hold at least `mass` of each head's attention.

    The query's own key counts as the first.

    >>> import numpy as np
    >>> effective_window(np.array([[0.5, 0.25, 0.125, 0.125]]), 0.75).tolist()
    [2]

    Args:
        weights: (..., distance) attention weights that sum to 1, nearest key first.
        mass: Share of the attention to hold, above 0 and below 1.

    Returns:
        (...) whole numbers of tokens, from 1 to the number of keys.

    Raises:
        ValueError: A mass outside (0, 1).
    """
    _require_mass(mass)
    held = weights.cumsum(-1)
    # The last sum is everything, whatever rounding left of it, so it is never too short.
    too_short = (held[..., :-1] < mass - _ROUNDING).sum(-1)
    return too_short + 1


def closed_form_window(slopes: Array, mass: float) -> Array:
    """Returns the effective window of zero content and unlimited context.

    ceil(-ln(1 - mass) / slope): the distances 0 .. w - 1 hold 1 - exp(-slope * w).

    >>> import numpy as np
    >>> closed_form_window(np.array([1 / 2, 1 / 256]), 0.95).tolist()
    [6.0, 767.0]

    Args:
        slopes: (head,) slopes above 0, in nats per token.
        mass: Share of the attention to hold, above 0 and below 1.

    Returns:
        (head,) whole numbers of tokens, held as floats.

    Raises:
        ValueError: A mass outside (0, 1), or a slope that is not above 0.
    """
    _require_mass(mass)
    return -((math.log1p(-mass) / _positive(slopes)) // 1)


def half_life(slopes: Array) -> Array:
    """Returns the distance over which each head's weight halves at equal content: ln(2) / slope.

    Args:
        slopes: (head,) slopes above 0, in nats per token.

    Returns:
        (head,) distances in tokens.

    Raises:
        ValueError: A slope that is not above 0.
    """
    return math.log(2) / _positive(slopes)


def effective_keys(weights: Array) -> Array:
    """Returns over how many keys each head spreads: exp of the entropy of its weights.

    1 where all attention lies on one key, the number of keys where it is even.

    Args:
        weights: (..., distance) attention weights that sum to 1.

    Returns:
        (...) numbers of keys, from 1 to the number of keys.
    """
    # A weight of zero has no entropy; adding one to it keeps the logarithm finite.
    surprise = -log(weights + (weights == 0))
    entropy = reduce(weights * surprise, "... distance -> ...", "sum")
    return math.e**entropy


def _require_mass(mass: float) -> None:
    if not 0 < mass < 1:
        raise ValueError(f"mass must be above 0 and below 1, got {mass}")


def _positive(slopes: Array) -> Array:
    slopes = as_slopes(slopes)
    if not bool((slopes > 0).all()):
        raise ValueError(f"slopes must be above 0, got {slopes.tolist()}")
    return slopes
