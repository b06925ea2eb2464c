"""Labels: names beside the ends of lines that do not touch, marks, round numbers along an axis."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

_LEADING_DIGITS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)


def moved_apart(
    places: Sequence[float], heights: Sequence[float], *, highest: float = math.inf
) -> list[float]:
    """Returns where labels stand: each at its place, or just above the one that is in its way.

    >>> moved_apart([5.0, 1.0, 1.2], [1.0, 1.0, 1.0])
    [5.0, 1.0, 2.0]
    >>> moved_apart([5.0, 5.0], [1.0, 1.0], highest=5.5)
    [4.0, 5.0]

    Args:
        places: (label,) middles that are wanted, in the units of an axis that rises upwards.
        heights: (label,) how much room each takes, in the same units.
        highest: No label reaches above this, unless there is no room for all below it.

    Returns:
        (label,) middles, in the order of `places`.
    """
    order = sorted(range(len(places)), key=lambda label: places[label])
    moved = list(places)
    floor = -math.inf
    for label in order:
        moved[label] = max(places[label], floor + heights[label] / 2)
        floor = moved[label] + heights[label] / 2
    ceiling = highest
    for label in reversed(order):
        moved[label] = min(moved[label], ceiling - heights[label] / 2)
        ceiling = moved[label] - heights[label] / 2
    return moved


def label_last_points(
    figure: go.Figure, ends: Sequence[tuple[float, float, str, str]], height: float
) -> None:
    """Writes a text beside the last point of each line, none on another.

    Args:
        figure: Changed in place; its axes are linear.
        ends: Of each line, x and y of its last point, the text, and its colour.
        height: Of a label, in the units of the vertical axis.
    """
    places = moved_apart([y for _, y, _, _ in ends], [height] * len(ends))
    for (x, _, text, colour), place in zip(ends, places, strict=True):
        figure.add_annotation(
            x=x,
            y=place,
            text=text,
            showarrow=False,
            xanchor="left",
            xshift=7,
            font={"size": 12, "color": colour},
        )


def mark_at_top(figure: go.Figure, x: float, text: str, colour: str) -> None:
    """Writes a text at the top of a figure, to the right of a place on its logarithmic axis.

    Args:
        figure: Changed in place.
        x: The place, in the units of the axis.
        text: What it says.
        colour: Of the text.
    """
    figure.add_annotation(
        x=math.log10(x),
        y=1,
        yref="paper",
        yanchor="top",
        xanchor="left",
        xshift=4,
        text=text,
        showarrow=False,
        font={"size": 12, "color": colour},
    )


def value_ticks(low: float, high: float) -> list[float]:
    """Returns three to ten round numbers that label a logarithmic axis from `low` to `high`.

    >>> value_ticks(12, 400)
    [20.0, 50.0, 100.0, 200.0]
    >>> value_ticks(18.2, 20.1)
    [18.5, 19.0, 19.5, 20.0]

    Args:
        low: Lower end, above 0.
        high: Upper end.
    """
    decades = math.log10(high / low)
    if decades < 0.35:
        step = _round_step((high - low) / 8)
        first = math.ceil(low / step)
        return [round(tick * step, 10) for tick in range(first, math.floor(high / step) + 1)]
    digits = (1.0, 2.0, 5.0) if decades > 0.8 else _LEADING_DIGITS
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10.0**power for power in powers for digit in digits]
    return [float(f"{tick:.6g}") for tick in ticks if low <= tick <= high]


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(digit * power for digit in (1.0, 2.0, 5.0, 10.0) if digit * power >= step)
