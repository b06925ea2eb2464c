"""Attention from token to output as a diagram, with the place lit where a method acts."""

from dataclasses import dataclass

import plotly.graph_objects as go

from alibi_viz.figures.theme import method_colour, surface, template, with_alpha

HEIGHT = 560
# Box and gap between boxes, in units of the vertical axis.
_BOX, _STEP = 0.66, 1.0


@dataclass(frozen=True)
class Step:
    """One step of the pipeline."""

    name: str
    """What it is called."""
    formula: str
    """What it computes, in plain signs; plotly's own tags are allowed."""
    acts: bool = False
    """Whether the method acts here."""
    is_shown: bool = False
    """Whether its numbers stand beside the diagram."""


def pipeline_figure(
    steps: tuple[Step, ...], *, method: str, note: str = "", dark: bool = False
) -> go.Figure:
    """Returns the steps from top to bottom as boxes with arrows between them.

    Args:
        steps: The pipeline, first step first.
        method: Key of the position method, for its colour.
        note: What to say where no step is lit.
        dark: Whether the figure is for the dark theme.
    """
    look = surface(dark)
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": HEIGHT,
            "margin": {"l": 2, "r": 2, "t": 2, "b": 2},
            "xaxis": {"visible": False, "range": [0, 1], "fixedrange": True},
            "yaxis": {
                "visible": False,
                "range": [len(steps) - 0.5 + 0.05, -0.55],
                "fixedrange": True,
            },
        }
    )
    for index, step in enumerate(steps):
        _add_box(figure, index, step, method, dark)
        if index:
            figure.add_annotation(
                x=0.5,
                y=index - _BOX / 2,
                ax=0.5,
                ay=index - _STEP + _BOX / 2,
                axref="x",
                ayref="y",
                arrowhead=2,
                arrowsize=0.9,
                arrowwidth=1.2,
                arrowcolor=look.muted,
            )
    if note:
        figure.add_annotation(
            x=0.5,
            y=len(steps) - 1 + 0.46,
            text=note,
            showarrow=False,
            font={"color": method_colour(method, dark), "size": 12},
        )
    return figure


def _add_box(figure: go.Figure, index: int, step: Step, method: str, dark: bool) -> None:
    look, colour = surface(dark), method_colour(method, dark)
    figure.add_shape(
        type="rect",
        x0=0.03,
        x1=0.97,
        y0=index - _BOX / 2,
        y1=index + _BOX / 2,
        line={"color": colour if step.acts else look.grid, "width": 3 if step.acts else 1.2},
        fillcolor=with_alpha(colour, 0.16) if step.acts else look.panel,
        layer="below",
    )
    if step.is_shown:
        # A bar at the side: these numbers stand in the figure beside.
        figure.add_shape(
            type="rect",
            x0=0.985,
            x1=1.0,
            y0=index - _BOX / 2,
            y1=index + _BOX / 2,
            line_width=0,
            fillcolor=look.accent,
        )
    for text, shift, size, shade in (
        (f"<b>{step.name}</b>", 9, 13, look.text),
        (step.formula, -9, 12, look.text if step.acts else look.muted),
    ):
        figure.add_annotation(
            x=0.5,
            y=index,
            yshift=shift,
            text=text,
            showarrow=False,
            font={"size": size, "color": shade},
        )
