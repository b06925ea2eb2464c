"""The shape of one head's bias: straight, flat from somewhere on, a window, bent, rounded ...

What is known of a head is ln p at some distances from one query whose content is zero: the bias up
to a constant. Every test has a tolerance that follows from number types and sizes, in nats.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from alibi_viz.inspection.line_fit import fit_lines
from alibi_viz.maths.arrays import Floats

FLOAT32 = float(torch.finfo(torch.float32).eps)
# Weights below these are not read: they are, or may be, rounded to fewer digits or to zero.
SMALLEST = {torch.float16: 2.0**-14, torch.bfloat16: 1e-30, torch.float32: 1e-30}
# A key whose weight is smaller does not change a sum of weights in float32: it may be left out.
COUNTS = 1e-6
# Rounded biases that move ln p by no more are noted, not held against the model.
TOLERATED = 0.05
# Single places can be told from a line only if most points lie on it.
FEWEST_FOR_PLACES = 5
SHORTER = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def smallest_read(dtype: torch.dtype) -> float:
    """Returns the smallest weight of a number type that is read."""
    return SMALLEST.get(dtype, 1e-30)


def smallest_missed(dtype: torch.dtype) -> float:
    """Returns the weight from which a key that is not read is told to be hidden."""
    return max(COUNTS, 8 * smallest_read(dtype))


@dataclass(frozen=True)
class Points:
    """What one query of one head gives to some keys."""

    distance: NDArray[np.int64]
    """(point,) distances, ascending."""
    weight: Floats
    """(point,) weights."""
    query: int
    """Position of the query in its text, counted from 0."""
    dtype: torch.dtype
    """Number type of the weights."""

    @property
    def seen(self) -> NDArray[np.bool_]:
        """(point,) whether the weight is large enough to be read."""
        return np.asarray(self.weight >= smallest_read(self.dtype))

    @property
    def log_weight(self) -> Floats:
        """(point,) ln p, 0 where it is not read."""
        return np.log(np.where(self.seen, self.weight, 1.0))

    def tolerance(self, slope: float) -> float:
        """Returns what ln p may be off by, in nats, from number types alone.

        A weight is rounded to its type. A logit of float32 is rounded at the size of the biases
        that a key far from position 0 has, and exp and ln add some digits of ln p.
        """
        reach = float(np.abs(self.log_weight).max(initial=0.0))
        bias = abs(slope) * (self.query + 1)
        return float(torch.finfo(self.dtype).eps) + 4 * FLOAT32 * (8 + reach + bias)


@dataclass(frozen=True)
class Shape:
    """What the points of a head look like."""

    kind: str
    """Kind of finding (not_finite, window, holes, flat, offset, coarse, bent), or straight, or
    unread."""
    slope: float = 0.0
    """In nats per token, of the straight line, or of the nearest keys where there is none."""
    precision: float = np.inf
    """What the slope may be off by, in nats per token."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """What tells the shape, by name."""


def shape_of(points: Points, promised: float | None, factor: float = 1.0) -> Shape:
    """Returns the shape of a head's bias.

    Args:
        points: What was read.
        promised: The slope that should act; None where none is known.
        factor: What the family multiplies biases with after it rounded them.
    """
    if not np.isfinite(points.weight).all():
        return Shape("not_finite")
    seen = points.seen
    holes = _holes(points)
    if holes is not None:
        return holes
    if seen.sum() < 2:
        hidden = _window(points, promised)
        return hidden or Shape("unread")
    lines = fit_lines(points.distance.astype(np.float64), points.log_weight, seen)
    slope = 0.0 - float(lines.gradient)
    tolerance = points.tolerance(slope if promised is None else max(abs(slope), abs(promised)))
    span = int(np.ptp(points.distance[seen]))
    precision = 3 * tolerance / span
    hidden = _window(points, promised)
    if hidden is not None:
        return hidden
    if float(lines.deviation) <= tolerance:
        return Shape("straight", slope, precision)
    for candidate in _slopes_to_try(points, promised):
        found = (
            _flat(points, candidate, tolerance)
            or _offset(points, candidate, tolerance)
            or _coarse(points, candidate, tolerance, factor)
        )
        if found is not None:
            return found
    return _bent(points, float(lines.deviation), tolerance)


def _slopes_to_try(points: Points, promised: float | None) -> list[float]:
    distance, value = points.distance[points.seen], points.log_weight[points.seen]
    local = -np.diff(value) / np.diff(distance)
    tries = [float(local[0]), float(np.median(local))]
    return tries if promised is None else [promised, *tries]


def _window(points: Points, promised: float | None) -> Shape | None:
    """Returns how many keys are seen, if farther ones are hidden that should not be."""
    seen, distance, value = points.seen, points.distance, points.log_weight
    if seen.all() or not seen.any():
        return None
    last = int(np.flatnonzero(seen)[-1])
    if last + 1 == len(seen):
        return None
    nearest = np.flatnonzero(seen)[-2:]
    slope = measured = 0.0 if promised is None else promised
    if len(nearest) == 2:
        first, second = nearest
        drop = (value[first] - value[second]) / (distance[second] - distance[first])
        measured = float(drop)
        slope = max(slope, measured)
    expected = value[last] - slope * (distance[last + 1] - distance[last])
    floor = np.log(smallest_missed(points.dtype))
    if expected < floor or points.weight[last + 1] > 0.1 * np.exp(expected):
        return None
    keys = int(distance[last]) + 1
    return Shape("window", measured, np.inf, {"keys": keys, "next": int(distance[last + 1])})


def _holes(points: Points) -> Shape | None:
    """Returns where hidden keys lie between seen ones, of weights that would have to be seen."""
    at = np.flatnonzero(points.seen)
    counted = at[points.weight[at] > smallest_missed(points.dtype)]
    if len(counted) < 2:
        return None
    hidden = np.flatnonzero(~points.seen[: counted[-1]])
    hidden = hidden[hidden > counted[0]]
    if not len(hidden):
        return None
    value, distance = points.log_weight, points.distance
    slope = float((value[at[0]] - value[at[1]]) / (distance[at[1]] - distance[at[0]]))
    return Shape("holes", slope, np.inf, {"first": int(distance[hidden[0]])})


def _flat(points: Points, slope: float, tolerance: float) -> Shape | None:
    seen, distance, value = points.seen, points.distance, points.log_weight
    at, value = distance[seen], value[seen]
    if slope <= 0 or at[0] != 0 or len(at) < 4:
        return None
    start = (value[0] - value[-1]) / slope
    if not 0 < start < at[-2] + 0.5:
        return None
    error = np.abs(value - (value[0] - slope * np.minimum(at, start))).max()
    if error > 2 * tolerance:
        return None
    return Shape("flat", slope, np.inf, {"from_distance": round(start)})


def _offset(points: Points, slope: float, tolerance: float) -> Shape | None:
    seen = points.seen
    rest = (points.log_weight + slope * points.distance)[seen]
    at = points.distance[seen]
    away = rest - np.median(rest)
    out = np.abs(away) > 2 * tolerance
    if len(rest) < FEWEST_FOR_PLACES or not 1 <= out.sum() <= max(1, len(rest) // 6):
        return None
    place = int(at[out][np.abs(away[out]).argmax()])
    amount = float(away[at == place][0])
    key = points.query - place
    where = {0: "the query's own key", 1: "the previous token"}.get(place)
    if where is None:
        where = f"distance {place}"
        if key < place:
            where = {0: "the first token"}.get(key, f"token {key + 1} of the text")
    return Shape("offset", slope, np.inf, {"amount": amount, "place": where})


def _coarse(points: Points, slope: float, tolerance: float, factor: float) -> Shape | None:
    """Returns which number type rounds, if biases rounded to it are what was read."""
    seen = points.seen
    at, value = points.distance[seen], points.log_weight[seen]
    deviation = float(fit_lines(at.astype(np.float64), value).deviation)
    for name, kind in SHORTER.items():
        for rounded_first in (False, True):
            for key in (points.query - at, -at):
                bias = _rounded_bias(slope / factor, key, kind, rounded_first) * factor
                error = np.ptp(value - bias) / 2
                # What the bias becomes in the model's own type afterwards.
                again = float(torch.finfo(points.dtype).eps) * float(np.abs(bias).max())
                if error <= 2 * tolerance + (again if points.dtype != kind else 0.0):
                    numbers = {"deviation": deviation, "rounds_to": name, "keys": len(at),
                               "distinct": len(np.unique(bias))}  # fmt: skip
                    return Shape("coarse", slope, np.inf, numbers)
    return None


def _rounded_bias(
    slope: float, key: NDArray[np.int64], kind: torch.dtype, rounded_first: bool
) -> Floats:
    held = torch.tensor(slope, dtype=torch.float32)
    held = held.to(kind).float() if rounded_first else held
    return (held * torch.from_numpy(key)).to(kind).double().numpy()


def _bent(points: Points, deviation: float, tolerance: float) -> Shape:
    distance, value = points.distance[points.seen], points.log_weight[points.seen]
    local = -np.diff(value) / np.diff(distance)
    near, far = float(local[0]), float(local[-1])
    numbers = {"deviation": deviation, "near_slope": near, "far_slope": far}
    return Shape("bent", near, tolerance, numbers)


def _shared_distances(
    mine: NDArray[np.int64], theirs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the indices of the distances that two readings share; both ascend."""
    place = np.searchsorted(theirs, mine).clip(max=max(len(theirs) - 1, 0))
    here = np.flatnonzero(theirs[place] == mine) if len(theirs) else np.zeros(0, np.int64)
    return here, place[here]


def same_shape(points: Points, other: Points, slope: float) -> bool:
    """Returns whether two readings of a head agree where both have a distance.

    Args:
        points: One reading.
        other: Another, with another query or in another situation.
        slope: What should act, in nats per token, for the tolerance.
    """
    here, there = _shared_distances(points.distance, other.distance)
    if not np.isfinite(points.weight).all() == np.isfinite(other.weight).all():
        return False
    both = points.seen[here] & other.seen[there]
    difference = (points.log_weight[here] - other.log_weight[there])[both]
    tolerance = points.tolerance(slope) + other.tolerance(slope)
    level = float(np.median(difference)) if len(difference) else 0.0
    if len(difference) and float(np.abs(difference - level).max()) > tolerance:
        return False
    # Read in one and not in the other, although it should be large enough.
    floor = np.log(max(smallest_missed(one.dtype) for one in (points, other)))
    lost = other.seen[there] & ~points.seen[here]
    gained = points.seen[here] & ~other.seen[there]
    return not (
        (other.log_weight[there][lost] + level > floor).any()
        or (points.log_weight[here][gained] - level > floor).any()
    )
