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
import torch
from einops import einsum, rearrange
from numpy.typing import NDArray
from torch import Tensor

from alibi_viz.maths.arrays import Floats
from alibi_viz.positions.base import PositionMethod
from alibi_viz.positions.learned import Learned


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


@torch.no_grad()
def logit_by_distance(position: PositionMethod, length: int) -> Effect:
    """Returns the logit that a method adds or causes at each distance.

    Args:
        position: The method, with its parameters as they are.
        length: Distances 0 .. length - 1; a learned table gives as many as it has rows.

    Returns:
        (head, distance) means and ends over all queries of the window, in nats.
    """
    bias = position.bias_by_distance(length)
    if bias is not None:
        fixed = bias.double().numpy()
        return Effect(fixed, fixed, fixed)
    vectors = position_vectors(position, length)
    if vectors is None:
        nothing = np.zeros((1, length))
        return Effect(nothing, nothing, nothing)
    logits = einsum(vectors, vectors, "query d, key d -> query key").numpy()
    diagonals = [np.diagonal(logits, -distance) for distance in range(len(logits))]
    mean, low, high = (
        rearrange(
            np.array([statistic(diagonal) for diagonal in diagonals]), "distance -> 1 distance"
        )
        for statistic in (np.mean, np.min, np.max)
    )
    return Effect(mean, low, high)


@torch.no_grad()
def logit_matrix(position: PositionMethod, places: NDArray[np.int64], head: int) -> Floats:
    """Returns the logit between positions, as a matrix with the future left out.

    Args:
        position: The method, with its parameters as they are.
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
        logits = bias[head].double().numpy()[distance.clip(min=0)]
    else:
        logits = np.zeros(distance.shape)
        vectors = position_vectors(position, length)
        if vectors is not None:
            there = places < len(vectors)
            some = vectors[torch.as_tensor(places[there])]
            logits[:] = np.nan
            logits[np.ix_(there, there)] = einsum(some, some, "query d, key d -> query key")
    visible: Floats = np.where(distance < 0, np.nan, logits)
    return visible


def position_vectors(position: PositionMethod, length: int) -> Tensor | None:
    """Returns one vector a position whose inner products are the logits that the method causes.

    Args:
        position: A method that acts on embeddings, or on queries and keys.
        length: Positions 0 .. length - 1; a learned table gives as many as it has rows.

    Returns:
        (position, d) float64, or None for a method that acts on neither.
    """
    config = position.config
    if position.acts_on_queries_and_keys:
        same = torch.ones(1, 1, length, config.d_head, dtype=torch.float64)
        turned = position.rotate(same, same)[0][0, 0]
        scaled: Tensor = turned / config.d_head**0.25
        return scaled
    if isinstance(position, Learned):
        length = min(length, position.table.shape[0])
    nothing = torch.zeros(1, length, config.d_model, dtype=torch.float64)
    placed: Tensor = position.embed(nothing)[0]
    if not bool(placed.any()):
        return None
    size = placed.square().mean(dim=-1, keepdim=True).sqrt()
    vectors: Tensor = placed / size / config.d_model**0.25
    return vectors
