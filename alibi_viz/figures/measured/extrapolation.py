"""What was measured, perplexity or another quantity, against a length in tokens."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.labels import mark_at_top, moved_apart, value_ticks
from alibi_viz.figures.theme import (
    MethodStyle,
    method_colour,
    method_style,
    surface,
    template,
    with_alpha,
)
from alibi_viz.maths.arrays import Floats, read_only

HEIGHT = 470
LABEL_HEIGHT = 17
"""Pixels from one label to the next, so that they do not touch."""
# On the right: most labels need the first, few the second.
_SHORT_LABELS, _LONG_LABELS = 108, 122
_INNER_HEIGHT = HEIGHT - 80
_LABEL_WIDTH = 19
"""Characters of a label in one line."""
# Of further lines of one method, whose own dash the first has.
_DASHES = (
    "dot",
    "dash",
    "longdash",
    "dashdot",
    "longdashdot",
    "12px,3px,3px,3px,3px,3px",
    "2px,6px",
)


@dataclass(frozen=True)
class MethodCurve:
    """One line: a method trained on one length, measured at several."""

    method: str
    """Key of the position method; decides colour, symbol and dash."""
    label: str
    """What stands beside the line."""
    lengths: NDArray[np.int64]
    """(point,) tokens in an evaluation window, rising."""
    mean: Floats
    """(point,) the measure, averaged over seeds."""
    low: Floats
    """(point,) lowest over seeds."""
    high: Floats
    """(point,) highest over seeds."""
    n_seed: NDArray[np.int64]
    """(point,) seeds behind each point."""
    ends: str = ""
    """Why the line ends before the others; empty where it does not."""
    nth: int = 0
    """How many lines of the same method stand before it in the figure; it has another dash."""
    interval: Floats | None = None
    """(point, end) 95 % interval of each mean; None where it is not drawn."""
    marks: tuple[str, str] | None = None
    """Symbol and dash in place of these, where lines of one method have to mean something."""

    def __post_init__(self) -> None:
        """Makes the numbers read-only: charts share them."""
        for part in (self.lengths, self.mean, self.low, self.high, self.n_seed, self.interval):
            if part is not None:
                read_only(part)

    @property
    def style(self) -> MethodStyle:
        """Colour, symbol, dash and width of the line."""
        style = line_style(self.method, self.nth)
        if self.marks:
            return replace(style, symbol=self.marks[0], dash=self.marks[1], width=MethodStyle.width)
        return style

    def at(self, length: int) -> float | None:
        """Returns the mean at an evaluation length, or None where it was not measured."""
        found = np.nonzero(self.lengths == length)[0]
        return float(self.mean[found[0]]) if len(found) else None


def line_style(method: str, nth: int) -> MethodStyle:
    """Returns how a line of a method looks that shares a figure with others of the same.

    Args:
        method: Key of the position method.
        nth: How many of its lines stand before it.
    """
    style = method_style(method)
    if not nth:
        return style
    dashes = [dash for dash in _DASHES if dash != style.dash]
    dash = dashes[(nth - 1) % len(dashes)]
    return replace(style, dash=dash, symbol=f"{style.symbol}-open", width=MethodStyle.width)


def extrapolation_figure(
    curves: Sequence[MethodCurve],
    *,
    train_length: int,
    measure: str,
    along: str = "evaluation window",
    linear: tuple[float, float] | None = None,
    room_for: Sequence[MethodCurve] = (),
    dark: bool = False,
) -> go.Figure:
    """Returns the curves over a logarithmic axis of lengths, each labelled at its end.

    Args:
        curves: At least one curve with a point.
        train_length: Tokens in a training window; longer windows lie on a shaded ground.
        measure: Name and unit of what is measured, for the axis.
        along: What the lengths are of, for the other axis.
        linear: Ends of the value axis; it is logarithmic and holds all values if None.
        room_for: Curves that are drawn elsewhere, on the same axes.
        dark: Whether the figure is for the dark theme.

    Returns:
        One line a curve, and the range over seeds where there are several.
    """
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "hovermode": "closest",
            "showlegend": False,
            "margin": {"l": 8, "r": _label_room(curves), "t": 12, "b": 8},
            "xaxis": _length_axis([*curves, *room_for], train_length, along),
            "yaxis": _value_axis([*curves, *room_for], measure)
            if linear is None
            else {"title": {"text": measure}, "range": linear},
        }
    )
    # Many bands on one another would hide what lies below.
    alpha = 0.18 if len(curves) <= 7 and not any(curve.nth for curve in curves) else 0.1
    bands = [curve for curve in curves if (curve.low < curve.high).any()]
    figure.add_traces([_band(curve, alpha, dark) for curve in bands])
    # The strongest last, so that it lies on top.
    for curve in sorted(curves, key=lambda curve: curve.style.width):
        figure.add_trace(_line(curve, train_length, dark))
    _mark_training(figure, train_length, dark)
    _label_ends(figure, curves, dark)
    return figure


def _length_axis(curves: Sequence[MethodCurve], train_length: int, along: str) -> dict[str, Any]:
    """Returns an axis with ticks at powers of two times the training length, told both ways."""
    shortest = min(int(curve.lengths[0]) for curve in curves)
    longest = max(int(curve.lengths[-1]) for curve in curves)
    steps = range(
        math.ceil(math.log2(shortest / train_length)),
        math.floor(math.log2(longest / train_length)) + 1,
    )
    # More labels would lie on each other on a phone; the ticks stay.
    every = 1 if len(steps) <= 7 else 2
    return {
        "title": {"text": f"{along}, tokens (× training length)"},
        "type": "log",
        "range": [math.log10(shortest / 1.15), math.log10(longest * 1.06)],
        "tickangle": 0,
        "tickvals": [train_length * 2.0**step for step in steps],
        "ticktext": ["" if step % every else _tick_text(train_length, step) for step in steps],
    }


def _tick_text(train_length: int, step: int) -> str:
    """Returns a length, and below it the multiple, unless that is a small fraction."""
    tokens = f"{train_length * 2.0**step:,.0f}"
    return f"{tokens}<br>{2.0**step:g}×" if step >= -1 else tokens


def _value_axis(curves: Sequence[MethodCurve], measure: str) -> dict[str, Any]:
    ends = [(curve.low, curve.high) for curve in curves]
    ends += [(of[:, 0], of[:, 1]) for curve in curves if (of := curve.interval) is not None]
    low = min(float(lower.min()) for lower, _ in ends)
    high = max(float(upper.max()) for _, upper in ends)
    room = max((high / low) ** 0.06, 1.01)
    ticks = value_ticks(low / room, high * room)
    return {
        "title": {"text": measure},
        "type": "log",
        "range": [math.log10(low / room), math.log10(high * room)],
        "tickvals": ticks,
        "ticktext": [f"{tick:,g}" for tick in ticks],
    }


def _line(curve: MethodCurve, train_length: int, dark: bool) -> go.Scatter:
    style = curve.style
    few = len(curve.lengths) <= 24
    return go.Scatter(
        x=curve.lengths,
        y=curve.mean,
        customdata=[
            f"{length:,} tokens ({length / train_length:.3g}×)" + _range_text(curve, point)
            for point, length in enumerate(curve.lengths.tolist())
        ],
        name=curve.label,
        mode="lines+markers" if few else "lines",
        line={
            "color": method_colour(curve.method, dark),
            "width": style.width,
            "dash": style.dash,
        },
        marker={"symbol": style.symbol, "size": 9 if style.width > 2 else 7},
        error_y=_error_bars(curve),
        hovertemplate="%{y:.4g} at %{customdata}<extra>%{fullData.name}</extra>",
    )


def _range_text(curve: MethodCurve, point: int) -> str:
    low, high, n_seed = (part[point] for part in (curve.low, curve.high, curve.n_seed))
    text = f"<br>{low:.4g} to {high:.4g} over {n_seed} seeds" if n_seed > 1 else ""
    if curve.interval is None:
        return text
    first, last = curve.interval[point]
    return f"{text}<br>95 % interval {first:.4g} to {last:.4g}"


def _error_bars(curve: MethodCurve) -> dict[str, Any] | None:
    if curve.interval is None:
        return None
    return {
        "symmetric": False,
        "array": curve.interval[:, 1] - curve.mean,
        "arrayminus": curve.mean - curve.interval[:, 0],
        "width": 3,
        "thickness": 1,
    }


def _label_room(curves: Sequence[MethodCurve]) -> int:
    """Returns the pixels that labels need on the right."""
    longest = max(len(line) for curve in curves for line in wrap(curve.label, _LABEL_WIDTH))
    return _SHORT_LABELS if longest < 17 else _LONG_LABELS


def _band(curve: MethodCurve, alpha: float, dark: bool) -> go.Scatter:
    return go.Scatter(
        x=np.concatenate([curve.lengths, curve.lengths[::-1]]),
        y=np.concatenate([curve.high, curve.low[::-1]]),
        fill="toself",
        fillcolor=with_alpha(method_colour(curve.method, dark), alpha),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
    )


def _mark_training(figure: go.Figure, train_length: int, dark: bool) -> None:
    look = surface(dark)
    longest = 10 ** figure.layout.xaxis.range[1]
    if train_length < longest:
        figure.add_vrect(
            x0=train_length, x1=longest, fillcolor=with_alpha(look.muted, 0.1), line_width=0,
            layer="below",
        )  # fmt: skip
    figure.add_vline(x=train_length, line={"color": look.muted, "width": 1, "dash": "dot"})
    mark_at_top(figure, train_length, f"trained on {train_length:,} tokens", look.muted)


def _label_ends(figure: go.Figure, curves: Sequence[MethodCurve], dark: bool) -> None:
    """Writes each label beside the end of its line, or says there why the line stops early.

    Labels of lines that come near the right edge stand there, below each other.
    """
    left, right = figure.layout.xaxis.range
    low, high = figure.layout.yaxis.range
    is_log = figure.layout.yaxis.type == "log"
    at_edge: list[tuple[MethodCurve, float]] = []
    for curve in curves:
        value = float(curve.mean[-1])
        end = math.log10(int(curve.lengths[-1])), math.log10(value) if is_log else value
        share = (end[0] - left) / (right - left)
        if share < 0.6:
            _label_early_end(figure, curve, end, is_near_axis=share < 0.35, dark=dark)
        else:
            at_edge.append((curve, end[1]))
    line_height = LABEL_HEIGHT / _INNER_HEIGHT * (high - low)
    texts = [_label_text(curve, _LABEL_WIDTH) for curve, _ in at_edge]
    heights = [line_height * (text.count("<br>") + 1) for text in texts]
    places = moved_apart([place for _, place in at_edge], heights, highest=high + line_height / 2)
    for (curve, _), text, place in zip(at_edge, texts, places, strict=True):
        figure.add_annotation(
            x=1,
            xref="paper",
            y=place,
            text=text,
            align="left",
            showarrow=False,
            xanchor="left",
            xshift=4,
            font={"size": 13, "color": method_colour(curve.method, dark)},
        )


def _label_early_end(
    figure: go.Figure,
    curve: MethodCurve,
    end: tuple[float, float],
    *,
    is_near_axis: bool,
    dark: bool,
) -> None:
    colour = method_colour(curve.method, dark)
    # On a phone a long line of text would lie on the axis, or on lines that rise beside it.
    text = _label_text(curve, 10) if is_near_axis else _label_text(curve)
    figure.add_annotation(
        x=end[0],
        y=end[1],
        text=text,
        align="left",
        showarrow=True,
        arrowhead=0,
        arrowwidth=1,
        arrowcolor=colour,
        standoff=5,
        xanchor="left" if is_near_axis else "center",
        ax=-24,
        ay=-100 if is_near_axis else -84,
        bgcolor=with_alpha(surface(dark).background, 0.8),
        font={"size": 13, "color": colour},
    )


def _label_text(curve: MethodCurve, width: int = 80) -> str:
    lines = wrap(curve.label, max(width, _LABEL_WIDTH))
    if curve.style.width > MethodStyle.width:
        lines = [f"<b>{line}</b>" for line in lines]
    if curve.ends:
        lines = [*lines[:-1], f"{lines[-1]}:", *wrap(curve.ends, width)]
    return "<br>".join(lines)
