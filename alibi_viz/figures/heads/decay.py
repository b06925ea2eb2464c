"""Attention weight against distance, and how much of the attention has been met by then."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.distance import OWN_KEY_PLACE, axis_share, distance_axis, placed, slope_text
from alibi_viz.figures.heads.decay_lines import DecayCurves, decay_bands, decay_lines, named_heads
from alibi_viz.figures.theme import colours_by_slope, surface, template, with_alpha
from alibi_viz.maths.windows import half_life

HEIGHT = 500
WEIGHT_FLOOR = 1e-6
"""The lowest weight on a logarithmic axis: even attention over 16,384 keys is sixty times more."""

_WEIGHT_PANEL = (0.43, 1.0)
_HELD_PANEL = (0.0, 0.36)


@dataclass(frozen=True)
class _Panel:
    """The ranges of the upper panel's axes, in powers of ten where logarithmic."""

    distances: Sequence[float]
    weights: Sequence[float]
    log_distance: bool
    log_weight: bool

    def spot(self, place: float, weight: float) -> tuple[float, float]:
        """Returns where a point lies, as shares of width and height."""
        return (
            axis_share(self.distances, place, self.log_distance),
            axis_share(self.weights, weight, self.log_weight),
        )


def decay_figure(
    curves: DecayCurves,
    *,
    chosen: int,
    log_distance: bool = True,
    log_weight: bool = True,
    dark: bool = False,
) -> go.Figure:
    """Returns the curves of all heads, with bands where content was drawn.

    Args:
        curves: What to draw.
        chosen: Index of the head to bring forward.
        log_distance: Whether the distance axis is logarithmic.
        log_weight: Whether the weight axis is logarithmic.
        dark: Whether the figure is for the dark theme.

    Returns:
        Two panels above each other: weight, and its running sum.
    """
    named = named_heads(curves.slopes, chosen)
    x_axis, y_axis = distance_axis(curves.length, log_distance), _weight_axis(curves, log_weight)
    panel = _Panel(x_axis["range"], y_axis["range"], log_distance, log_weight)
    marks, words = _marked_distances(curves, panel, dark)
    return go.Figure(
        data=decay_bands(curves, named, log_distance, dark)
        + decay_lines(curves, named, log_distance, dark),
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "showlegend": False,
            # Fixed: measuring labels costs a browser another drawing, and moves the panels.
            "margin": {"l": 66, "r": 26, "t": 12, "b": 52},
            "xaxis": {"anchor": "y2", "automargin": False} | x_axis,
            "yaxis": y_axis,
            "yaxis2": _held_axis(),
            # Given at once: plotly checks all of them again for each that is added later.
            "shapes": marks,
            "annotations": [*_head_labels(curves, named, panel, dark), *words],
        },
    )


def _weight_axis(curves: DecayCurves, log_weight: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": "weight of<br>one key"}}
    axis |= {"domain": _WEIGHT_PANEL, "anchor": "x", "automargin": False}
    if log_weight:
        ends = [math.log10(WEIGHT_FLOOR), 0.2]
        return axis | {"type": "log", "range": ends, "dtick": 1, "exponentformat": "power"}
    largest = max(float(part.max()) for part in (curves.weights.median, curves.weights.high))
    return axis | {"range": [-0.015 * largest, 1.06 * largest]}


def _held_axis() -> dict[str, Any]:
    return {
        "title": {"text": "share up<br>to there"},
        "domain": _HELD_PANEL,
        "automargin": False,
        "anchor": "x",
        "range": [-0.03, 1.06],
        "tickformat": ".0%",
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
    }


def _head_labels(
    curves: DecayCurves, named: Sequence[int], panel: _Panel, dark: bool
) -> list[dict[str, Any]]:
    """Returns each named head's number and slope, where its weight has halved."""
    colours = colours_by_slope(curves.slopes.tolist(), dark)
    halved = np.minimum(half_life(curves.slopes), curves.reach)
    written: list[tuple[float, float]] = []
    labels = []
    # The chosen head comes first: a label that would lie on it is left out.
    for head in reversed(named):
        at = int(np.argmin(abs(curves.distances - halved[head])))
        weight = max(float(curves.weights.median[head, at]), WEIGHT_FLOOR)
        place = float(placed(curves.distances[at : at + 1], panel.log_distance)[0])
        spot = panel.spot(place, weight)
        if any(abs(spot[0] - x) < 0.3 and abs(spot[1] - y) < 0.07 for x, y in written):
            continue
        written.append(spot)
        labels.append(
            {
                "x": math.log10(place) if panel.log_distance else place,
                "y": math.log10(weight) if panel.log_weight else weight,
                "text": f"<b>head {head + 1}</b>, slope {slope_text(curves.slopes[head])}",
                "font": {"color": colours[head], "size": 12},
                "bgcolor": with_alpha(surface(dark).background, 0.78),
                "showarrow": False,
                "xanchor": "left" if spot[0] < 0.7 else "right",
                "yanchor": "bottom",
                "xshift": 6,
                "yshift": 3,
            }
        )
    return labels


def _marked_distances(
    curves: DecayCurves, panel: _Panel, dark: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns shapes and words: distances that training never had, and where the keys end."""
    last = curves.length - 1
    shapes, notes = [], []
    if curves.train_length <= last:
        shapes.append(
            {
                "type": "rect",
                "x0": curves.train_length - 0.5,
                "x1": last * 1.3,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "layer": "below",
                "line": {"width": 0},
                "fillcolor": with_alpha(surface(dark).muted, 0.13),
            }
        )
        known = f"seen in training on {curves.train_length:,} tokens"
        between = sum((_HELD_PANEL[1], _WEIGHT_PANEL[0])) / 2
        at = max(curves.train_length - 0.5, OWN_KEY_PLACE)
        shapes.append(_upright(at, dark))
        notes += _notes(at, (known, "never seen"), panel, between, dark)
    if curves.reach < last:
        at = max(curves.reach, OWN_KEY_PLACE)
        shapes.append(_upright(at, dark))
        notes += _notes(at, ("", f"no keys: query {curves.reach:,}"), panel, 0.98, dark)
    return shapes, notes


def _upright(at: float, dark: bool) -> dict[str, Any]:
    """Returns a line across both panels."""
    line = {"color": surface(dark).muted, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _notes(
    at: float, words: tuple[str, str], panel: _Panel, height: float, dark: bool
) -> list[dict[str, Any]]:
    """Returns words for what lies on the two sides of a line."""
    left, right = words
    if axis_share(panel.distances, at, panel.log_distance) < 0.4 and left:
        left, right = "", f"not {left}"
    return [
        {
            "x": math.log10(at) if panel.log_distance else at,
            "y": height,
            "yref": "paper",
            "xanchor": side,
            "text": text,
            "showarrow": False,
            "xshift": 4 if side == "left" else -4,
            "font": {"size": 12, "color": surface(dark).muted},
        }
        for text, side in ((left, "right"), (right, "left"))
    ]
