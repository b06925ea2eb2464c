"""Labels that stand one above the other beside the ends of lines, without touching."""

import math
from collections.abc import Sequence


def moved_apart(
    places: Sequence[float], heights: Sequence[float], *, highest: float = math.inf
) -> list[float]:
    """Returns where labels stand: each at its place, or just above the one that is in its way.

    >>> moved_apart([5.0, 1.0, 1.2], [1.0, 1.0, 1.0])
    [5.0, 1.0, 2.0]
    >>> moved_apart([5.0, 5.0], [1.0, 1.0], highest=5.5)
    [4.0, 5.0]

    Args:
        places: (label,) middles that are wanted, in the units of an axis that rises upwards.
        heights: (label,) how much room each takes, in the same units.
        highest: No label reaches above this, unless there is no room for all below it.

    Returns:
        (label,) middles, in the order of `places`.
    """
    order = sorted(range(len(places)), key=lambda label: places[label])
    moved = list(places)
    floor = -math.inf
    for label in order:
        moved[label] = max(places[label], floor + heights[label] / 2)
        floor = moved[label] + heights[label] / 2
    ceiling = highest
    for label in reversed(order):
        moved[label] = min(moved[label], ceiling - heights[label] / 2)
        ceiling = moved[label] - heights[label] / 2
    return moved
