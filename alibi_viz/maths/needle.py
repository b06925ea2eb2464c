"""The price of a look back: how much attention a needle gets at a distance, and what that takes.

One query looks for one key, the needle, whose content logit lies `gap` nats above that of all other
keys. A slope takes slope * distance nats from it, and less from the keys between.

    weight = e^(gap - m d) / (e^(gap - m d) + Z)

Z is the sum of e^(-m j) over the distances j of all other keys; without a bias, their number.
"""

import math

import numpy as np

from alibi_viz.maths.arrays import require_length


def needle_weight(gap: float, slope: float, distance: int, length: int) -> float:
    """Returns the attention weight of a needle.

    >>> round(needle_weight(0.0, 0.0, 3, 8), 9)
    0.125

    Args:
        gap: Content logit of the needle above that of every other key, in nats.
        slope: Of the head, at least 0, in nats per token.
        distance: From query to needle, 0 .. length - 1, in tokens.
        length: Keys that the query sees, itself included.

    Returns:
        A share of the attention, 0 .. 1.

    Raises:
        ValueError: A needle outside the window, or a negative slope.
    """
    lead = gap - slope * distance - _log_of_others(slope, distance, length)
    return 1 / (1 + math.exp(-lead)) if lead > -700 else 0.0


def gap_for_weight(weight: float, slope: float, distance: int, length: int) -> float:
    """Returns the content gap that a needle needs for a weight: the price and the competition.

    gap = m d + ln Z + ln(weight / (1 - weight))

    >>> round(gap_for_weight(0.5, 0.0, 3, 8), 9)  # ln 7
    1.945910149

    Args:
        weight: Above 0 and below 1.
        slope: Of the head, at least 0, in nats per token.
        distance: From query to needle, 0 .. length - 1, in tokens.
        length: Keys that the query sees, itself included.

    Returns:
        Content logit above that of every other key, in nats.

    Raises:
        ValueError: A weight outside (0, 1), a needle outside the window, or a negative slope.
    """
    if not 0 < weight < 1:
        raise ValueError(f"weight must be above 0 and below 1, got {weight}")
    odds = math.log(weight / (1 - weight))
    return slope * distance + _log_of_others(slope, distance, length) + odds


def half_weight_distance(gap: float, slope: float) -> float:
    """Returns how far away a needle may lie and still get half the attention, in an endless window.

    d = (gap + ln(1 - e^(-m))) / m: every nat of content buys 1 / m tokens.

    >>> round(half_weight_distance(8.0, 1 / 256))
    628

    Args:
        gap: Content logit of the needle above that of every other key, in nats.
        slope: Of the head, above 0, in nats per token.

    Returns:
        Tokens; negative where not even the nearest key gets half.

    Raises:
        ValueError: A slope that is not above 0.
    """
    if not slope > 0:
        raise ValueError(f"slope must be above 0, got {slope}")
    return (gap + math.log(-math.expm1(-slope))) / slope


def _log_of_others(slope: float, distance: int, length: int) -> float:
    """Returns ln Z, over all keys but the needle."""
    length = require_length("length", length, at_least=2)
    if not 0 <= distance < length:
        raise ValueError(f"distance must be from 0 to {length - 1}, got {distance}")
    if not slope >= 0:
        raise ValueError(f"slope must be at least 0, got {slope}")
    others = np.delete(np.arange(length), distance)
    return float(np.log(np.exp(-slope * others).sum()))
