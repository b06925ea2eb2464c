"""The slope ladder: one dot a head on a base-2 axis."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures import theme
from alibi_viz.figures.distance import slope_text
from alibi_viz.maths.arrays import Floats

# More labels than this run into each other.
MAX_LABELS = 16


def slope_ladder_figure(
    slopes: Floats,
    *,
    head: int | None = None,
    other: tuple[str, Floats] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Returns the slopes of all heads on a base-2 axis, with direct labels.

    Args:
        slopes: (head,) slopes above 0, in nats per token.
        head: The chosen head, counted from 1; it is ringed.
        other: A name and (head,) slopes to show hollow, for comparison.
        dark: Whether the figure is for the dark theme.

    Returns:
        Heads across, log2 of the slope up; ticks are labelled with the slopes.
    """
    look = theme.surface(dark)
    heads = np.arange(1, len(slopes) + 1)
    figure = go.Figure(layout={"template": theme.template(dark), "height": 320})
    if other is not None:
        name, others = other
        hollow = {"symbol": "circle-open", "size": 8, "color": look.muted}
        figure.add_scatter(
            x=heads, y=np.log2(others), mode="markers", name=name, marker=hollow, hoverinfo="skip"
        )
    every = -(-len(slopes) // MAX_LABELS)
    texts = [
        slope_text(slope) if index % every == 0 or index + 1 == head else ""
        for index, slope in enumerate(slopes)
    ]
    figure.add_scatter(
        x=heads,
        y=np.log2(slopes),
        mode="markers+text",
        name="slope",
        text=texts,
        textposition="top right",
        cliponaxis=False,
        customdata=[slope_text(slope) for slope in slopes],
        hovertemplate="head %{x}: slope %{customdata}<extra></extra>",
        marker={"color": theme.colours_by_slope(slopes.tolist(), dark), "size": 10},
    )
    if head is not None:
        ring = {"symbol": "circle-open", "size": 17, "color": look.text, "line": {"width": 1.5}}
        figure.add_scatter(
            x=[head],
            y=[np.log2(slopes[head - 1])],
            mode="markers",
            name="chosen head",
            marker=ring,
            hoverinfo="skip",
        )
    _set_axes(figure, len(slopes), slopes if other is None else np.concatenate([slopes, other[1]]))
    figure.update_layout(showlegend=other is not None)
    return figure


def _set_axes(figure: go.Figure, n_head: int, shown: Floats) -> None:
    """Puts heads across, and up the whole powers of two that the slopes shown span."""
    exponents = _whole_exponents(shown)
    figure.update_xaxes(
        title_text="head",
        range=[0.4, n_head + 0.9],
        showgrid=False,
        # No half heads between few.
        dtick=1 if n_head <= MAX_LABELS else None,
    )
    figure.update_yaxes(
        title_text="slope, nats per token of distance",
        tickvals=exponents,
        ticktext=[slope_text(2.0**exponent) for exponent in exponents],
    )


def _whole_exponents(slopes: Sequence[float] | Floats) -> list[int]:
    """Returns the powers of two to label: all of them, or every second where there are many."""
    low, high = int(np.floor(np.log2(np.min(slopes)))), int(np.ceil(np.log2(np.max(slopes))))
    return list(range(high, low - 1, -1 if high - low <= 9 else -2))
