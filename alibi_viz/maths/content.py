"""Attention when content speaks as well as distance: one query, many seeded draws of content.

The content logits q.k / sqrt(d_head) of one query are drawn as independent normal numbers, one per
key, the same for all heads. No trained model is like that, but the question is answered exactly:
how strong must content be before it beats a slope?

What is drawn on a screen is a few hundred distances, not all of them. Sums over keys run through
every key all the same, segment by segment between the distances asked for, as matrix products: at
64 heads, 16,384 keys and 101 draws nothing of size head x key x draw exists.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from einops import rearrange
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats, as_slopes, require_length

Ints = NDArray[np.int64]

# One more than a multiple of ten: the 10 %, 50 % and 90 % points are then draws themselves.
N_DRAW = 101
SPREAD = (0.1, 0.5, 0.9)

# Keys whose weights together stay below e-50 of the query's own are left out of sums: float64
# would not notice them (its last digit is e-36), and the processor is slow with subnormals.
NEGLIGIBLE_NATS = 60.0

# Keys in one matrix product. OpenBLAS computes products this small on one thread; larger ones
# would wait for a second core, which on a busy server took thirty times as long.
KEYS_AT_ONCE = 32


@dataclass(frozen=True)
class DrawnAttention:
    """The attention of one query, for every head and draw."""

    distances: Ints
    """(distance,) the distances asked for, in tokens."""
    weights: Floats
    """(head, distance, draw) attention weight of the one key at each distance."""
    held: Floats
    """(head, distance, draw) share of the attention on all keys up to that distance."""
    windows: Ints
    """(mass, head, draw) nearest keys that hold at least each mass, in tokens."""
    effective_keys: Floats
    """(head, draw) exp of the entropy of the weights over all keys."""


class Spread(NamedTuple):
    """The 10 %, 50 % and 90 % points of a value over draws; equal where there is one draw."""

    low: NDArray[Any]
    median: NDArray[Any]
    high: NDArray[Any]


def content_draws(n_key: int, *, n_draw: int = N_DRAW, seed: int = 0) -> Floats:
    """Returns standard normal content logits, to be multiplied by a strength in nats.

    A Latin hypercube: over the draws, each key takes one number from every 1 / n_draw of the normal
    distribution, in a random order of its own. Each number is normal and keys are independent, but
    medians and ranges over draws hardly jitter from key to key.

    Longer draws begin with the shorter ones: moving the query adds or takes away keys and leaves
    the others as they were.

    Args:
        n_key: Number of keys, at least 1.
        n_draw: Number of draws, at least 1.
        seed: Seed of the generator.

    Returns:
        (distance, draw) normal numbers, mean 0 and standard deviation 1.

    Raises:
        ValueError: A number of keys or draws below 1.

    Source:
        McKay, Beckman and Conover, Technometrics 21 (1979) 239-245.
    """
    shape = (require_length("n_key", n_key), require_length("n_draw", n_draw))
    orders, places = (np.random.default_rng([seed, stream]) for stream in range(2))
    strata = orders.permuted(np.broadcast_to(np.arange(n_draw), shape), axis=1)
    return _normal_quantile((strata + places.random(shape)) / n_draw)


def _normal_quantile(probability: Floats) -> Floats:
    """Returns the standard normal number below which that probability lies, within 2e-5.

    Interpolated between 2,401 exact values; numpy has no inverse of the normal distribution.
    """
    numbers = np.linspace(-6, 6, 2401)
    exact = [NormalDist().cdf(number) for number in numbers]
    return np.interp(probability, exact, numbers)


def distance_grid(
    n_key: int, n_point: int = 120, also: Sequence[int] = (), *, even: bool = False
) -> Ints:
    """Returns distances that draw a curve over all of them, both ends included.

    >>> distance_grid(10, 4).tolist()
    [0, 1, 2, 4, 9]

    Args:
        n_key: Number of keys, at least 1; distances run from 0 to n_key - 1.
        n_point: Points from distance 1 to the last, before those that fall on the same token.
        also: Distances that must be among them, if the keys reach that far.
        even: Whether half of the points are spaced evenly, for a linear axis. The others, or all,
            are spaced evenly in the logarithm.

    Returns:
        (distance,) increasing whole numbers from 0 to n_key - 1.

    Raises:
        ValueError: A number of keys below 1.
    """
    last = require_length("n_key", n_key) - 1
    n_even = n_point // 2 if even else 0
    spaced = [np.geomspace(1, max(last, 1), n_point - n_even), np.linspace(0, last, n_even)]
    wanted = np.concatenate([[0], np.rint(np.concatenate(spaced)), also, [last]]).astype(np.int64)
    return np.unique(wanted[(wanted >= 0) & (wanted <= last)])


def attention_over_draws(
    slopes: Floats, content: Floats, distances: Ints, masses: Sequence[float] = ()
) -> DrawnAttention:
    """Returns the attention of one query under each draw of content, at the distances asked for.

    softmax over d of  content(d) - slope * d

    Args:
        slopes: (head,) slopes, at least 0, in nats per token.
        content: (distance, draw) content logits of all keys, nearest first, in nats.
        distances: (distance,) increasing distances to report; the last one is the last key.
        masses: Shares of the attention, above 0 and below 1, whose windows are wanted.

    Returns:
        Weights and sums at those distances, windows in single tokens, effective numbers of keys.

    Raises:
        ValueError: Distances that do not increase from 0 or more to the last key, a negative slope,
            or a mass outside (0, 1).
    """
    slopes = as_slopes(slopes)
    _require_inputs(slopes, content, distances, masses)
    # The largest logit of each draw becomes 0: the softmax does not change, nothing overflows.
    content = content - content.max(axis=0)
    fall = _fall(slopes, content)
    boost = np.exp(content)
    running = _running_sums(fall, boost, distances)
    total = running[-1]
    logits = rearrange(content[distances], "distance draw -> 1 distance draw") - rearrange(
        np.outer(slopes, distances), "head distance -> head distance 1"
    )
    return DrawnAttention(
        distances=distances,
        weights=np.exp(logits) / rearrange(total, "head draw -> head 1 draw"),
        held=rearrange(running / total, "distance head draw -> head distance draw"),
        windows=np.array(
            [_windows(mass * total, running, fall, boost, distances) for mass in masses],
            dtype=np.int64,
        ).reshape(len(masses), *total.shape),
        effective_keys=_effective_keys(slopes, content, fall, boost, total),
    )


def spread(values: NDArray[Any]) -> Spread:
    """Returns the 10 %, 50 % and 90 % points over draws, each of them a draw itself.

    Args:
        values: (..., draw) values, in any order.

    Returns:
        Low, median and high, (...) each.
    """
    places = [round(share * (values.shape[-1] - 1)) for share in SPREAD]
    ranked = np.partition(values, sorted(set(places)), axis=-1)
    return Spread(*(ranked[..., place] for place in places))


def _require_inputs(
    slopes: Floats, content: Floats, distances: Ints, masses: Sequence[float]
) -> None:
    last = content.shape[0] - 1
    if distances[0] < 0 or distances[-1] != last or (np.diff(distances) < 1).any():
        raise ValueError(
            f"distances must increase from 0 or more to the last key's, {last}, "
            f"got {distances.tolist()}"
        )
    if (slopes < 0).any():
        raise ValueError(f"slopes must be at least 0, got {slopes.tolist()}")
    for mass in masses:
        if not 0 < mass < 1:
            raise ValueError(f"mass must be above 0 and below 1, got {mass}")


def _fall(slopes: Floats, content: Floats) -> Floats:
    """Returns exp(-slope * distance) as (distance, head), and 0 where no sum would notice it."""
    nats = np.outer(np.arange(content.shape[0]), slopes)
    negligible = nats > np.ptp(content) + NEGLIGIBLE_NATS
    fall: Floats = np.exp(-np.where(negligible, 0.0, nats))
    fall[negligible] = 0.0
    return fall


def _running_sums(fall: Floats, boost: Floats, distances: Ints) -> Floats:
    """Returns unnormalised sums over all keys up to each distance, (distance, head, draw)."""
    sums = np.zeros((len(distances), fall.shape[1], boost.shape[1]))
    for index, start in enumerate(_starts(distances)):
        _add_product(sums[index], fall[start : distances[index] + 1], boost[start:])
    return np.cumsum(sums, axis=0, out=sums)


def _add_product(out: Floats, left: Floats, right: Floats) -> None:
    """Adds to `out` (head, draw) the sum of left (key, head) times right (key, draw) over keys."""
    for start in range(0, len(left), KEYS_AT_ONCE):
        keys = slice(start, min(start + KEYS_AT_ONCE, len(left)))
        out += left[keys].T @ right[keys]


def _windows(wanted: Floats, running: Floats, fall: Floats, boost: Floats, distances: Ints) -> Ints:
    """Returns how many nearest keys reach the sums wanted, (head, draw), by looking only there."""
    starts = _starts(distances)
    segment = (running[:-1] < wanted).sum(axis=0)
    windows = np.empty(wanted.shape, dtype=np.int64)
    for index in np.unique(segment):
        head, draw = np.nonzero(segment == index)
        keys = slice(starts[index], distances[index] + 1)
        before = running[index - 1, head, draw] if index else 0.0
        held = before + np.cumsum(fall[keys, head] * boost[keys, draw], axis=0)
        # Rounding may leave the segment's sum just short of what is wanted: then it is all of it.
        short = (held[:-1] < wanted[head, draw]).sum(axis=0)
        windows[head, draw] = starts[index] + short + 1
    return windows


def _effective_keys(
    slopes: Floats, content: Floats, fall: Floats, boost: Floats, total: Floats
) -> Floats:
    """Returns exp of log(sum) minus the mean logit, which is the entropy, (head, draw)."""
    mean_logit = np.zeros_like(total)
    _add_product(mean_logit, fall, boost * content)
    distance = rearrange(np.arange(len(fall)), "distance -> distance 1")
    _add_product(mean_logit, -fall * distance * slopes, boost)
    keys: Floats = np.exp(np.log(total) - mean_logit / total)
    return keys


def _starts(distances: Ints) -> Ints:
    return np.concatenate([[0], distances[:-1] + 1])
