"""What the page about slopes and biases says of the current state, and its own controls."""

from typing import get_args

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.figures.biases import Colour, Scale
from alibi_viz.figures.distance import slope_text
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import (
    alibi_slopes,
    largest_power_of_two,
    rules_differ,
)
from alibi_viz.maths.windows import WINDOW_MASS, effective_window, half_life
from alibi_viz.ui.link.control import choice, text_of
from alibi_viz.ui.link.controls import AlibiSettings

COLOURS: tuple[Colour, ...] = get_args(Colour)
SCALES: tuple[Scale, ...] = get_args(Scale)
COLOUR = choice(
    "colour",
    "colour",
    COLOURS,
    help="Bias: what is added to the attention logit, in nats; one nat less divides a key's weight "
    "by e = 2.718, compared with the other keys. Weight: what the softmax makes of the biases at "
    "equal content. Log weight: the same on a logarithmic scale.",
)
SCALE = choice(
    "scale",
    "scale",
    SCALES,
    allowed=" or ".join(SCALES),
    help="Shared: one colour is one value in all heads, so that heads compare. Per head: each head "
    "uses all colours for its own values, so that its shape shows.",
)


def logit_equation(settings: AlibiSettings) -> str:
    """Returns the attention logit and the rule of the slopes with the current numbers, in LaTeX."""
    exponent, heads = text_of(settings.exponent), settings.heads
    rule = rf"m_h = 2^{{-{exponent}\,h/{heads}}}"
    if rules_differ(heads) and settings.rule == "interleaved":
        power = largest_power_of_two(heads)
        rule = (
            rf"m_{{h \le {power}}} = 2^{{-{exponent}\,h/{power}}},\; "
            rf"m_{{h > {power}}} = 2^{{-{exponent}\,(2(h-{power})-1)/{2 * power}}}"
        )
    return rf"\tfrac{{q_i \cdot k_j}}{{\sqrt d}} - m_h\,(i-j) \qquad {rule}"


def slope_equation(settings: AlibiSettings, head: int) -> str:
    """Returns how the chosen head's slope and its bias at distance 1 come about, in LaTeX.

    Args:
        settings: What the shared controls say.
        head: The chosen head, counted from 1.
    """
    exponent, heads = text_of(settings.exponent), settings.heads
    slope = float(settings.slopes[head - 1])
    power = largest_power_of_two(heads)
    if settings.rule == "geometric" or not rules_differ(heads):
        place = rf"{exponent} \cdot {head} / {heads}"
    elif head <= power:
        place = rf"{exponent} \cdot {head} / {power}"
    else:
        place = rf"{exponent} \cdot {2 * (head - power) - 1} / {2 * power}"
    decimals = rf" = {slope:.6g}" if "/" in slope_text(slope) else ""
    value = slope_text(slope).replace(",", "{,}") if decimals else f"{slope:.6g}"
    return (
        rf"m_{{{head}}} = 2^{{-{place}}} = {value}{decimals} \qquad "
        rf"b_{{{head}}}(i, j) = -{slope:.6g}\,(i - j) \quad \text{{nats}}, \; j \le i"
    )


def what_to_look_for(settings: AlibiSettings) -> str:
    """Returns the one sentence below the live view, in Markdown."""
    slopes, length = settings.slopes, settings.length
    steep, flat = int(np.argmax(slopes)), int(np.argmin(slopes))
    pair = slopes[[steep, flat]]
    halves = half_life(pair)
    windows = effective_window(attention_by_distance(pair, length), WINDOW_MASS)
    steepest = (
        f"**at equal content**, head {steep + 1}'s attention weight halves every "
        f"{_tokens(halves[0])}, and the {windows[0]:,} nearest of {length:,} keys hold "
        f"{100 * WINDOW_MASS:.0f} % of it"
    )
    if len(slopes) == 1:
        return f"{steepest}."
    return (
        f"{steepest}; head {flat + 1}'s halves every {_tokens(halves[1])}, and it needs "
        f"{windows[1]:,}."
    )


def rule_effect(settings: AlibiSettings) -> str | None:
    """Returns what the choice of the rule changes most, or None where the rules agree."""
    if not rules_differ(settings.heads):
        return None
    geometric = alibi_slopes(settings.heads, settings.exponent, "geometric")
    interleaved = alibi_slopes(settings.heads, settings.exponent, "interleaved")
    head = int(np.argmax(np.abs(np.log(geometric / interleaved))))
    return (
        f"{settings.heads} heads are not a power of two, so the rules differ, most for head "
        f"{head + 1}: slope {slope_text(geometric[head])} by the geometric rule, "
        f"{slope_text(interleaved[head])} by the interleaved one. In the slope ladder, hollow dots "
        f"show the rule that is not chosen."
    )


@st.cache_data(max_entries=256, show_spinner=False)
def slopes_table(settings: AlibiSettings) -> pd.DataFrame:
    """Returns one row a head: slope, as a power of two, half-life, and window at this length."""
    slopes = settings.slopes
    # One head at a time: all of them at 16,384 tokens would be a million weights at once.
    windows = [
        int(effective_window(attention_by_distance([slope], settings.length), WINDOW_MASS)[0])
        for slope in slopes
    ]
    return pd.DataFrame(
        {
            "head": np.arange(1, len(slopes) + 1),
            "slope, nats per token": slopes,
            "as a fraction": [slope_text(slope) for slope in slopes],
            "log2 of the slope": np.log2(slopes),
            "half-life, tokens": half_life(slopes),
            f"{100 * WINDOW_MASS:.0f} % window at {settings.length} tokens": windows,
        }
    )


def row_table(settings: AlibiSettings, head: int, query: int) -> pd.DataFrame:
    """Returns the query's row at distances 0, 1, 2, 4 ... and the farthest.

    Args:
        settings: What the shared controls say.
        head: The chosen head, counted from 1.
        query: Position of the query.
    """
    slope = settings.slopes[head - 1 : head]
    weights = attention_by_distance(slope, settings.length, query)[0]
    doubling = 2 ** np.arange(0, max(query, 1).bit_length())
    distances = np.unique([0, *doubling[doubling < query], query])
    return pd.DataFrame(
        {
            "distance, tokens": distances,
            "key": query - distances,
            "bias, nats": bias_by_distance(slope, query + 1)[0][distances],
            "weight": weights[distances],
            "held up to here": weights.cumsum()[distances],
        }
    )


def _tokens(count: float) -> str:
    return f"{count:,.1f} tokens" if count < 10 else f"{count:,.0f} tokens"
