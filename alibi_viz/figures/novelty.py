"""What training reached and what a longer input brings, one bar for each part of a method."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.theme import Surface, method_colour, surface, template, with_alpha
from alibi_viz.maths.arrays import Floats

MIN_HEIGHT, MAX_HEIGHT, PER_BAR = 150, 300, 26
# The hatch of thinner bars shimmers; they are light instead.
MOST_HATCHED = 16


@dataclass(frozen=True)
class Reach:
    """How far each part of a method was seen in training, and is met in a longer input."""

    part: str
    """What the bars are, such as "head"."""
    unit: str
    """What the axis measures, with its unit."""
    seen: Floats
    """(part,) the largest value in training."""
    met: Floats
    """(part,) the largest value in the longer input; NaN where the method has none."""
    lowest: Floats
    """(part,) where the bars begin; above 0 on a logarithmic axis."""
    ends: tuple[float, float]
    """Ends of the axis."""
    is_log: bool = False
    """Whether the axis is logarithmic."""


def novelty_figure(reach: Reach, *, method: str, dark: bool = False) -> go.Figure:
    """Returns one bar a part: solid as far as training went, hatched where the input goes further.

    Args:
        reach: What was seen and what is met.
        method: Key of the position method, for its colour.
        dark: Whether the figure is for the dark theme.
    """
    look, colour = surface(dark), method_colour(method, dark)
    count = len(reach.seen)
    number = np.arange(1, count + 1)
    ends = [float(np.log10(end)) for end in reach.ends] if reach.is_log else list(reach.ends)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": int(np.clip(PER_BAR * count + 70, MIN_HEIGHT, MAX_HEIGHT)),
            "barmode": "overlay",
            "bargap": 0.25,
            "margin": {"l": 8, "r": 12, "t": 26, "b": 8},
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
            "xaxis": {
                "title": {"text": reach.unit},
                "type": "log" if reach.is_log else "linear",
                "dtick": 1 if reach.is_log else None,
                "range": ends,
            },
            "yaxis": {
                "title": {"text": reach.part},
                "range": [count + 0.6, 0.4],
                "showgrid": False,
                "dtick": max(1, count // 8),
                "tick0": 1,
            },
        }
    )
    new = np.where(reach.met > reach.seen, reach.met - reach.seen, np.nan)
    for name, start, extent in (
        ("seen in training", reach.lowest, reach.seen - reach.lowest),
        ("new in the longer input", reach.seen, new),
    ):
        figure.add_bar(
            y=number,
            x=extent,
            base=start,
            orientation="h",
            name=name,
            showlegend=bool(np.isfinite(extent).any()),
            marker=_marker(reach, is_new=name != "seen in training", colour=colour, look=look),
            customdata=start + extent,
            hovertemplate=f"{reach.part} %{{y}}: %{{base:.3g}} to %{{customdata:.3g}}<extra>{name}"
            "</extra>",
        )
    return figure


def _marker(reach: Reach, *, is_new: bool, colour: str, look: Surface) -> dict[str, Any]:
    if not is_new:
        return {"color": look.muted, "line": {"width": 0}}
    if len(reach.seen) > MOST_HATCHED:
        return {"color": with_alpha(colour, 0.5), "line": {"width": 0}}
    return {
        "color": colour,
        "line": {"width": 1, "color": colour},
        "pattern": {"shape": "/", "fgcolor": colour, "bgcolor": look.background},
    }
