"""What training reached and what a longer input brings, one bar for each part of a method."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.theme import Surface, method_colour, surface, template, with_alpha
from alibi_viz.positions.novelty import Novelty

MIN_HEIGHT, MAX_HEIGHT, PER_BAR = 150, 300, 26
# The hatch of thinner bars shimmers; they are light instead.
MOST_HATCHED = 16


def novelty_figure(new: Novelty, *, method: str, dark: bool = False) -> go.Figure:
    """Returns one bar a part: solid as far as training went, hatched where the input goes further.

    Args:
        new: What was seen and what is met; at least one part.
        method: Key of the position method, for its colour.
        dark: Whether the figure is for the dark theme.
    """
    look, colour = surface(dark), method_colour(method, dark)
    count = len(new.seen)
    number = np.arange(1, count + 1)
    ends = [float(np.log10(end)) for end in new.ends] if new.is_log else list(new.ends)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": int(np.clip(PER_BAR * count + 70, MIN_HEIGHT, MAX_HEIGHT)),
            "barmode": "overlay",
            "bargap": 0.25,
            "margin": {"l": 8, "r": 12, "t": 26, "b": 8},
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
            "xaxis": {
                "title": {"text": new.unit},
                "type": "log" if new.is_log else "linear",
                "dtick": 1 if new.is_log else None,
                "range": ends,
            },
            "yaxis": {
                "title": {"text": new.part},
                "range": [count + 0.6, 0.4],
                "showgrid": False,
                "dtick": max(1, count // 8),
                "tick0": 1,
            },
        }
    )
    beyond = np.where(new.is_new, new.met - new.seen, np.nan)
    for name, start, extent in (
        ("seen in training", new.lowest, new.seen - new.lowest),
        ("new in the longer input", new.seen, beyond),
    ):
        figure.add_bar(
            y=number,
            x=extent,
            base=start,
            orientation="h",
            name=name,
            showlegend=bool(np.isfinite(extent).any()),
            marker=_marker(new, is_new=name != "seen in training", colour=colour, look=look),
            customdata=start + extent,
            hovertemplate=f"{new.part} %{{y}}: %{{base:.3g}} to %{{customdata:.3g}}<extra>{name}"
            "</extra>",
        )
    return figure


def _marker(new: Novelty, *, is_new: bool, colour: str, look: Surface) -> dict[str, Any]:
    if not is_new:
        return {"color": look.muted, "line": {"width": 0}}
    if len(new.seen) > MOST_HATCHED:
        return {"color": with_alpha(colour, 0.5), "line": {"width": 0}}
    return {
        "color": colour,
        "line": {"width": 1, "color": colour},
        "pattern": {"shape": "/", "fgcolor": colour, "bgcolor": look.background},
    }
