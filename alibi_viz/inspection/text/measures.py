"""What a head does with its attention, in numbers: windows, sinks, entropy, mean by distance.

numpy in, numpy out. Weights come a block of queries at a time, so that no cube is ever held.
"""

from dataclasses import dataclass

import numpy as np
from einops import rearrange
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.windows import effective_window

# Sums below it are no rounding of 1, not even that of bfloat16 weights.
WHOLE = 0.97
# Of float32; smaller numbers are slow.
SMALLEST = 1.2e-38

Weights = NDArray[np.floating]


@dataclass(frozen=True)
class Measures:
    """Measures of some heads over one text, each a mean over the queries that see a key."""

    mass: float
    """Share of the attention that `window` holds."""
    window: Floats
    """(..., head) mean of the smallest number of nearest keys that hold `mass`, in tokens."""
    first_token: Floats
    """(..., head) share of the attention on the first token, by the queries after it."""
    entropy: Floats
    """(..., head) in nats."""
    previous_token: Floats
    """(..., head) share of the attention on the token just before the query."""
    mean_by_distance: Floats
    """(..., head, distance) weight at each distance, a mean over the queries that have it."""


def weights_by_distance(weights: Weights, query_pos: NDArray[np.int64]) -> Weights:
    """Returns weights rearranged by distance, nearest key first, 0 beyond a query's first key.

    >>> weights_by_distance(np.array([[0.25, 0.75, 0.0]]), np.array([1])).tolist()
    [[0.75, 0.25, 0.0]]

    Args:
        weights: (..., query, key) attention weights.
        query_pos: (query,) positions of the queries among the keys.

    Returns:
        (..., query, distance).
    """
    n_query, n_key = weights.shape[-2:]
    if not np.array_equal(query_pos, np.arange(n_key - n_query, n_key)):
        key = rearrange(query_pos, "query -> query 1") - np.arange(n_key)
        near = weights[..., np.arange(n_query)[:, None], np.maximum(key, 0)]
        return np.where(key >= 0, near, 0)
    # The last queries of the keys: reversed, each row is the one before moved by one. So a view
    # with shifted rows does it, on a copy with zeros to run into.
    copy = np.zeros((*weights.shape[:-1], n_key + n_query), weights.dtype)
    copy[..., :n_key] = weights[..., ::-1]
    *outer, row, item = copy.strides
    return np.lib.stride_tricks.as_strided(
        copy[..., n_query - 1 :], weights.shape, (*outer, row - item, item), writeable=False
    )


class RunningMeasures:
    """Adds up the measures of some heads over blocks of queries."""

    def __init__(self, n_head: int, length: int, mass: float) -> None:
        self.mass = mass
        self.length = length
        self._sums = np.zeros((3, n_head))
        self._first = np.zeros(n_head)
        self._by_distance = np.zeros((n_head, length))
        # Queries that see a key: all, those after the first token, and those with each distance.
        self._seeing = np.zeros(n_head)
        self._after_first = np.zeros(n_head)
        self._with_distance = np.zeros((n_head, length))

    def add(self, weights: Weights, query_pos: NDArray[np.int64]) -> None:
        """Adds a block of queries.

        Args:
            weights: (head, query, key) attention weights of the first keys, enough for all that
                the queries see; rows of zeros see no key.
            query_pos: (query,) positions.
        """
        near, n_key = weights_by_distance(weights, query_pos), weights.shape[-1]
        sees = np.any(weights, axis=-1)
        window = effective_window(_whole(near), self.mass)
        # A weight of zero has no entropy: 0 times any finite logarithm.
        entropy = -np.einsum("hqk,hqk->hq", weights, np.log(np.maximum(weights, SMALLEST)))
        previous = near[..., 1] if n_key > 1 else np.zeros_like(entropy)
        later = sees & (query_pos > 0)
        self._sums += np.stack([(part * sees).sum(-1) for part in (window, entropy, previous)])
        self._first += (weights[..., 0] * later).sum(-1)
        self._by_distance[:, :n_key] += near.sum(-2)
        self._seeing += sees.sum(-1)
        self._after_first += later.sum(-1)
        reached = rearrange(query_pos, "query -> query 1") >= np.arange(self.length)
        self._with_distance += (sees[..., None] & reached).sum(-2)

    def result(self) -> Measures:
        """Returns the means over all queries added; 0 where no query counts."""
        window, entropy, previous = self._sums / np.maximum(self._seeing, 1)
        # The first token has no token before it.
        scale = self._seeing / np.maximum(self._after_first, 1)
        return Measures(
            self.mass,
            window,
            self._first / np.maximum(self._after_first, 1),
            entropy,
            previous * scale,
            self._by_distance / np.maximum(self._with_distance, 1),
        )


def _whole(near: Weights) -> Weights:
    """Returns weights whose rows sum to 1: a sink that is no token may take a share of them."""
    total = near.sum(-1, keepdims=True)
    lost = (total > 0) & (total < WHOLE)
    return near / np.where(lost, total, 1) if lost.any() else near


def stack_measures(layers: list[Measures]) -> Measures:
    """Returns the measures of all layers as one, with a layer axis in front."""
    return Measures(
        layers[0].mass,
        np.stack([layer.window for layer in layers]),
        np.stack([layer.first_token for layer in layers]),
        np.stack([layer.entropy for layer in layers]),
        np.stack([layer.previous_token for layer in layers]),
        np.stack([layer.mean_by_distance for layer in layers]),
    )


def slope_measures(slopes: Floats, length: int, mass: float) -> Measures:
    """Returns the same measures for heads that follow their slopes alone, with equal content.

    So that measured and theoretical numbers compare: both are means over the same queries, most of
    which have fewer keys before them than the last.

    Args:
        slopes: (head,) slopes, in nats per token.
        length: Tokens in the text.
        mass: Share of the attention for the window.
    """
    distance = np.arange(length)
    decay = np.exp(-slopes[:, None] * distance)
    total = np.cumsum(decay, axis=-1)  # (head, query): what each query's weights sum to
    # Mean over queries i >= d of decay(d) / total(i).
    tail = np.cumsum((1 / total)[:, ::-1], axis=-1)[:, ::-1]
    mean = decay * tail / (length - distance)
    first = (decay / total)[:, 1:]
    previous = decay[:, 1:2] / total[:, 1:]
    log_total = np.log(total)
    mean_distance = np.cumsum(distance * decay, axis=-1) / total
    windows = [1 + np.searchsorted(row, mass * row) for row in total]
    nothing = np.zeros(len(slopes))
    return Measures(
        mass,
        np.stack([np.minimum(row, distance + 1).mean() for row in windows]),
        first.mean(-1) if length > 1 else nothing,
        (log_total + slopes[:, None] * mean_distance).mean(-1),
        previous.mean(-1) if length > 1 else nothing,
        mean,
    )
