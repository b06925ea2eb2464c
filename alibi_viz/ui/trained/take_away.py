"""The maps of the page about trained models to take away: as figures at print size, with programs.

The page draws them on canvases; what is saved is drawn anew from the same numbers.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from alibi_viz.figures.token_map import heads_figure, token_map_figure
from alibi_viz.inspection.text.capture import Capture, Overview
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.ui.canvas.map import Panel
from alibi_viz.ui.frame.presentation import controls_are_chosen
from alibi_viz.ui.recipes import trained as code
from alibi_viz.ui.recipes.trained import Origin, Place
from alibi_viz.ui.show.take_away import TakeAway, take_away
from alibi_viz.ui.trained.compare import have_same_tokens

Floats = NDArray[np.float32]


def origin_state(origin: Origin, capture: Capture) -> dict[str, str]:
    """Returns a picture's model, text and changed slopes, in words."""
    state = {"model": origin.model, "text": f"{origin.text_name}, {capture.length:,} tokens"}
    change = "" if origin.change is None else _change_words(origin.change)
    return state | ({"slopes": change} if change else {})


def place_state(origin: Origin, panel: Panel) -> dict[str, str]:
    """Returns the same for one head."""
    head = {"layer": str(panel.layer + 1), "head": str(panel.head + 1)}
    return origin_state(origin, panel.capture) | head


def _change_words(change: Change) -> str:
    parts = [] if change.max_exponent is None else [f"exponent {change.max_exponent:g}"]
    parts += [] if change.rule is None else [change.rule]
    parts += [] if change.scale == 1 else [f"times {change.scale:g}"]
    parts += [
        f"bias off in head {head + 1}" + ("" if layer is None else f" of layer {layer + 1}")
        for layer, head in change.off
    ]
    return ", ".join(parts) or "unchanged"


def take_maps_away(
    panels: Sequence[Panel],
    origins: Sequence[Origin],
    quantity: str,
    overviews: Sequence[Overview],
    difference: str | None = None,
) -> None:
    """Shows a menu for each map on the page, and for the small maps of all heads.

    Args:
        panels: One head, or two.
        origins: Where each comes from.
        quantity: What is coloured.
        overviews: Of the panels' captures.
        difference: What the second map minus the first is called, if the page shows it.
    """
    if controls_are_chosen():
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.caption("Take away:", width="content")
        for index, (panel, origin) in enumerate(zip(panels, origins, strict=True)):
            take_away(
                _map(panel, origin, quantity, f"map_{index + 1}"), panel.name or "this head's map"
            )
        if difference is not None and have_same_tokens(*panels):
            take_away(_difference(panels, origins, quantity, difference), difference)
        take_away(_heads(panels[0], origins[0], overviews[0]), "all heads")


def _values(panel: Panel, quantity: str) -> Floats:
    """Returns (query, key) numbers of a head, NaN where masked."""
    seen = panel.capture.attention(panel.layer, panel.head)
    values: Floats = np.where(seen.visible, getattr(seen, code.attention_part(quantity)), np.nan)
    return values


def _place(panel: Panel, origin: Origin) -> Place:
    return Place(panel.name, origin, panel.layer, panel.head)


def _tokens(panel: Panel) -> list[str]:
    return [token.text for token in panel.capture.tokens]


def _map(panel: Panel, origin: Origin, quantity: str, key: str) -> TakeAway:
    def draw(*, dark: bool) -> go.Figure:
        return token_map_figure(
            _values(panel, quantity), _tokens(panel), quantity=quantity, dark=dark
        )

    return TakeAway(
        draw,
        key,
        f"{_name(quantity)} of layer {panel.layer + 1}, head {panel.head + 1}",
        place_state(origin, panel),
        f"Map of a head over {panel.capture.length} tokens, queries down and keys across",
        code.map_code([_place(panel, origin)], quantity),
    )


def _difference(
    panels: Sequence[Panel], origins: Sequence[Origin], quantity: str, name: str
) -> TakeAway:
    def draw(*, dark: bool) -> go.Figure:
        first, second = (_values(panel, quantity) for panel in panels)
        if quantity == "log weight":
            first, second = np.log(first), np.log(second)
        return token_map_figure(
            second - first, _tokens(panels[0]), quantity=quantity, is_difference=True, dark=dark
        )

    pairs = list(zip(panels, origins, strict=True))
    first_state, second_state = (place_state(origin, panel) for panel, origin in pairs)
    changed = {
        f"second {key}": value
        for key, value in second_state.items()
        if value != first_state.get(key)
    }
    return TakeAway(
        draw,
        "map_difference",
        f"{_name(quantity)}: {name}",
        first_state | changed,
        f"Map of a difference over {panels[0].capture.length} tokens",
        code.map_code([_place(panel, origin) for panel, origin in pairs], quantity),
    )


def _heads(panel: Panel, origin: Origin, overview: Overview) -> TakeAway:
    small = overview.thumbnails
    return TakeAway(
        partial(heads_figure, small, panel.capture.slopes),
        "model_heads",
        "Attention of all heads, a layer a row",
        origin_state(origin, panel.capture),
        f"Small maps of {small.shape[0]} layers and {small.shape[1]} heads",
        code.heads_code(origin, small.shape[-1]),
        partial(thumbnail_table, small),
    )


def thumbnail_table(small: Floats) -> pd.DataFrame:
    """Returns the cells of all small maps, one a row; the future is left out.

    Args:
        small: (layer, head, row, column) largest weight of each part of a map.
    """
    layer, head, row, column = np.indices(small.shape).reshape(4, -1)
    seen = column <= row
    columns = {"layer": layer + 1, "head": head + 1, "row of cells": row, "column of cells": column}
    table = {name: values[seen] for name, values in columns.items()}
    return pd.DataFrame({**table, "largest weight": small.ravel()[seen]})


def _name(quantity: str) -> str:
    return {"weight": "Attention weight", "log weight": "Attention weight"}.get(
        quantity, quantity.capitalize()
    )
