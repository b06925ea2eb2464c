"""The equations and the program of the page about slopes and biases."""

from alibi_viz.charts.biases import HeadMapChart
from alibi_viz.charts.heads import AlibiHeads
from alibi_viz.figures.distance import slope_text
from alibi_viz.maths.slopes import largest_power_of_two, rules_differ


def logit_equation(heads: AlibiHeads) -> str:
    """Returns the attention logit and the rule of the slopes with the current numbers, in LaTeX."""
    exponent, n_head = f"{heads.exponent:g}", heads.heads
    rule = rf"m_h = 2^{{-{exponent}\,h/{n_head}}}"
    if rules_differ(n_head) and heads.rule == "interleaved":
        power = largest_power_of_two(n_head)
        rule = (
            rf"m_{{h \le {power}}} = 2^{{-{exponent}\,h/{power}}},\; "
            rf"m_{{h > {power}}} = 2^{{-{exponent}\,(2(h-{power})-1)/{2 * power}}}"
        )
    return rf"\tfrac{{q_i \cdot k_j}}{{\sqrt d}} - m_h\,(i-j) \qquad {rule}"


def slope_equation(heads: AlibiHeads, head: int) -> str:
    """Returns how the chosen head's slope and its bias at distance 1 come about, in LaTeX.

    Args:
        heads: What the shared controls say.
        head: The chosen head, counted from 1.
    """
    exponent, n_head = f"{heads.exponent:g}", heads.heads
    slope = float(heads.slopes[head - 1])
    power = largest_power_of_two(n_head)
    if heads.rule == "geometric" or not rules_differ(n_head):
        place = rf"{exponent} \cdot {head} / {n_head}"
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


def program(chart: HeadMapChart) -> str:
    """Returns a few lines of Python for the numbers of the current state, without a figure.

    Args:
        chart: The map of the chosen head, the chosen cell in it.
    """
    query, key = chart.cell
    return f"""\
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import alibi_slopes

slopes = alibi_slopes({chart.heads}, {chart.exponent!r}, rule="{chart.rule}")  # (head,)
bias = bias_by_distance(slopes, {chart.length})  # (head, distance), nats
weights = attention_by_distance(slopes, {chart.length}, query={query})  # (head, distance)

head, distance = {chart.head - 1}, {query - key}  # head {chart.head}; query {query}, key {key}
print(slopes[head], bias[head, distance], weights[head, distance])
"""
