"""The same figure with larger type, for a projector."""

from typing import Any

import plotly.graph_objects as go


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
