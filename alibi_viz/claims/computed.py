"""What the mathematics says about a claim: computed each time by `alibi_viz.maths`, never typed."""

import math

import numpy as np

from alibi_viz.claims.experiment import Experiment
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.bias import alibi_bias, bias_by_distance
from alibi_viz.maths.decay import attention_by_distance, softmax
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, alibi_slopes
from alibi_viz.maths.windows import WINDOW_MASS, closed_form_window, half_life

FLATTEST_OF_EIGHT = alibi_slopes(8)[-1:]


def unnormalised_factor(_: Experiment) -> str:
    """Returns the factor and the weight of a token 512 back at the flattest of eight slopes."""
    distance = 512
    factor = float(np.exp(bias_by_distance(FLATTEST_OF_EIGHT, distance + 1)[0, -1]))
    weight = float(attention_by_distance(FLATTEST_OF_EIGHT, distance + 1)[0, -1])
    return (
        f"with equal content and {distance + 1} keys, the factor is {factor:.3f} and the weight "
        f"{weight:.5f}, {factor / weight:.0f} times smaller."
    )


def nats_at_8192(_: Experiment) -> str:
    """Returns what distance 8,192 costs at the flattest of eight slopes."""
    distance = 8192
    nats = -float(bias_by_distance(FLATTEST_OF_EIGHT, distance + 1)[0, -1])
    content = np.zeros(distance + 1)
    content[distance] = nats + math.log(distance)
    weight = float(attention_by_distance(FLATTEST_OF_EIGHT, distance + 1, content=content)[0, -1])
    return (
        f"the bias there is −{nats:g} nats; a key whose content leads by "
        f"{content[distance]:.1f} nats takes {weight:.0%} of that head's attention."
    )


def leak_without_mask(_: Experiment) -> str:
    """Returns the first row of attention with the bias clamped at 0 and no mask, and with it."""
    slopes = np.array([0.5])
    right = alibi_bias(slopes, 4)[0]
    # The bug: a clamped distance is 0 for every key in the future.
    leaking = np.where(np.isinf(right), 0.0, right)
    return (
        f"L = 4, slope 1/2, equal content: row 0 becomes {_listed(softmax(leaking)[0])} and must "
        f"be {_listed(softmax(right)[0])}. The last row, {_listed(softmax(right)[-1])}, is "
        "the same both ways, so a test of it alone sees nothing."
    )


def divided_by_root(_: Experiment) -> str:
    """Returns what dividing the bias by sqrt(d_head) would do to the windows."""
    d_head = 64
    slopes = alibi_slopes(8)[:1]
    right = int(closed_form_window(slopes, WINDOW_MASS)[0])
    divided = int(closed_form_window(slopes / math.sqrt(d_head), WINDOW_MASS)[0])
    return (
        f"with d_head = {d_head}, dividing would stretch the window that holds {WINDOW_MASS:.0%} "
        f"of head 1's attention from {right} to {divided} tokens."
    )


def rules_at_twelve(_: Experiment) -> str:
    """Returns how far the two rules for slopes are apart at twelve heads."""
    geometric, interleaved = alibi_slopes(12), alibi_slopes(12, rule="interleaved")
    off = np.abs(geometric / interleaved - 1)
    head = int(off.argmax())
    return (
        f"with 12 heads, head {head + 1} has slope {geometric[head]:.4f} by the formula and "
        f"{interleaved[head]:.4f} in the code; with 8 or 16 heads the two agree."
    )


def two_exponents(_: Experiment) -> str:
    """Returns what the exponent does to the flattest head."""
    ends = (MAX_SLOPE_EXPONENT, 2 * MAX_SLOPE_EXPONENT)
    distances = [float(half_life(alibi_slopes(8, exponent))[-1]) for exponent in ends]
    return (
        f"the flattest head halves its weight every {distances[0]:,.0f} tokens with exponent "
        f"{ends[0]:g}, and every {distances[1]:,.0f} with {ends[1]:g}."
    )


def dense_bias(_: Experiment) -> str:
    """Returns how many numbers a dense bias has, and how many tell all of it."""
    n_head, length = 32, 8192
    dense = n_head * length**2
    return (
        f"a dense bias for {n_head} heads and {length:,} tokens has {dense:,} numbers "
        f"({dense * 2 / 2**30:.0f} GiB in bfloat16); {n_head * length:,} say the same, since a "
        "bias depends on the distance alone."
    )


def _listed(weights: Floats) -> str:
    return "[" + " ".join(f"{weight:.4g}" for weight in weights) + "]"
