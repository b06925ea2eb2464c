"""The few operations that numpy arrays and torch tensors spell differently; torch stays out of it.

Every function of `alibi_viz.maths` returns the kind of array it is given, on the same device and
with the same floating type. Operators and einops cover almost everything; what they leave is here.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from einops import repeat
from numpy.typing import NDArray

# A numpy array or a torch tensor. Naming torch's type here would import it.
Array: TypeAlias = Any
# What has no need of torch says which arrays it means.
Floats: TypeAlias = NDArray[np.float64]
AnyFloats: TypeAlias = NDArray[np.floating[Any]]


def as_floats(values: Array) -> Array:
    """Returns `values` unchanged if they are floats already, else as a float64 numpy array.

    Args:
        values: Array, tensor, or sequence of numbers.

    Returns:
        The same numbers, with a floating type, of any shape.
    """
    if hasattr(values, "detach"):
        return values if values.is_floating_point() else values.double()
    array = np.asarray(values)
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)


def as_slopes(slopes: Array) -> Array:
    """Returns `slopes` as a (head,) array of floats.

    Args:
        slopes: (head,) numbers; at least one, all finite. No half precision: positions are
            counted in the type of the slopes, and bfloat16 counts to 256, float16 to 2,048.

    Returns:
        (head,) array or tensor.

    Raises:
        ValueError: Not one axis, no head, a slope that is not finite, or half precision.
    """
    slopes = as_floats(slopes)
    if slopes.ndim != 1 or slopes.shape[0] < 1:
        raise ValueError(
            f"slopes must have one axis (head,) with at least one head, got shape "
            f"{tuple(slopes.shape)}"
        )
    require_counting(slopes)
    if not bool((abs(slopes) < np.inf).all()):
        raise ValueError(f"slopes must be finite, got {slopes.tolist()}")
    return slopes


def require_counting(slopes: Array) -> None:
    """Raises ValueError if slopes are of a type too short to count positions in."""
    if slopes.dtype.itemsize < 4:
        raise ValueError(
            f"slopes must be float32 or float64, got {slopes.dtype}, which cannot count positions; "
            'convert them with .float(), an array with .astype("float32")'
        )


def as_float32(values: Array) -> Array:
    """Returns `values` in float32, a tensor with its gradient."""
    return values.float() if hasattr(values, "detach") else np.asarray(values, dtype=np.float32)


def alike(like: Array, values: Array) -> Array:
    """Returns `values` as an array of the kind, the floating type and the device of `like`.

    Args:
        like: Array or tensor of floats.
        values: Array or tensor, of any shape; a tensor only where `like` is one.
    """
    if hasattr(values, "detach"):
        return values.to(like)
    return like.new_tensor(values) if hasattr(like, "detach") else values.astype(like.dtype)


def counting_up(like: Array, length: int) -> Array:
    """Returns 0, 1, ..., length - 1 as (length,), of the kind, type and device of `like`.

    Args:
        like: Array or tensor with at least one element.
        length: How many numbers, at least 1.

    Returns:
        (length,) whole numbers held as floats: exact up to 2**24 in float32.
    """
    one = like.reshape(-1)[:1] * 0 + 1
    # A count has no gradient, and what is made of it none that is 0 times infinity.
    one = one.detach() if hasattr(one, "detach") else one
    return repeat(one, "1 -> length", length=length).cumsum(0) - 1


def exp(values: Array) -> Array:
    """Returns e to the power of each of `values`."""
    return values.exp() if hasattr(values, "exp") else np.exp(values)


def log(values: Array) -> Array:
    """Returns the natural logarithm of each of `values`."""
    return values.log() if hasattr(values, "log") else np.log(values)


def log1p(values: Array) -> Array:
    """Returns the natural logarithm of 1 + each of `values`, exact for small ones."""
    return values.log1p() if hasattr(values, "log1p") else np.log1p(values)


def require_length(name: str, length: int, *, at_least: int = 1) -> int:
    """Returns `length` as an int, or explains what is allowed.

    Raises:
        ValueError: Not a whole number, or below `at_least`.
    """
    if not is_whole(length) or length < at_least:
        raise ValueError(f"{name} must be a whole number of at least {at_least}, got {length}")
    return int(length)


def is_whole(number: float) -> bool:
    """Returns whether a number is a whole one: NaN and infinity are none.

    >>> is_whole(3), is_whole(3.0), is_whole(3.5), is_whole(float("nan"))
    (True, True, False, False)
    """
    return math.isfinite(number) and number == int(number)


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """Returns the same array, which nobody can change any more: it may be shared.

    Args:
        values: A numpy array; changed in place.
    """
    values.flags.writeable = False
    return values
