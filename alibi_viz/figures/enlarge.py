"""The same figure with larger type, for a projector."""

from typing import Any

import plotly.graph_objects as go

from alibi_viz.figures.labels import moved_apart

_LINE = 1.25
"""Height of a line of type, in its size."""


def enlarged(figure: go.Figure, factor: float) -> go.Figure:
    """Returns a copy of a figure with all type, and the room that it needs, multiplied.

    Args:
        figure: A figure whose template and annotations name their sizes.
        factor: How much larger type becomes, above 1.

    Returns:
        A figure of its own; height and margins grow as well, data stay as they are.
    """
    spec = figure.to_dict()
    _multiply_type(spec, factor)
    layout = spec["layout"]
    for side in layout.get("margin", {}):
        layout["margin"][side] *= factor
    if "height" in layout:
        # Half of the growth: a slide is as high as it is.
        layout["height"] *= (1 + factor) / 2
    return go.Figure(spec)


def lowered(figure: go.Figure, height: int) -> go.Figure:
    """Makes a figure less high, and moves apart the labels at its right edge that then touch.

    Args:
        figure: Changed in place.
        height: Pixels.

    Returns:
        The same figure.
    """
    figure.update_layout(height=height)
    axis, margin = figure.layout.yaxis, figure.layout.margin
    labels = [label for label in figure.layout.annotations if _is_at_edge(label)]
    if not labels or axis.range is None or axis.domain not in (None, (0, 1)):
        return figure
    low, high = axis.range
    pixel = (high - low) / (height - (margin.t or 0) - (margin.b or 0))
    rooms = [_LINE * label.font.size * (label.text.count("<br>") + 1) * pixel for label in labels]
    places = moved_apart([label.y for label in labels], rooms, highest=high + max(rooms) / 2)
    for label, place in zip(labels, places, strict=True):
        label.y = place
    return figure


def _is_at_edge(label: Any) -> bool:
    is_right = label.xref == "paper" and label.x == 1 and label.xanchor == "left"
    return is_right and label.yref in (None, "y") and label.font.size is not None


def _multiply_type(part: Any, factor: float) -> None:
    """Multiplies the size of every font in a specification, wherever it stands."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name.endswith("font") and isinstance(value, dict) and "size" in value:
                value["size"] *= factor
            else:
                _multiply_type(value, factor)
    elif isinstance(part, (list, tuple)):
        for value in part:
            _multiply_type(value, factor)
