"""Half precision: what is left of a bias in bfloat16 and float16, and what the softmax becomes."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alibi_viz.figures.precision import TypeCurve
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.precision import (
    BIAS_FORMS,
    NUMBER_TYPES,
    BiasForm,
    NumberType,
    distinct_biases,
    first_collision,
    moved_attention,
    weights_in,
)
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.maths.windows import closed_form_window

HALF_TYPES: tuple[NumberType, ...] = ("bfloat16", "float16")
EQUATIONS = {
    "distance": r"\mathrm{round}\bigl(-m_h\,(i - j)\bigr)",
    "key": r"\mathrm{round}\bigl(m_h\, j\bigr)",
}
ABOUT = (
    "Only the bias is rounded, as if stored in that type; the content is zero and the softmax "
    "exact. Moved attention is half the sum of all differences of weights (total variation)."
)


@dataclass(frozen=True)
class Rounding:
    """What the number types make of every head's bias."""

    slopes: Floats
    """(head,) slopes, in nats per token."""
    distinct: dict[str, NDArray[np.int64]]
    """(head,) different biases left, by number type."""
    collision: dict[str, NDArray[np.int64]]
    """(head,) nearest distance that is not told from its neighbour, by number type."""
    moved: dict[tuple[str, str], Floats]
    """(head,) share of the last query's attention that moves, by number type and form."""


@lru_cache(maxsize=30)
def rounding(n_head: int, length: int) -> Rounding:
    """Returns what rounding does to a model's biases; shared, nobody changes it.

    Args:
        n_head: Number of heads.
        length: Tokens in the sequence.
    """
    slopes = alibi_slopes(n_head)
    return Rounding(
        slopes=slopes,
        distinct={
            number_type: distinct_biases(slopes, length, number_type)
            for number_type in NUMBER_TYPES
        },
        collision={
            number_type: first_collision(slopes, length, number_type)
            for number_type in NUMBER_TYPES
        },
        moved={
            (number_type, form): moved_attention(slopes, length, number_type, form)
            for number_type in NUMBER_TYPES
            for form in BIAS_FORMS
        },
    )


def distinct_curves(made: Rounding) -> tuple[TypeCurve, ...]:
    """Returns the number of different biases by head, one curve a number type."""
    return tuple(
        TypeCurve(number_type, made.distinct[number_type].astype(float))
        for number_type in NUMBER_TYPES
    )


def moved_curves(made: Rounding, form: BiasForm) -> tuple[TypeCurve, ...]:
    """Returns the share of attention that moves, in percent, one curve a number type."""
    return tuple(
        TypeCurve(number_type, 100 * made.moved[number_type, form]) for number_type in NUMBER_TYPES
    )


@lru_cache(maxsize=60)
def nearest_weights(
    n_head: int, length: int, head: int, form: BiasForm
) -> tuple[Floats, dict[str, Floats]]:
    """Returns the last query's weights on its nearest keys: exact, and by half type.

    Args:
        n_head: Number of heads.
        length: Tokens in the sequence.
        head: Head, counted from 0.
        form: "distance" or "key".

    Returns:
        (distance,) exact weights, and (distance,) weights by number type; as many keys as hold 99 %
        of the exact attention, 200 at most.
    """
    slope = alibi_slopes(n_head)[head : head + 1]
    keys = min(length, 200, max(8, int(closed_form_window(slope, 0.99)[0])))
    exact = weights_in(slope, length, "float32", "distance")[0, :keys]
    halves: dict[str, Floats] = {
        number_type: weights_in(slope, length, number_type, form)[0, :keys]
        for number_type in HALF_TYPES
    }
    return exact, halves


def table(made: Rounding) -> pd.DataFrame:
    """Returns all numbers, one row a head and number type."""
    return pd.DataFrame(
        [
            {
                "head": head + 1,
                "slope": slope,
                "type": number_type,
                "different biases": int(made.distinct[number_type][head]),
                "first distance not told from the one before": int(
                    made.collision[number_type][head]
                ),
                "moved by −m(i−j), %": 100 * made.moved[number_type, "distance"][head],
                "moved by +m j, %": 100 * made.moved[number_type, "key"][head],
            }
            for head, slope in enumerate(made.slopes)
            for number_type in NUMBER_TYPES
        ]
    )


def sentence(made: Rounding, length: int, head: int) -> str:
    """Returns what to see in one head.

    Args:
        made: What rounding does.
        length: Tokens in the sequence.
        head: Head, counted from 0.
    """
    parts = [
        f"{number_type} keeps {made.distinct[number_type][head]:,} of {length:,} biases and moves "
        f"{_percent(made.moved[number_type, 'distance'][head])} of the attention as −m (i − j), "
        f"{_percent(made.moved[number_type, 'key'][head])} as +m j"
        for number_type in HALF_TYPES
    ]
    return f"head {head + 1}, slope {made.slopes[head]:.4g}: {'; '.join(parts)}."


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share >= 1e-6 else "next to nothing"
