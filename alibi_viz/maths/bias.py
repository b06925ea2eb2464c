"""ALiBi's bias: minus slope times distance, added to the attention logits before the softmax.

Source: Press, Smith and Lewis, ICLR 2022, section 3, https://arxiv.org/abs/2108.12409

The paper counts i (query) and j (key) from 1 and writes the bias of the causal case only. Here
positions count from 0, the distance is `query_pos - key_pos`, and keys in the query's future get
-inf, so that the bias alone makes the attention causal. The bias is not divided by sqrt(d_head).
"""

from typing import Literal, get_args

import numpy as np
from einops import rearrange

from alibi_viz.maths.arrays import Array, as_slopes, counting_up, require_length

Direction = Literal["causal", "symmetric"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


def alibi_bias(
    slopes: Array,
    query_length: int,
    key_length: int | None = None,
    *,
    direction: Direction = "causal",
) -> Array:
    """Returns the bias of every head, query and key, as a cube.

    causal:     -slope * (query_pos - key_pos), and -inf where key_pos > query_pos
    symmetric:  -slope * |query_pos - key_pos|, nothing masked (an encoder)

    Queries are the last ones of the keys (bottom-right aligned), as in decoding with a cache:
    query 0 stands at key position key_length - query_length.

    For tests and for small examples: what draws or evaluates uses `bias_by_distance`, which holds
    the same numbers in (head, distance).

    >>> alibi_bias([0.5], 3)[0].tolist()
    [[0.0, -inf, -inf], [-0.5, 0.0, -inf], [-1.0, -0.5, 0.0]]

    Args:
        slopes: (head,) slopes, in nats per token. A torch tensor gives a torch tensor.
        query_length: Number of queries, at least 1.
        key_length: Number of keys, at least `query_length`; as many as queries if left out.
        direction: "causal" or "symmetric".

    Returns:
        (head, query, key), added to attention logits, in nats.

    Raises:
        ValueError: Slopes that are not (head,) and finite, a length below 1, fewer keys than
            queries, or an unknown direction.
    """
    slopes = as_slopes(slopes)
    query_length = require_length("query_length", query_length)
    key_length = require_length(
        "key_length", query_length if key_length is None else key_length, at_least=query_length
    )
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, got {direction!r}")
    key_pos = counting_up(slopes, key_length)
    query_pos = key_pos[key_length - query_length :]
    distance = rearrange(query_pos, "query -> query 1") - key_pos
    # Subtracting from 0, not negating: a bias of -0.0 would print as "-0".
    bias = rearrange(slopes, "head -> head 1 1") * (0 - abs(distance))
    if direction == "causal":
        bias[:, distance < 0] = -np.inf
    return bias


def bias_by_distance(slopes: Array, length: int) -> Array:
    """Returns the causal bias of every head at every distance: a Toeplitz matrix, told once.

    >>> bias_by_distance([0.5, 0.25], 3).tolist()
    [[0.0, -0.5, -1.0], [0.0, -0.25, -0.5]]

    Args:
        slopes: (head,) slopes, in nats per token. A torch tensor gives a torch tensor.
        length: Number of distances, at least 1.

    Returns:
        (head, distance), -slope * distance for distance 0 .. length - 1, in nats.

    Raises:
        ValueError: Slopes that are not (head,) and finite, or a length below 1.
    """
    slopes = as_slopes(slopes)
    distance = counting_up(slopes, require_length("length", length))
    return rearrange(slopes, "head -> head 1") * (0 - distance)
