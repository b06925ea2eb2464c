"""ALiBi's slopes: one fixed number per head.

Source: Press, Smith and Lewis, "Train Short, Test Long: Attention with Linear Biases Enables Input
Length Extrapolation", ICLR 2022, section 3, https://arxiv.org/abs/2108.12409

The paper states a geometric sequence that starts at 2**(-8/n) and has that same ratio; it writes n
for the number of heads, here `n_head`, and fixes the 8, here `max_exponent`. The authors' code, and
with it nearly every trained checkpoint, departs from that sequence when `n_head` is not a power of
two. Both are here, by name: reading a checkpoint by the wrong one is off by up to several hundred
percent.
"""

import math
from typing import Literal, get_args

import numpy as np

from alibi_viz.maths.arrays import Array, Floats, as_slopes, is_whole, require_length

SlopeRule = Literal["geometric", "interleaved"]
SLOPE_RULES: tuple[SlopeRule, ...] = get_args(SlopeRule)

# The paper's choice, section 3. MPT calls it alibi_bias_max, ggml max_bias.
MAX_SLOPE_EXPONENT = 8.0


def alibi_slopes(
    n_head: int,
    max_exponent: float = MAX_SLOPE_EXPONENT,
    rule: SlopeRule = "geometric",
    *,
    free_heads: int = 0,
) -> Floats:
    """Returns the slope of every head, in the order of the heads.

    geometric:    m_h = 2 ** (-max_exponent * h / n_head),  h = 1 .. n_head

    interleaved:  with p the largest power of two <= n_head, first the geometric slopes of p heads,
                  then every second one (the 1st, 3rd, 5th ...) of the slopes of 2 p heads.

    The two agree exactly when `n_head` is a power of two. The interleaved slopes are not sorted:
    the order is that of a checkpoint's heads, and sorting it would permute them.

    >>> alibi_slopes(8).tolist()
    [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]
    >>> alibi_slopes(6, rule="interleaved").tolist()
    [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    >>> alibi_slopes(4, free_heads=2).tolist()
    [0.0625, 0.00390625, 0.0, 0.0]

    Args:
        n_head: Number of heads, at least 1.
        max_exponent: Minus the base-2 logarithm of the flattest slope; 0 gives slope 1 to all.
        rule: "geometric" for the paper's closed form, "interleaved" for the authors' code.
        free_heads: How many heads, the last ones, get slope 0 and so no bias; the slopes are those
            of the other heads alone. An experiment of this project, not in the paper.

    Returns:
        (head,) slopes, in nats per token of distance.

    Raises:
        ValueError: No head, a negative or non-finite exponent, an unknown rule, or a number of
            free heads outside 0 .. n_head.

    Source:
        Section 3 of the paper; `get_slopes` in the authors' repository for "interleaved".
    """
    n_head = require_length("n_head", n_head)
    if not (math.isfinite(max_exponent) and max_exponent >= 0):
        raise ValueError(f"max_exponent must be finite and at least 0, got {max_exponent}")
    if not is_whole(free_heads) or not 0 <= free_heads <= n_head:
        raise ValueError(f"free_heads must be a whole number from 0 to {n_head}, got {free_heads}")
    if rule not in SLOPE_RULES:
        raise ValueError(f"rule must be one of {', '.join(SLOPE_RULES)}, got {rule!r}")
    if free_heads:
        biased = int(n_head - free_heads)
        slopes = alibi_slopes(biased, max_exponent, rule) if biased else np.zeros(0)
        return np.concatenate([slopes, np.zeros(int(free_heads))])
    if rule == "geometric":
        return _geometric(int(n_head), max_exponent)
    power = largest_power_of_two(int(n_head))
    every_second = _geometric(2 * power, max_exponent)[::2]
    return np.concatenate([_geometric(power, max_exponent), every_second])[: int(n_head)]


def _geometric(n_head: int, max_exponent: float) -> Floats:
    heads = np.arange(1, n_head + 1)
    # Product before quotient: 8 * h / H is exact wherever the slope is a power of two.
    slopes: Floats = np.exp2(-(max_exponent * heads) / n_head)
    return slopes


def largest_power_of_two(n_head: int) -> int:
    """Returns the largest power of two that is not above `n_head`.

    >>> [largest_power_of_two(n) for n in (1, 2, 3, 8, 12)]
    [1, 2, 2, 8, 8]
    """
    return 1 << (n_head.bit_length() - 1)


def rules_differ(n_head: int) -> bool:
    """Returns whether the two rules give different slopes: when `n_head` is no power of two."""
    return largest_power_of_two(n_head) != n_head


def interpolated_slopes(slopes: Array, train_length: int, eval_length: int) -> Array:
    """Returns slopes divided by how far the input outgrows the training length.

    m_h / s,  s = max(1, eval_length / train_length): position interpolation carried over to ALiBi,
    so that the largest bias of the long input equals the largest one seen in training.

    Args:
        slopes: (head,) slopes, in nats per token.
        train_length: Tokens per sequence in training, at least 1.
        eval_length: Tokens per sequence now, at least 1.

    Returns:
        (head,) slopes, in nats per token.

    Raises:
        ValueError: A length below 1.

    Source:
        Al-Khateeb et al., "Position Interpolation Improves ALiBi Extrapolation",
        https://arxiv.org/abs/2310.13017
    """
    if train_length < 1 or eval_length < 1:
        raise ValueError(
            f"train_length and eval_length must be at least 1, got {train_length} and {eval_length}"
        )
    return as_slopes(slopes) / max(1.0, eval_length / train_length)
