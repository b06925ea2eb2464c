"""The lines and bands of the decay figure: one head, or a few neighbours, a trace."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alibi_viz.figures.distance import placed, slope_text
from alibi_viz.figures.theme import colours_by_slope, with_alpha
from alibi_viz.maths.arrays import AnyFloats
from alibi_viz.maths.content import Spread

# Plotly checks and copies each trace object twice, plain dictionaries once: at 64 heads that makes
# a difference of 0.1 s.
Trace = dict[str, Any]

MANY_HEADS = 16
"""Most lines with a trace of their own, besides the named ones."""


@dataclass(frozen=True)
class DecayCurves:
    """What the figure draws."""

    slopes: AnyFloats
    """(head,) slopes, in nats per token."""
    distances: NDArray[np.int64]
    """(distance,) drawn distances, from 0 to the query's first key."""
    weights: Spread
    """(head, distance) attention weight of the one key at each distance."""
    held: Spread
    """(head, distance) share of the attention on all keys up to there."""
    length: int
    """Tokens in the sequence; the distance axis ends there."""
    train_length: int
    """Tokens a sequence had in training: distances from there on were never seen."""

    @property
    def reach(self) -> int:
        """Distance from the query to the first token."""
        return int(self.distances[-1])


def named_heads(slopes: AnyFloats, chosen: int) -> list[int]:
    """Returns the heads that get a label: the steepest, the flattest and the chosen one.

    Args:
        slopes: (head,) slopes in any order.
        chosen: Index of the chosen head.

    Returns:
        Indices without repetition, the chosen one last.
    """
    ends = [int(np.argmax(slopes)), int(np.argmin(slopes))]
    return [head for head in dict.fromkeys(ends) if head != chosen] + [chosen]


def decay_lines(
    curves: DecayCurves, named: Sequence[int], log_distance: bool, dark: bool
) -> list[Trace]:
    """Returns the lines of all heads in both panels; the chosen head's last, so on top.

    Args:
        curves: What to draw.
        named: Heads with a label, the chosen one last.
        log_distance: Whether the distance axis is logarithmic.
        dark: Whether the figure is for the dark theme.
    """
    place = placed(curves.distances, log_distance)
    colours = colours_by_slope(curves.slopes.tolist(), dark)
    groups = line_groups(curves.slopes, named)
    panels = ((curves.weights, "y", "weight"), (curves.held, "y2", "held"))
    return [
        _line(curves, place, heads, panel)
        | {
            "line": {
                "color": colours[heads[len(heads) // 2]],
                "width": _width(heads, named, groups),
            }
        }
        for panel in panels
        for heads in groups
    ]


def line_groups(slopes: AnyFloats, named: Sequence[int]) -> list[list[int]]:
    """Returns which heads share a trace: neighbours in slope, where there are many.

    A browser takes its time for each trace, and neighbours on a ramp of 64 colours could not be
    told apart: at most `MANY_HEADS` traces hold all heads but the named ones, which stay alone.

    Args:
        slopes: (head,) slopes in any order.
        named: Heads with a label, the chosen one last.

    Returns:
        Indices of heads, each once; the named heads last, in their order.
    """
    steepest_first = np.argsort(-slopes, kind="stable").tolist()
    others = [head for head in steepest_first if head not in named]
    size = math.ceil(len(slopes) / MANY_HEADS)
    groups = [others[start : start + size] for start in range(0, len(others), size)]
    return groups + [[head] for head in named]


def _line(
    curves: DecayCurves, place: AnyFloats, heads: Sequence[int], panel: tuple[Spread, str, str]
) -> Trace:
    """Returns the curves of some heads in one panel as one trace, with a gap between heads."""
    values, axis, said = panel
    gap = np.full((len(heads), 1), np.nan)
    drawn = np.maximum(values.median[heads], 1e-12)
    told = np.stack(np.broadcast_arrays(curves.distances, np.array(heads)[:, None] + 1), axis=-1)
    label = f"head {heads[0] + 1}, slope {slope_text(curves.slopes[heads[0]])}"
    return {
        "type": "scatter",
        "x": _with_gaps(np.broadcast_to(place, drawn.shape), gap),
        "y": _with_gaps(drawn, gap),
        "customdata": np.pad(told, ((0, 0), (0, 1), (0, 0))).reshape(-1, 2)[:-1].astype(np.int16),
        "yaxis": axis,
        "name": label if len(heads) == 1 else "heads " + ", ".join(str(h + 1) for h in heads),
        "mode": "lines" if curves.reach else "markers",
        "hovertemplate": f"distance %{{customdata[0]}}<br>{said} %{{y:.3g}}<extra>"
        + (label if len(heads) == 1 else "head %{customdata[1]}")
        + "</extra>",
    }


def _with_gaps(values: AnyFloats, gap: AnyFloats) -> NDArray[np.float32]:
    return np.concatenate([values, gap], axis=1).reshape(-1)[:-1].astype(np.float32)


def _width(heads: Sequence[int], named: Sequence[int], groups: Sequence[Sequence[int]]) -> float:
    if heads[0] == named[-1]:
        return 3.4
    return 1.7 if max(len(group) for group in groups) == 1 else 1.1


def decay_bands(
    curves: DecayCurves, named: Sequence[int], log_distance: bool, dark: bool
) -> list[Trace]:
    """Returns the 10-90 % range over draws of the named heads, where there is more than one.

    Args:
        curves: What to draw.
        named: Heads with a label.
        log_distance: Whether the distance axis is logarithmic.
        dark: Whether the figure is for the dark theme.
    """
    place = placed(curves.distances, log_distance)
    if np.array_equal(curves.weights.low, curves.weights.high):
        return []
    colours = colours_by_slope(curves.slopes.tolist(), dark)
    there_and_back = np.concatenate([place, place[::-1]])
    return [
        dict(
            type="scatter",
            x=there_and_back,
            y=np.maximum(np.concatenate([values.high[head], values.low[head][::-1]]), 1e-12).astype(
                np.float32
            ),
            yaxis=axis,
            fill="toself",
            fillcolor=with_alpha(colours[head], 0.22),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
        )
        for values, axis in ((curves.weights, "y"), (curves.held, "y2"))
        for head in named
    ]
