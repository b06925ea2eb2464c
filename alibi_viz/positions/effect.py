"""What each method does to an attention logit with nothing else in the way.

logit methods:      the bias itself, with zero content
embedding methods:  p_i . p_j / sqrt(d_model), the position vectors alone as queries and keys
query and key:      q . k / sqrt(d_head) of the same vector of ones at every position, rotated
nowhere:            0

Position vectors have a root mean square of 1, as a layer's normalisation makes it.

Projections are left out: a trained model mixes these shapes, it does not add others.
"""

from dataclasses import dataclass

import numpy as np
from einops import rearrange
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats
from alibi_viz.positions.base import Place, PositionMethod

CONDITIONS: dict[Place, str] = {
    "logit": "the bias itself; content is zero",
    "embedding": "position vectors of root mean square 1 as queries and keys; content is zero",
    "query_key": "the same content at every position, rotated",
    "nowhere": "nothing is added; content is zero",
}
"""Under which conditions the effect is shown, in words."""


@dataclass(frozen=True)
class Effect:
    """A method's logit by distance: mean over queries, and where they differ the spread of them."""

    mean: Floats
    """(head, distance) in nats; one row where all heads have the same."""
    low: Floats
    """(head, distance) lowest over queries."""
    high: Floats
    """(head, distance) highest over queries."""

    @property
    def depends_on_distance_only(self) -> bool:
        """Whether every query has the same logit at the same distance, to rounding."""
        return bool(np.allclose(self.low, self.high, atol=1e-4))


def logit_by_distance(position: PositionMethod, length: int) -> Effect:
    """Returns the logit that a method adds or causes at each distance.

    Args:
        position: The method, with what it learned as numpy arrays.
        length: Distances 0 .. length - 1; a learned table gives as many as it has rows.

    Returns:
        (head, distance) means and ends over all queries of the window, in nats.
    """
    bias = position.bias_by_distance(length)
    if bias is not None:
        fixed = bias.astype(float)
        return Effect(fixed, fixed, fixed)
    vectors = position_vectors(position, length)
    if vectors is None:
        nothing = np.zeros((1, length))
        return Effect(nothing, nothing, nothing)
    logits = vectors @ vectors.T
    diagonals = [np.diagonal(logits, -distance) for distance in range(len(logits))]
    mean, low, high = (
        rearrange(
            np.array([statistic(diagonal) for diagonal in diagonals]), "distance -> 1 distance"
        )
        for statistic in (np.mean, np.min, np.max)
    )
    return Effect(mean, low, high)


def logit_matrix(position: PositionMethod, places: NDArray[np.int64], head: int) -> Floats:
    """Returns the logit between positions, as a matrix with the future left out.

    Args:
        position: The method, with what it learned as numpy arrays.
        places: (place,) increasing positions in the window, counted from 0.
        head: Head, counted from 0, where heads differ.

    Returns:
        (query, key) in nats, both at `places`; NaN where the key lies in the query's future, and
        where a learned table has no row.
    """
    length = int(places[-1]) + 1
    distance = rearrange(places, "query -> query 1") - places
    bias = position.bias_by_distance(length)
    if bias is not None:
        logits = bias[head].astype(float)[distance.clip(min=0)]
    else:
        logits = np.zeros(distance.shape)
        vectors = position_vectors(position, length)
        if vectors is not None:
            there = places < len(vectors)
            some = vectors[places[there]]
            logits[:] = np.nan
            logits[np.ix_(there, there)] = some @ some.T
    visible: Floats = np.where(distance < 0, np.nan, logits)
    return visible


def position_vectors(position: PositionMethod, length: int) -> Floats | None:
    """Returns one vector a position whose inner products are the logits that the method causes.

    Args:
        position: A method that acts on embeddings, or on queries and keys, with what it learned as
            numpy arrays.
        length: Positions 0 .. length - 1; as many as in training where positions end there.

    Returns:
        (position, d) float64, or None for a method that acts on neither.
    """
    config = position.config
    if position.acts_on == "query_key":
        same = np.ones((1, 1, length, config.d_head))
        turned: Floats = position.rotate(same, same)[0][0, 0] / config.d_head**0.25
        return turned
    if position.acts_on != "embedding":
        return None
    if position.ends_at_train_length:
        length = min(length, config.train_length)
    placed: Floats = position.embed(np.zeros((1, length, config.d_model)))[0]
    size = np.sqrt(np.square(placed).mean(axis=-1, keepdims=True))
    vectors: Floats = placed / size / config.d_model**0.25
    return vectors
