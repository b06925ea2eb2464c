"""The axis of distances in tokens, and how slopes are written beside it.

On a logarithmic axis distance 0, the query's own key, has no place; it stands at `OWN_KEY_PLACE`,
one half, with a tick that says 0.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

OWN_KEY_PLACE = 0.5
ROUNDING = 1e-9
"""What float64 leaves of a slope that was computed."""
READ_BACK_ROUNDING = 1e-4
"""What a model's own arithmetic leaves of a slope that was read back from its attention."""


def nearest_power(slope: float, tolerance: float = ROUNDING) -> float | None:
    """Returns the power of two that a slope is up to rounding, or None if it is none.

    Args:
        slope: In nats per token.
        tolerance: Largest difference that counts as rounding, as a share of the power.
    """
    if slope <= 0:
        return None
    power = 2.0 ** round(math.log2(slope))
    return power if abs(slope / power - 1) < tolerance else None


def slope_text(slope: float, tolerance: float = ROUNDING) -> str:
    """Returns a slope as a fraction if it is one over a power of two, else with three digits.

    >>> slope_text(0.25), slope_text(2 ** -0.5), slope_text(4.0)
    ('1/4', '0.707', '4')

    Args:
        slope: In nats per token.
        tolerance: See `nearest_power`; `READ_BACK_ROUNDING` for the slopes of a trained model.
    """
    power = nearest_power(slope, tolerance)
    return f"1/{1 / power:,.0f}" if power is not None and power < 1 else f"{slope:.3g}"


def distance_ticks(length: int, *, with_zero: bool = True) -> dict[str, Any]:
    """Returns ticks of a logarithmic axis of tokens: powers of two, or of four where many.

    Args:
        length: Largest number on the axis, in tokens.
        with_zero: Whether the query's own key has a tick, at `OWN_KEY_PLACE`.
    """
    step = 1 if length <= 64 else 2
    powers = [2**power for power in range(0, max(length, 2).bit_length(), step)]
    places = [OWN_KEY_PLACE, *powers] if with_zero else powers
    texts = (["0"] if with_zero else []) + [f"{power:,}" for power in powers]
    return {"tickmode": "array", "tickvals": places, "ticktext": texts}


def placed(distances: NDArray[Any], log_distance: bool) -> NDArray[np.float32]:
    """Returns where distances stand on the axis.

    Args:
        distances: (distance,) in tokens.
        log_distance: Whether the axis is logarithmic.

    Returns:
        (distance,) the same numbers, distance 0 at `OWN_KEY_PLACE` if it is.
    """
    own = OWN_KEY_PLACE if log_distance else 0
    return np.where(distances == 0, own, distances).astype(np.float32)


def distance_axis(length: int, log_distance: bool) -> dict[str, Any]:
    """Returns the axis from the query's own key to the first token of a sequence.

    Args:
        length: Tokens in the sequence.
        log_distance: Whether the axis is logarithmic.
    """
    last = max(length - 1, 1)
    axis: dict[str, Any] = {"title": {"text": "distance from query to key, tokens"}}
    if not log_distance:
        return axis | {"range": [-0.01 * last, 1.02 * last]}
    ends = [math.log10(0.42), math.log10(last * 1.12)]
    return axis | {"type": "log", "range": ends, **distance_ticks(length)}


def axis_share(ends: Sequence[float], value: float, log: bool) -> float:
    """Returns how far along an axis a value lies, from 0 to 1.

    Args:
        ends: The axis's range, of logarithms where it is logarithmic.
        value: A value on it.
        log: Whether it is logarithmic.
    """
    at = math.log10(value) if log else value
    return (at - ends[0]) / (ends[1] - ends[0])
