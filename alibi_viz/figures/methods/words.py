"""One query's attention over the words of a sentence."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.theme import method_colour, surface, template, with_alpha
from alibi_viz.maths.arrays import Floats

ROW_HEIGHT = 46


def words_figure(
    words: Sequence[str],
    attn_weights: Floats,
    *,
    method: str,
    marked: str,
    dark: bool = False,
) -> go.Figure:
    """Returns one bar a word, in the order of the sentence.

    Args:
        words: The sentence; the query is its last word.
        attn_weights: (key,) the query's attention weights.
        method: Key of the position method, which has a colour.
        marked: A word that stands in the sentence more than once, to bring forward.
        dark: Whether the figure is for the dark theme.

    Returns:
        Horizontal bars with their weights written at the ends.
    """
    look = surface(dark)
    strong = method_colour(method, dark)
    quiet = with_alpha(look.muted, 0.35)
    places = np.arange(len(words))
    bars = go.Bar(
        x=attn_weights,
        y=places,
        orientation="h",
        width=0.62,
        marker={"color": [strong if word == marked else quiet for word in words]},
        text=[f"{weight:.3f}" for weight in attn_weights],
        textposition="outside",
        cliponaxis=False,
        customdata=list(words),
        hovertemplate="%{customdata}: weight %{x:.4f}<extra></extra>",
    )
    return go.Figure(
        bars,
        layout={
            "template": template(dark),
            "height": ROW_HEIGHT * len(words) + 60,
            "showlegend": False,
            "margin": {"l": 8, "r": 48, "t": 12, "b": 8},
            "xaxis": {
                "title": {"text": f"attention weight of the query “{words[-1]}”"},
                "range": [0, 1.05 * float(attn_weights.max())],
                "rangemode": "tozero",
            },
            "yaxis": {
                "tickvals": places,
                "ticktext": [f"{place}  {word}" for place, word in enumerate(words)],
                "tickfont": {"size": 15, "color": look.text},
                "range": [len(words) - 0.4, -0.6],
                "showgrid": False,
                "ticks": "",
            },
        },
    )
