"""How many of the nearest keys hold a given share of each head's attention."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.distance import distance_ticks, slope_text
from alibi_viz.figures.heads.decay_lines import Trace
from alibi_viz.figures.labels import moved_apart
from alibi_viz.figures.theme import colours_by_slope, surface, template, with_alpha
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.content import Spread
from alibi_viz.maths.windows import WINDOW_MASS, closed_form_window

HEIGHT = 500
LABEL_HEIGHT = 16
"""Pixels from one label to the next, so that they do not touch."""
MASS_SYMBOLS = ("circle", "square", "diamond", "triangle-up")


@dataclass(frozen=True)
class HeadWindows:
    """What the figure draws."""

    slopes: Floats
    """(head,) slopes, in nats per token."""
    masses: Sequence[float]
    """Shares of the attention, rising; as many as there are symbols at most."""
    windows: Spread
    """(mass, head) nearest keys that hold each mass, in tokens."""
    n_key: int
    """Keys that the query has, its own included."""


def windows_figure(data: HeadWindows, *, chosen: int, dark: bool = False) -> go.Figure:
    """Returns the windows of all heads, from the steepest to the flattest.

    Args:
        data: What to draw.
        chosen: Index of the head to bring forward.
        dark: Whether the figure is for the dark theme.

    Returns:
        One line a mass, labelled at its end, over heads; tokens on a logarithmic axis.
    """
    order = np.argsort(-data.slopes, kind="stable")
    closed = closed_form_window(data.slopes, WINDOW_MASS)
    y_axis = _window_axis(max(float(closed.max()), data.n_key))
    return go.Figure(
        data=[
            _unlimited(data, closed, order, dark),
            *([_ranges(data, order, dark)] if _has_range(data) else []),
            *(_windows(data, index, order, dark) for index in range(len(data.masses))),
        ],
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "showlegend": False,
            "margin": {"l": 70, "r": 54, "t": 12, "b": 52},
            "xaxis": _head_axis(order),
            "yaxis": y_axis,
            # Given at once: plotly checks all of them again for each that is added later.
            "shapes": _marks(data, order, chosen, dark),
            "annotations": [
                *_mass_labels(data, order, y_axis["range"], dark),
                *_unlimited_label(data, closed, order, dark),
                _limit_label(data, dark),
            ],
        },
    )


def _head_axis(order: NDArray[np.int64]) -> dict[str, Any]:
    n_head = len(order)
    step = max(1, math.ceil(n_head / 16))
    places = [*range(0, n_head - 1, step), n_head - 1]
    if n_head > 1 and places[-1] - places[-2] < step:
        del places[-2]
    return {
        "title": {"text": "head, steepest slope first"},
        "range": [-0.6, n_head - 0.4],
        "tickvals": places,
        "ticktext": [str(order[place] + 1) for place in places],
        "showgrid": False,
        "automargin": False,
    }


def _window_axis(largest: float) -> dict[str, Any]:
    return {
        "title": {"text": "window, tokens"},
        "automargin": False,
        "type": "log",
        "range": [math.log10(0.8), math.log10(largest * 1.5)],
        **distance_ticks(int(largest * 1.5), with_zero=False),
    }


def _windows(data: HeadWindows, index: int, order: NDArray[np.int64], dark: bool) -> Trace:
    colours = colours_by_slope(data.slopes.tolist(), dark)
    mass = data.masses[index]
    return dict(
        type="scatter",
        x=np.arange(len(order)),
        y=data.windows.median[index, order],
        customdata=[f"head {head + 1}, slope {slope_text(data.slopes[head])}" for head in order],
        name=f"{mass:.0%}",
        mode="lines+markers",
        line={"color": with_alpha(surface(dark).muted, 0.55), "width": 1},
        marker={
            "color": [colours[head] for head in order],
            "symbol": MASS_SYMBOLS[index],
            "size": 9 if len(order) <= 16 else 5,
        },
        hovertemplate="%{y:,} tokens hold %{fullData.name}<extra>%{customdata}</extra>",
    )


def _unlimited(data: HeadWindows, closed: Floats, order: NDArray[np.int64], dark: bool) -> Trace:
    """Returns rings where the sequence, not the slope, ends the window of `WINDOW_MASS`."""
    beyond = np.where(closed > data.n_key, closed, np.nan)
    return dict(
        type="scatter",
        x=np.arange(len(order)),
        y=beyond[order],
        customdata=[f"head {head + 1}, slope {slope_text(data.slopes[head])}" for head in order],
        name=f"{WINDOW_MASS:.0%} in unlimited context",
        mode="markers",
        marker={"color": surface(dark).muted, "symbol": "square-open", "size": 8},
        hovertemplate=f"%{{y:,}} tokens would hold {WINDOW_MASS:.0%} in unlimited context"
        "<extra>%{customdata}</extra>",
    )


def _has_range(data: HeadWindows) -> bool:
    return not np.array_equal(data.windows.low, data.windows.high)


def _ranges(data: HeadWindows, order: NDArray[np.int64], dark: bool) -> Trace:
    """Returns the 10-90 % range over draws of one mass's windows, as one trace with gaps."""
    index = list(data.masses).index(WINDOW_MASS)
    places, gap = np.arange(len(order)), np.full(len(order), np.nan)
    low, high = (part[index, order] for part in (data.windows.low, data.windows.high))
    return dict(
        type="scatter",
        x=np.stack([places, places, gap], axis=1).reshape(-1),
        y=np.stack([low, high, gap], axis=1).reshape(-1),
        mode="lines",
        line={"color": surface(dark).muted, "width": 1.5},
        hoverinfo="skip",
    )


def _mass_labels(
    data: HeadWindows, order: NDArray[np.int64], ends: Sequence[float], dark: bool
) -> list[dict[str, Any]]:
    """Returns each mass beside the end of its line, moved up where it would lie on another."""
    apart = LABEL_HEIGHT / HEIGHT * (ends[1] - ends[0])
    middles = np.log10(data.windows.median[:, order[-1]]).tolist()
    places = moved_apart(middles, [apart] * len(middles))
    return [
        {
            "x": 1,
            "xref": "paper",
            "xanchor": "left",
            "y": place,
            "text": f"{mass:.0%}",
            "showarrow": False,
            "xshift": 2,
            "font": {"size": 12, "color": surface(dark).text},
        }
        for mass, place in zip(data.masses, places, strict=True)
    ]


def _unlimited_label(
    data: HeadWindows, closed: Floats, order: NDArray[np.int64], dark: bool
) -> list[dict[str, Any]]:
    """Returns, above the ring of the flattest head, what rings are; nothing where none are."""
    highest = float(closed[order[-1]])
    if highest <= data.n_key:
        return []
    return [
        {
            "x": len(order) - 1,
            "xanchor": "right",
            "y": math.log10(highest),
            "yanchor": "bottom",
            "text": f"□ {WINDOW_MASS:.0%} if the text went on",
            "showarrow": False,
            "xshift": 8,
            "yshift": 4,
            "font": {"size": 12, "color": surface(dark).muted},
        }
    ]


def _limit_label(data: HeadWindows, dark: bool) -> dict[str, Any]:
    return {
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "y": math.log10(data.n_key),
        "text": f"all {data.n_key:,} keys of query {data.n_key - 1:,}",
        "showarrow": False,
        "xshift": 4,
        "font": {"size": 12, "color": surface(dark).muted},
    }


def _marks(
    data: HeadWindows, order: NDArray[np.int64], chosen: int, dark: bool
) -> list[dict[str, Any]]:
    """Returns a quiet column behind the chosen head, and the most keys that a window can have."""
    look = surface(dark)
    place = int(np.nonzero(order == chosen)[0][0])
    column = {
        "type": "rect",
        "x0": place - 0.4,
        "x1": place + 0.4,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": with_alpha(look.muted, 0.16),
    }
    limit = {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "xref": "paper",
        "y0": data.n_key,
        "y1": data.n_key,
        "line": {"color": look.muted, "width": 1, "dash": "dot"},
    }
    return [column, limit]
