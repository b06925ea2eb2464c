"""The parts of the page about trained models: overview, maps, charts and verdict."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from alibi_viz.figures.inspection import (
    DistanceCurve,
    MeasuredWindows,
    by_distance_figure,
    measured_windows_figure,
)
from alibi_viz.figures.text_loss import TextLoss, text_loss_figure
from alibi_viz.figures.theme import colours_by_slope, read_by_colour, reads_colour, surface
from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.capture import Capture, Overview
from alibi_viz.inspection.text.measures import Measures
from alibi_viz.inspection.text.what_if import WhatIf
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.ui.canvas.grid import attention_grid
from alibi_viz.ui.canvas.map import Panel
from alibi_viz.ui.recipes import trained as code
from alibi_viz.ui.recipes.trained import Origin, Place
from alibi_viz.ui.show.figure import show_figure, show_table
from alibi_viz.ui.trained import words
from alibi_viz.ui.trained.controls import ORDERS, choose_head
from alibi_viz.ui.trained.models import OpenModel, Seen, overview_of
from alibi_viz.ui.trained.take_away import origin_state, place_state

Floats = NDArray[np.float64]


def show_grid(
    seen: Seen,
    overview: Overview,
    order: str,
    chosen: tuple[int, int],
    *,
    key: str = "layer_head",
    name: str = "",
) -> None:
    """Shows all heads, in the order that was asked for.

    Args:
        seen: What the model does with the text.
        overview: Of `seen`.
        order: One of `trained_controls.ORDERS`.
        chosen: (layer, head), counted from 0.
        key: Name of the choice in the URL.
        name: What stands after the numbers of layers and heads above the pictures.
    """
    capture, measures = seen.capture, overview.measures
    n_head = capture.n_head
    attention_grid(
        overview.thumbnails,
        slopes=capture.slopes,
        order=words.grid_order(order, measures, capture.slopes),
        words=words.grid_words(measures, capture.slopes),
        chosen=chosen[0] * n_head + chosen[1],
        is_table=order == ORDERS[0],
        title=f"{capture.n_layer} layers × {n_head} heads{name}",
        on_head=lambda index: choose_head(key, *divmod(index, n_head)),
        key=f"grid_{key}",
    )


def theory_for(capture: Capture) -> Measures | None:
    """Returns what the slopes alone would give, None where there are none."""
    if capture.slopes is None:
        return None
    return words.theory_of(capture.slopes, capture.length, WINDOW_MASS)


def show_windows(
    capture: Capture, measures: Measures, chosen: tuple[int, int], origin: Origin
) -> None:
    """Shows the measured windows of all heads beside those of their slopes alone.

    Args:
        capture: What the model does with the text.
        measures: Of `capture`.
        chosen: (layer, head) to bring forward, counted from 0.
        origin: Where it comes from.
    """
    theory = theory_for(capture)
    data = MeasuredWindows(
        measures.window,
        capture.slopes,
        None if theory is None else theory.window,
        WINDOW_MASS,
        capture.length,
    )
    said = words.attention_sentence(measures, theory, capture.slopes)
    show_figure(
        partial(measured_windows_figure, data, chosen=chosen),
        key="measured_windows",
        title="Measured window of every head, beside that of its slope alone",
        state=origin_state(origin, capture),
        alt=f"Measured window of every head, in tokens: {said}",
        code=code.windows_code(Place("", origin, *chosen), has_slopes=capture.slopes is not None),
        numbers=partial(heads_table, capture, measures, theory),
        table=heads_table(capture, measures, theory),
    )


def heads_table(capture: Capture, measures: Measures, theory: Measures | None) -> pd.DataFrame:
    """Returns one row a head: its slope, its measures, and those of its slope alone."""
    layer, head = np.indices(measures.window.shape).reshape(2, -1) + 1
    columns: dict[str, Any] = {"layer": layer, "head": head}
    if capture.slopes is not None and theory is not None:
        columns["slope, nats/token"] = capture.slopes.ravel()
    columns[f"{WINDOW_MASS:.0%} window, tokens"] = measures.window.ravel()
    if theory is not None:
        columns["window of the slope alone, tokens"] = theory.window.ravel()
    columns["share on the first token"] = measures.first_token.ravel()
    if theory is not None:
        columns["share of the slope alone"] = theory.first_token.ravel()
    columns["entropy, nats"] = measures.entropy.ravel()
    columns["share on the previous token"] = measures.previous_token.ravel()
    return pd.DataFrame(columns)


def show_distances(
    panels: Sequence[Panel], overviews: Sequence[Overview], origins: Sequence[Origin]
) -> None:
    """Shows mean attention against distance for the chosen heads, and for their slopes alone.

    Args:
        panels: The chosen heads.
        overviews: Of the panels' captures.
        origins: Where each comes from.
    """
    curves = _distance_curves(panels, overviews, dark=False)
    length = max(len(curve.weights) for curve in curves)
    table = pd.DataFrame(
        {"distance, tokens": np.arange(length)}
        | {curve.name: pd.Series(curve.weights) for curve in curves}
    )
    places = [
        Place(panel.name, origin, panel.layer, panel.head)
        for panel, origin in zip(panels, origins, strict=True)
    ]
    state = place_state(origins[0], panels[0])
    if len(panels) > 1:
        state |= {"beside": panels[1].title}
    show_figure(
        lambda *, dark: by_distance_figure(
            _distance_curves(panels, overviews, dark=dark), dark=dark
        ),
        key="by_distance",
        title="Mean attention by distance, measured and by the slope alone",
        state=state,
        alt=words.distances_alt(curves),
        code=code.distance_code(
            places, has_slopes=[panel.capture.slopes is not None for panel in panels]
        ),
        table=table,
    )


def _distance_curves(
    panels: Sequence[Panel], overviews: Sequence[Overview], *, dark: bool
) -> list[DistanceCurve]:
    curves: list[DistanceCurve] = []
    colours = _panel_colours(panels, dark)
    for panel, overview, colour in zip(panels, overviews, colours, strict=True):
        name = panel.name or "measured"
        place = (panel.layer, panel.head)
        curves.append(DistanceCurve(name, overview.measures.mean_by_distance[place], colour, True))
        theory = theory_for(panel.capture)
        if theory is not None:
            alone = "slope alone" if len(panels) == 1 else f"{name}: slope alone"
            curves.append(DistanceCurve(alone, theory.mean_by_distance[place], colour, False))
    return curves


def _panel_colours(panels: Sequence[Panel], dark: bool) -> list[str]:
    if len(panels) > 1:
        return [surface(dark).accent, read_by_colour(dark)]
    panel = panels[0]
    if panel.capture.slopes is None:
        return [reads_colour(dark)]
    return [colours_by_slope(panel.capture.slopes[panel.layer].tolist(), dark)[panel.head]]


def show_loss(result: WhatIf, train_length: int | None, origin: Origin) -> None:
    """Shows the loss along the text, unchanged and changed.

    Args:
        result: Both runs.
        train_length: Tokens that the model was trained on, if known.
        origin: Where the changed run comes from.
    """
    losses = {"unchanged": result.unchanged.nll, "changed": result.changed.nll}
    if not len(result.unchanged.nll):
        return

    def draw(*, dark: bool) -> go.Figure:
        colours = (surface(dark).accent, read_by_colour(dark))
        curves = [
            TextLoss(name, nll, colour)
            for (name, nll), colour in zip(losses.items(), colours, strict=True)
        ]
        return text_loss_figure(curves, train_length=train_length, dark=dark)

    table = pd.DataFrame(
        {"position, token": np.arange(1, result.unchanged.length)}
        | {f"{name}, nats": nll for name, nll in losses.items()}
    )
    show_figure(
        draw,
        key="loss_along",
        title="Loss along the text, unchanged and with other slopes",
        state=origin_state(origin, result.changed),
        code=code.loss_code(origin, train_length),
        alt="Loss along the text, with the model's slopes and with the changed ones: "
        + words.what_if_sentence(result, None, train_length),
        table=table,
    )


def show_verdict(verdict: ProbeVerdict, key: str) -> None:
    """Shows what was read back from the model, what disagrees, and how it was read.

    Args:
        verdict: The probe's.
        key: Tells the models of a page apart.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.verdict_line(verdict), width="content")
        how = st.popover("how it was read", type="tertiary")
    if not verdict.agrees:
        st.warning("  \n".join(f"• {finding.words}" for finding in verdict.disagreements))
    with how:
        st.markdown(
            "All queries are set to zero, so that content is zero and the weights come from "
            "position alone; they are read through the values, in every way the library can "
            "compute attention. ln p falls by one slope with every token of distance. On the "
            "command line: `python -m alibi_viz probe PATH`."
        )
        for finding in verdict.notes:
            st.markdown(f"- {finding.words}")
        show_table(read_back_table(verdict), key=f"read_back_{key}")


def read_back_table(verdict: ProbeVerdict) -> pd.DataFrame:
    """Returns what was read: one row a way to compute attention and a head, over all layers."""
    rows = []
    promised = verdict.promise.slopes
    for read in verdict.read_backs:
        low, high = read.slopes.min(0), read.slopes.max(0)
        for head in range(verdict.slopes.shape[1]):
            rows.append(
                {
                    "attention by": read.words,
                    "tokens": read.length,
                    "head": head + 1,
                    "slope read back, lowest layer": low[head],
                    "highest layer": high[head],
                    "promised": np.nan if promised is None else promised[head],
                    "off a straight line, nats": read.deviation[:, head].max(),
                }
            )
    return pd.DataFrame(rows)


def train_length_of(model: OpenModel) -> int | None:
    """Returns the length that one of our models was trained on; None for others."""
    config = model.adapter.facts.config.get("model")
    length = config.get("train_length") if isinstance(config, dict) else None
    return length if isinstance(length, int) else None


def overviews_of(seen: Sequence[Seen]) -> list[Overview]:
    """Returns the overview of each."""
    return [overview_of(one) for one in seen]
