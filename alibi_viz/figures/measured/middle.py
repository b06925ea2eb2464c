"""Accuracy by where in the input the answer lies: measured here, and as a paper reports it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.figures.labels import moved_apart
from alibi_viz.figures.measured.extrapolation import LABEL_HEIGHT, line_style
from alibi_viz.figures.theme import MethodStyle, method_colour, surface, template, with_alpha
from alibi_viz.maths.arrays import Floats

HEIGHT = 430
# Of models whose makers do not tell how they know positions.
_UNKNOWN_DASHES = ("solid", "dot", "dash", "dashdot")


@dataclass(frozen=True)
class PlaceCurve:
    """One model's accuracy by the place of the answer."""

    label: str
    """What stands beside the line."""
    method: str | None
    """Key of the position method; None where it is not known."""
    places: Floats
    """(point,) how far through the input the answer lies, 0 (the beginning) to 1 (the end)."""
    shares: Floats
    """(point,) share of the questions answered, 0 .. 1."""
    low: Floats
    """(point,) lower end of the range that is shaded."""
    high: Floats
    """(point,) upper end."""
    told: str
    """What the shade is, for the hover text."""
    nth: int = 0
    """How many lines of the same method stand before it in its panel."""


def middle_figure(
    panels: Sequence[tuple[str, Sequence[PlaceCurve]]], *, dark: bool = False
) -> go.Figure:
    """Returns panels side by side with common axes, lines labelled at their ends.

    Args:
        panels: What stands above each, and its lines.
        dark: Whether the figure is for the dark theme.
    """
    figure = make_subplots(
        1,
        len(panels),
        subplot_titles=[title for title, _ in panels],
        shared_yaxes=True,
        horizontal_spacing=0.16,
    )
    for column, (_, curves) in enumerate(panels, start=1):
        unknown = [curve.label for curve in curves if curve.method is None]
        for curve in curves:
            _add_line(figure, curve, column, unknown, dark)
        _label_ends(figure, curves, column, dark)
    figure.update_layout(
        template=template(dark),
        height=HEIGHT,
        showlegend=False,
        hovermode="closest",
        margin={"l": 8, "r": 118, "t": 30, "b": 8},
    )
    figure.update_xaxes(
        title_text="place of the answer in the input",
        range=[-0.03, 1.03],
        tickvals=[0, 0.5, 1],
        ticktext=["beginning", "middle", "end"],
    )
    figure.update_yaxes(range=[0, 104], tickvals=[0, 25, 50, 75, 100])
    figure.update_yaxes(title_text="answered rightly, %", col=1)
    return figure


def _colour(curve: PlaceCurve, dark: bool) -> str:
    return surface(dark).muted if curve.method is None else method_colour(curve.method, dark)


def _add_line(
    figure: go.Figure, curve: PlaceCurve, column: int, unknown: Sequence[str], dark: bool
) -> None:
    colour = _colour(curve, dark)
    if curve.method is None:
        dash, symbol = _UNKNOWN_DASHES[unknown.index(curve.label) % 4], "circle-open"
        width = MethodStyle.width
    else:
        style = line_style(curve.method, curve.nth)
        dash, symbol, width = style.dash, style.symbol, style.width
    figure.add_scatter(
        x=np.concatenate([curve.places, curve.places[::-1]]),
        y=100 * np.concatenate([curve.high, curve.low[::-1]]),
        fill="toself",
        fillcolor=with_alpha(colour, 0.12),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        row=1,
        col=column,
    )
    figure.add_scatter(
        x=curve.places,
        y=100 * curve.shares,
        customdata=[
            f"{100 * low:.1f} to {100 * high:.1f} {curve.told}"
            for low, high in zip(curve.low, curve.high, strict=True)
        ],
        name=curve.label,
        mode="lines+markers",
        line={"color": colour, "dash": dash, "width": width},
        marker={"symbol": symbol, "size": 7},
        hovertemplate="%{y:.1f} %<br>%{customdata}<extra>%{fullData.name}</extra>",
        row=1,
        col=column,
    )


def _label_ends(figure: go.Figure, curves: Sequence[PlaceCurve], column: int, dark: bool) -> None:
    height = 104 * LABEL_HEIGHT / (HEIGHT - 80)
    heights = [height * (curve.label.count("<br>") + 1) for curve in curves]
    ends = [100 * float(curve.shares[-1]) for curve in curves]
    places = moved_apart(ends, heights, highest=104 + height / 2)
    for curve, place in zip(curves, places, strict=True):
        figure.add_annotation(
            x=1.03,
            y=place,
            text=curve.label,
            align="left",
            showarrow=False,
            xanchor="left",
            font={"size": 12, "color": _colour(curve, dark)},
            row=1,
            col=column,
        )
