"""What half precision does to a bias: how many distances it can still tell apart, and the softmax.

A floating type with t significant bits holds whole numbers exactly up to 2**t: 2**24 in float32,
2**11 in float16, 2**8 in bfloat16. A bias far from zero is rounded to the spacing of its size. Both
published forms have the same softmax in exact arithmetic, but they are not equally far from zero
where it matters: -m (i - j) is small for near keys, +m j is large for all late ones.
"""

from typing import Literal, get_args

import numpy as np
from einops import reduce
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats, as_slopes, require_length
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import softmax

NumberType = Literal["float32", "bfloat16", "float16"]
NUMBER_TYPES: tuple[NumberType, ...] = get_args(NumberType)
# "distance" is the paper's -m (i - j); "key" is the authors' code, +m j, the same in every row.
BiasForm = Literal["distance", "key"]
BIAS_FORMS: tuple[BiasForm, ...] = get_args(BiasForm)

# bfloat16 is the upper half of a float32.
_DROPPED_BITS = 16


def rounded(values: Floats, number_type: NumberType) -> Floats:
    """Returns the values that a number type holds nearest to `values`, ties to even.

    >>> rounded(np.array([257.0, 2049.0]), "bfloat16").tolist()
    [256.0, 2048.0]
    >>> rounded(np.array([257.0, 2049.0]), "float16").tolist()
    [257.0, 2048.0]

    Args:
        values: Finite numbers of any shape; for float16 below 65,520 in size.
        number_type: One of `NUMBER_TYPES`.

    Returns:
        The rounded values, of the same shape, as float64.

    Raises:
        ValueError: An unknown number type.
    """
    if number_type == "float32":
        return values.astype(np.float32).astype(np.float64)
    if number_type == "float16":
        return values.astype(np.float16).astype(np.float64)
    if number_type == "bfloat16":
        bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
        last_kept = (bits >> _DROPPED_BITS) & 1
        half = (1 << (_DROPPED_BITS - 1)) - 1
        kept = ((bits + half + last_kept) >> _DROPPED_BITS) << _DROPPED_BITS
        return kept.astype(np.uint32).view(np.float32).astype(np.float64)
    raise ValueError(f"number_type must be one of {', '.join(NUMBER_TYPES)}, got {number_type!r}")


def last_row_bias(slopes: Floats, length: int, form: BiasForm) -> Floats:
    """Returns the exact bias of the last query, in one of the two published forms.

    Args:
        slopes: (head,) slopes, in nats per token.
        length: Tokens in the sequence, at least 1.
        form: "distance" for -m (i - j), "key" for +m j.

    Returns:
        (head, distance), nearest key first, in nats.

    Raises:
        ValueError: An unknown form, or a length below 1.
    """
    by_distance: Floats = bias_by_distance(as_slopes(slopes), require_length("length", length))
    if form == "distance":
        return by_distance
    if form == "key":
        # Key j = L - 1 - d of the last query: the same numbers, counted from the other end.
        return -by_distance[:, ::-1]
    raise ValueError(f"form must be one of {', '.join(BIAS_FORMS)}, got {form!r}")


def distinct_biases(slopes: Floats, length: int, number_type: NumberType) -> NDArray[np.int64]:
    """Returns how many different biases are left of `length` distances.

    The same in both forms, which hold the same numbers but for the sign.

    >>> distinct_biases(np.array([1 / 256]), 4096, "bfloat16").tolist()
    [769]

    Args:
        slopes: (head,) slopes, in nats per token.
        length: Number of distances, at least 1.
        number_type: One of `NUMBER_TYPES`.

    Returns:
        (head,) whole numbers from 1 to `length`.
    """
    biases = rounded(last_row_bias(slopes, length, "distance"), number_type)
    return np.array([len(np.unique(row)) for row in biases], dtype=np.int64)


def weights_in(slopes: Floats, length: int, number_type: NumberType, form: BiasForm) -> Floats:
    """Returns the last query's weights when only its bias is rounded; the softmax is exact.

    Args:
        slopes: (head,) slopes, in nats per token.
        length: Tokens in the sequence, at least 1.
        number_type: What the bias is stored in.
        form: "distance" or "key".

    Returns:
        (head, distance), nearest key first; each head sums to 1.
    """
    weights: Floats = softmax(rounded(last_row_bias(slopes, length, form), number_type))
    return weights


def total_variation(weights: Floats, others: Floats) -> Floats:
    """Returns the share of attention that lies elsewhere: half the sum of all differences.

    Args:
        weights: (head, distance) attention weights that sum to 1.
        others: (head, distance) attention weights that sum to 1.

    Returns:
        (head,) shares from 0 to 1.
    """
    return reduce(abs(weights - others), "head distance -> head", "sum") / 2


def moved_attention(slopes: Floats, length: int, number_type: NumberType, form: BiasForm) -> Floats:
    """Returns the share of the last query's attention that rounding the bias moves elsewhere.

    Args:
        slopes: (head,) slopes, in nats per token.
        length: Tokens in the sequence, at least 1.
        number_type: What the bias is stored in.
        form: "distance" or "key".

    Returns:
        (head,) total variation against exact arithmetic, from 0 to 1.
    """
    exact: Floats = softmax(last_row_bias(slopes, length, "distance"))
    return total_variation(weights_in(slopes, length, number_type, form), exact)


def first_collision(slopes: Floats, length: int, number_type: NumberType) -> NDArray[np.int64]:
    """Returns the nearest distance whose bias is the same as its nearer neighbour's.

    Args:
        slopes: (head,) slopes above 0, in nats per token.
        length: Number of distances, at least 1.
        number_type: One of `NUMBER_TYPES`.

    Returns:
        (head,) distances in tokens; `length` where all biases differ.
    """
    biases = rounded(last_row_bias(slopes, length, "distance"), number_type)
    same = np.concatenate(
        [biases[:, 1:] == biases[:, :-1], np.ones((len(biases), 1), dtype=bool)], axis=1
    )
    collision: NDArray[np.int64] = same.argmax(axis=1) + 1
    return collision
