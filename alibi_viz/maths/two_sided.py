"""ALiBi for an encoder, which sees both sides: bias by offset, from the far past to the far future.

The offset is key_pos - query_pos: negative for the past, positive for the future.

causal:      -slope * |offset| for offset <= 0, -inf for offset > 0
symmetric:   -slope * |offset|, all heads alike
left_right:  the first half of the heads sees only the past, the second half only the future; both
             halves have the slopes of half as many heads

Source: the authors' repository, issue 5, where they name these ways for models that are not causal:
    https://github.com/ofirpress/attention_with_linear_biases/issues/5
"""

from typing import Literal, get_args

import numpy as np
from einops import rearrange, repeat

from alibi_viz.maths.arrays import Floats, require_length
from alibi_viz.maths.slopes import alibi_slopes

Sides = Literal["causal", "symmetric", "left_right"]
SIDES: tuple[Sides, ...] = get_args(Sides)


def bias_by_offset(n_head: int, length: int, sides: Sides) -> Floats:
    """Returns the bias of every head at every offset from the farthest past to the farthest future.

    >>> bias_by_offset(2, 3, "left_right").tolist()  # doctest: +NORMALIZE_WHITESPACE
    [[-0.0078125, -0.00390625, 0.0, -inf, -inf],
     [-inf, -inf, 0.0, -0.00390625, -0.0078125]]

    Args:
        n_head: Number of heads, at least 1; even for "left_right".
        length: Tokens in the sequence, at least 1.
        sides: One of `SIDES`.

    Returns:
        (head, offset), offset -(length - 1) .. length - 1, added to attention logits, in nats.

    Raises:
        ValueError: An odd number of heads for "left_right", a length below 1, or unknown sides.
    """
    last = require_length("length", length) - 1
    offset = np.arange(-last, last + 1)
    slopes = side_slopes(n_head, sides)
    bias: Floats = rearrange(slopes, "head -> head 1") * -abs(offset)
    if sides == "causal":
        bias[:, offset > 0] = -np.inf
    if sides == "left_right":
        bias[: n_head // 2, offset > 0] = -np.inf
        bias[n_head // 2 :, offset < 0] = -np.inf
    return bias


def side_slopes(n_head: int, sides: Sides) -> Floats:
    """Returns the slope of every head.

    Args:
        n_head: Number of heads, at least 1; even for "left_right".
        sides: One of `SIDES`.

    Returns:
        (head,) slopes, in nats per token.

    Raises:
        ValueError: An odd number of heads for "left_right", or unknown sides.
    """
    if sides not in SIDES:
        raise ValueError(f"sides must be one of {', '.join(SIDES)}, got {sides!r}")
    if sides != "left_right":
        return alibi_slopes(n_head)
    if n_head % 2:
        raise ValueError(f"left_right needs an even number of heads, got {n_head}")
    return repeat(alibi_slopes(n_head // 2), "head -> (two head)", two=2)
