"""What a method does to a logit: by distance as lines, between positions as a map."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.figures.panels import hatch
from alibi_viz.figures.theme import (
    colour_bar,
    head_colours,
    map_colourscale,
    method_colour,
    surface,
    template,
    with_alpha,
)
from alibi_viz.maths.arrays import Floats

CURVES_HEIGHT = 260
MAP_HEIGHT = 320


def effect_figure(
    mean: Floats,
    spread: tuple[Floats, Floats] | None,
    *,
    method: str,
    train_length: int,
    eval_length: int,
    dark: bool = False,
) -> go.Figure:
    """Returns the logit by distance, one line a head where heads differ.

    Args:
        mean: (head, distance) in nats; fewer distances than `eval_length` where a method ends.
        spread: Lowest and highest over queries, (head, distance) each; None where all are equal.
        method: Key of the position method, for its colour.
        train_length: Tokens in a training window: distances from there on were never seen.
        eval_length: Tokens in the input; the axis ends there.
        dark: Whether the figure is for the dark theme.
    """
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": CURVES_HEIGHT,
            "showlegend": False,
            "margin": {"l": 8, "r": 12, "t": 18, "b": 8},
            "xaxis": {
                "title": {"text": "distance from query to key, tokens"},
                "range": [-0.01 * eval_length, 1.01 * eval_length],
            },
            "yaxis": {"title": {"text": "logit, nats"}},
        }
    )
    several = len(mean) > 1
    colours = head_colours(len(mean), dark) if several else (method_colour(method, dark),)
    distance = np.arange(mean.shape[1])
    if spread is not None:
        figure.add_trace(_band(distance, spread[0][0], spread[1][0], colours[0]))
    for head, row in enumerate(mean):
        figure.add_scatter(
            x=distance,
            y=row.astype(np.float32),
            mode="lines",
            line={"color": colours[head], "width": 1.8 if several else 2},
            name=f"head {head + 1}" if several else "logit",
            hovertemplate="distance %{x}: %{y:.3f} nats<extra>%{fullData.name}</extra>",
        )
    if several:
        _label_ends(figure, mean, colours, surface(dark).background)
    _shade_past_training(figure, train_length, eval_length, dark)
    return figure


def logit_map_figure(
    matrix: Floats, places: NDArray[np.int64], *, train_length: int | None, dark: bool = False
) -> go.Figure:
    """Returns logits between positions as a map: query down, key across, the masked part hatched.

    Args:
        matrix: (query, key) in nats; NaN where masked, or where the method has no number.
        places: (place,) positions of both, counted from 0.
        train_length: Tokens in a training window, drawn as a line; None for no line.
        dark: Whether the figure is for the dark theme.
    """
    edges = cell_edges(places)
    ends = [float(edges[0]), float(edges[-1])]
    axis = {"showgrid": False, "constrain": "domain", "fixedrange": True}
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": MAP_HEIGHT,
            "margin": {"l": 8, "r": 8, "t": 18, "b": 8},
            "xaxis": axis
            | {
                "title": {"text": "key, position"},
                "range": ends,
                "scaleanchor": "y",
                "constraintoward": "right",
            },
            "yaxis": axis | {"title": {"text": "query, position"}, "range": ends[::-1]},
        }
    )
    figure.add_heatmap(
        x=places,
        y=places,
        z=matrix.astype(np.float32),
        colorscale=map_colourscale(),
        hoverongaps=False,
        colorbar=colour_bar("logit, nats", dark),
        hovertemplate="query %{y}, key %{x}: %{z:.3f} nats<extra></extra>",
    )
    hatch_masked(figure, matrix, edges, dark)
    _hatch_missing(figure, matrix, places, dark)
    if train_length is not None and train_length <= ends[1]:
        _draw_end_of_training(figure, train_length, ends, dark)
    return figure


def _draw_end_of_training(
    figure: go.Figure, train_length: int, ends: Sequence[float], dark: bool
) -> None:
    """Draws where training ended, from the first key to the last query that it had."""
    look = surface(dark)
    line = {"color": look.text, "width": 1.2, "dash": "dot"}
    at = train_length - 0.5
    figure.add_shape(type="line", x0=ends[0], x1=at, y0=at, y1=at, line=line)
    figure.add_annotation(
        x=ends[1],
        y=at,
        text=f"trained on {train_length:,}",
        xanchor="right",
        yanchor="middle",
        bgcolor=look.panel,
        showarrow=False,
        font={"size": 12, "color": look.muted},
    )


def cell_edges(places: NDArray[Any]) -> Floats:
    """Returns the edges of cells that stand at `places`, half-way between them: one more."""
    if len(places) == 1:
        return np.array([places[0] - 0.5, places[0] + 0.5])
    middles = (places[1:] + places[:-1]) / 2
    first, last = 2 * places[0] - middles[:1], 2 * places[-1] - middles[-1:]
    edges: Floats = np.concatenate([first, middles, last])
    return edges


def hatch_masked(figure: go.Figure, matrix: Floats, edges: Floats, dark: bool) -> None:
    """Hatches the cells above the diagonal, or below it, where the matrix has no numbers there.

    Args:
        figure: The figure, changed in place.
        matrix: (query, key), NaN where masked.
        edges: Edges of its cells along both axes, one more than cells.
        dark: Whether the figure is for the dark theme.
    """
    # A staircase between the diagonal's cells and their neighbours, closed at the far corner.
    inner = np.repeat(edges[1:-1], 2)
    across = np.concatenate([edges[-1:], inner, edges[-1:]])
    down = np.concatenate([edges[:1], edges[:1], inner[:-1], edges[-2:-1]])
    if np.isnan(matrix[0, 1:]).all():
        figure.add_trace(hatch(across.tolist(), down.tolist(), dark=dark))
    elif np.isnan(matrix[1:, 0]).all():
        figure.add_trace(hatch(down.tolist(), across.tolist(), dark=dark))


def _hatch_missing(
    figure: go.Figure, matrix: Floats, places: NDArray[np.int64], dark: bool
) -> None:
    """Hatches the queries for which a method has no number at all, and says so."""
    missing = np.isnan(matrix).all(axis=1)
    if not missing.any():
        return
    edges = cell_edges(places)
    low, first, last = (float(edges[at]) for at in (0, int(missing.argmax()), -1))
    # The future of these queries is hatched already.
    figure.add_trace(hatch([low, first, last, low], [first, first, last, last], dark=dark))
    figure.add_annotation(
        x=low + (last - low) / 3,
        y=(first + last) / 2,
        text="no row in the table",
        showarrow=False,
        font={"size": 12, "color": surface(dark).muted},
        bgcolor=surface(dark).panel,
    )


def _shade_past_training(
    figure: go.Figure, train_length: int, eval_length: int, dark: bool
) -> None:
    """Shades what training never had on a linear axis of tokens, with its words above.

    Args:
        figure: The figure, changed in place.
        train_length: Tokens in a training window.
        eval_length: Tokens in the input.
        dark: Whether the figure is for the dark theme.
    """
    if eval_length <= train_length:
        return
    look = surface(dark)
    figure.add_shape(
        type="rect",
        x0=train_length - 0.5,
        x1=1.01 * eval_length,
        y0=0,
        y1=1,
        yref="paper",
        layer="below",
        line_width=0,
        fillcolor=with_alpha(look.muted, 0.13),
    )
    figure.add_annotation(
        x=train_length - 0.5,
        y=1,
        yref="paper",
        text=f"past the {train_length:,} tokens of training",
        xanchor="left",
        yanchor="bottom",
        showarrow=False,
        font={"size": 12, "color": look.muted},
    )


def _band(distance: NDArray[np.int64], low: Floats, high: Floats, colour: str) -> go.Scatter:
    return go.Scatter(
        x=np.concatenate([distance, distance[::-1]]),
        y=np.concatenate([high, low[::-1]]).astype(np.float32),
        fill="toself",
        fillcolor=with_alpha(colour, 0.22),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        name="range over queries",
    )


def _label_ends(figure: go.Figure, mean: Floats, colours: Sequence[str], background: str) -> None:
    """Writes the number of the first and the last head beside their curves."""
    for head in (0, len(mean) - 1):
        at = int(0.98 * (mean.shape[1] - 1))
        figure.add_annotation(
            x=at,
            y=float(mean[head, at]),
            text=f"<b>head {head + 1}</b>",
            font={"color": colours[head], "size": 12},
            bgcolor=with_alpha(background, 0.7),
            showarrow=False,
            xanchor="right",
            yanchor="bottom",
        )
