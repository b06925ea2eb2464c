"""The straight line through points, for many heads at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats


@dataclass(frozen=True)
class Lines:
    """Straight lines y = start + gradient * x, one for each leading index."""

    gradient: Floats
    """(...) change of y for each unit of x; 0 where all points that count have one x."""
    start: Floats
    """(...) y at x = 0."""
    deviation: Floats
    """(...) largest distance of a point that counts from its line, in units of y."""


def fit_lines(x: Floats, y: Floats, weight: NDArray[Any] | None = None) -> Lines:
    """Returns the lines of least squares, sum over points of (weight * error)^2.

    >>> line = fit_lines(np.array([0.0, 1, 2]), np.array([[1.0, 3, 5]]))
    >>> line.gradient.tolist(), line.start.tolist(), line.deviation.tolist()
    ([2.0], [1.0], [0.0])

    Args:
        x: (point,) or (..., point).
        y: (..., point).
        weight: (..., point), what a point counts; 0 leaves it out. 1 if left out.

    Returns:
        One line for each leading index of `y`; 0 throughout where no point counts.
    """
    w = np.ones(y.shape) if weight is None else np.broadcast_to(weight, y.shape) ** 2
    total = np.maximum(w.sum(-1, keepdims=True), np.finfo(np.float64).tiny)
    x_mean = (w * x).sum(-1, keepdims=True) / total
    y_mean = (w * y).sum(-1, keepdims=True) / total
    from_mean, y_centred = x - x_mean, y - y_mean
    spread = (w * from_mean**2).sum(-1)
    gradient = (w * from_mean * y_centred).sum(-1) / np.where(spread > 0, spread, 1)
    error = np.abs(y_centred - gradient[..., None] * from_mean) * (w > 0)
    return Lines(gradient, (y_mean - gradient[..., None] * x_mean)[..., 0], error.max(-1))
