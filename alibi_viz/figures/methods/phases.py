"""How often each channel pair of sines or rotations goes around within a training text."""

import math

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.theme import method_colour, surface, template, with_alpha
from alibi_viz.maths.arrays import Floats

HEIGHT = 420
# Both ends stay for all training lengths, so that the dots move and the axis does not.
_FEWEST_TURNS, _MOST_TURNS = 1e-4, 4e3


def phases_figure(
    turns: Floats, *, method: str, train_length: int, dark: bool = False
) -> go.Figure:
    """Returns one dot a channel pair, with the single turn marked.

    Args:
        turns: (pair,) turns within the training length, the fastest pair first.
        method: Key of the position method, which has a colour.
        train_length: Tokens of a text in training.
        dark: Whether the figure is for the dark theme.

    Returns:
        Turns on a logarithmic axis against the pair; open dots have not gone around once.
    """
    look = surface(dark)
    colour = method_colour(method, dark)
    whole = turns >= 1
    figure = go.Figure(
        go.Scatter(
            x=turns,
            y=np.arange(len(turns)),
            mode="markers",
            marker={
                "size": 8,
                "color": [colour if done else look.background for done in whole],
                "line": {"width": 1.6, "color": colour},
            },
            hovertemplate="pair %{y}: %{x:.3g} turns in training<extra></extra>",
        ),
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "showlegend": False,
            "xaxis": {
                "title": {"text": f"turns within {train_length:,} tokens of training"},
                "type": "log",
                "range": [math.log10(_FEWEST_TURNS), math.log10(_MOST_TURNS)],
                "dtick": 1,
                "exponentformat": "power",
            },
            "yaxis": {
                "title": {"text": "channel pair, fastest on top"},
                "range": [len(turns) - 0.2, -0.8],
                "showgrid": False,
            },
        },
    )
    figure.add_shape(
        type="rect", x0=_FEWEST_TURNS, x1=1, y0=0, y1=1, yref="paper", layer="below",
        line_width=0, fillcolor=with_alpha(look.muted, 0.12),
    )  # fmt: skip
    _write(figure, f"{int((~whole).sum())} pairs: new angles<br>past training", "left", look.text)
    _write(figure, f"{int(whole.sum())} pairs:<br>all angles seen", "right", look.text)
    return figure


def _write(figure: go.Figure, text: str, side: str, colour: str) -> None:
    """Writes what a side of the single turn means, where no dot of that side can be."""
    left = side == "left"
    figure.add_annotation(
        x=0.02 if left else 0.98,
        y=0.97 if left else 0.03,
        xref="paper",
        yref="paper",
        xanchor=side,
        yanchor="top" if left else "bottom",
        align=side,
        text=text,
        showarrow=False,
        font={"size": 13, "color": colour},
    )
