"""What grows with the distance, before and after stretching: a lane for each pair or head."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.theme import method_colour, surface, template, with_alpha
from alibi_viz.maths.arrays import Floats

_LANE_HEIGHT = 44
# Of a lane's height; the rest keeps lanes apart.
_FILLED = 0.8
_POINTS = 9


@dataclass(frozen=True)
class Lanes:
    """Straight lines from 0, one pair of them a lane."""

    part: str
    """What a lane is, such as "head"; in the singular."""
    along: str
    """Name of the horizontal axis, without its unit, which is tokens."""
    unit: str
    """Of what grows."""
    shade: str
    """What the shade stands for."""
    before: Floats
    """(lane,) growth per token, as trained; above 0."""
    after: Floats
    """(lane,) growth per token, stretched; at most as much."""
    seen: Floats
    """(lane,) the largest value of training; infinite where there is nothing beyond."""
    train_length: int
    """Tokens in a training window."""
    eval_length: int
    """Tokens in the longer window."""


def lanes_figure(lanes: Lanes, *, method: str, dark: bool = False) -> go.Figure:
    """Returns a lane a part, its top what the part reaches unstretched; what training saw shaded.

    Args:
        lanes: What to draw.
        method: Key of the position method, for its colour.
        dark: Whether the figure is for the dark theme.
    """
    look, count = surface(dark), len(lanes.before)
    base = np.arange(count)[::-1].astype(float)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": _LANE_HEIGHT * count + 110,
            "hovermode": "closest",
            "margin": {"l": 8, "r": 118, "t": 30, "b": 8},
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
            "xaxis": {
                "title": {"text": f"{lanes.along}, tokens"},
                "range": [0, lanes.eval_length],
                "showgrid": False,
            },
            "yaxis": {
                "title": {"text": f"{lanes.part}, {lanes.unit} from 0"},
                "range": [-0.5, count],
                "tickvals": (base + _FILLED / 2).tolist(),
                "ticktext": [str(number) for number in range(1, count + 1)],
                "showgrid": False,
            },
        }
    )
    figure.add_trace(_shade(lanes, base, with_alpha(look.muted, 0.25)))
    figure.add_trace(_lines(lanes, lanes.before, base, "as trained", look.text, "dot"))
    colour = method_colour(method, dark)
    figure.add_trace(_lines(lanes, lanes.after, base, "stretched", colour, "solid"))
    figure.add_vline(x=lanes.train_length, line={"color": look.muted, "width": 1, "dash": "dot"})
    figure.add_annotation(
        x=lanes.train_length,
        y=0,
        yref="paper",
        yanchor="bottom",
        xanchor="right" if lanes.train_length > lanes.eval_length / 2 else "left",
        text=f"trained on {lanes.train_length:,} tokens",
        showarrow=False,
        font={"size": 12, "color": look.muted},
    )
    for lane in range(count):
        ends = (rate * lanes.eval_length for rate in (lanes.before[lane], lanes.after[lane]))
        figure.add_annotation(
            x=1,
            xref="paper",
            xanchor="left",
            xshift=4,
            y=base[lane] + _FILLED / 2,
            text=" → ".join(f"{end:.3g}" for end in ends) + f" {lanes.unit}",
            showarrow=False,
            font={"size": 12, "color": look.text},
        )
    return figure


def _shade(lanes: Lanes, base: Floats, colour: str) -> go.Scatter:
    """Returns a box a lane, as high as training reached."""
    share = np.minimum(lanes.seen / (lanes.before * lanes.eval_length), 1) * _FILLED
    x, y = [0, lanes.eval_length, lanes.eval_length, 0, None], []
    for low, high in zip(base, base + share, strict=True):
        y += [low, low, high, high, None]
    return go.Scatter(
        x=x * len(base),
        y=y,
        fill="toself",
        fillcolor=colour,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        name=lanes.shade,
    )


def _lines(
    lanes: Lanes, rates: Floats, base: Floats, name: str, colour: str, dash: str
) -> go.Scatter:
    places = np.linspace(0, lanes.eval_length, _POINTS)
    scale = _FILLED / (lanes.before * lanes.eval_length)
    told = [
        f"{lanes.part} {lane + 1}: {rate * place:.4g} {lanes.unit} at {place:,.0f} tokens"
        for lane, rate in enumerate(rates)
        for place in (*places, 0)
    ]
    return go.Scatter(
        x=_joined([places] * len(rates)),
        y=_joined(
            [low + rate * s * places for low, rate, s in zip(base, rates, scale, strict=True)]
        ),
        customdata=told,
        mode="lines",
        line={"color": colour, "width": 2.4 if dash == "solid" else 1.6, "dash": dash},
        name=name,
        hovertemplate="%{customdata}<extra>%{fullData.name}</extra>",
    )


def _joined(rows: Sequence[NDArray[np.float64]]) -> Floats:
    """Returns rows one after the other, with a gap behind each."""
    return np.concatenate([[*row, np.nan] for row in rows])
