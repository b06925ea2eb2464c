"""The live view to take away: its parts as figures at print size, drawn again as vectors.

A canvas is pixels of the moment; what is saved is drawn anew from the same numbers.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.figures.biases import Colour, Scale, all_heads_figure, head_map_figure, row_figure
from alibi_viz.figures.distance import slope_text
from alibi_viz.figures.slopes import slope_ladder_figure
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import SLOPE_RULES, alibi_slopes, rules_differ
from alibi_viz.ui.frame.presentation import controls_are_chosen
from alibi_viz.ui.link.controls import AlibiSettings
from alibi_viz.ui.recipes import explore as code
from alibi_viz.ui.show.take_away import TakeAway, take_away

# Rows of the table of all heads at most; there are as many columns as heads.
MOST_DISTANCES = 2048


def take_live_view_away(
    settings: AlibiSettings, *, head: int, cell: tuple[int, int], colour: Colour, scale: Scale
) -> None:
    """Shows a menu for each part of the live view.

    Args:
        settings: What the shared controls say.
        head: The chosen head, counted from 1.
        cell: The (query, key) that is read out.
        colour: What is coloured.
        scale: Whether all heads share their colours.
    """
    if controls_are_chosen():
        return
    looks = {"colour": colour, "scale": scale}
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.caption("Take away:", width="content")
        take_away(_all_heads(settings, looks), "all heads")
        take_away(_head(settings, head, cell, looks), f"head {head}")
        take_away(_row(settings, head, cell), f"query {cell[0]}")
        take_away(_ladder(settings, head), "slope ladder")


def _all_heads(settings: AlibiSettings, looks: dict[str, Any]) -> TakeAway:
    return TakeAway(
        partial(all_heads_figure, settings.slopes, length=settings.length, **looks),
        "all_heads",
        f"{_quantity(looks)} of all heads",
        settings.state | looks,
        f"Maps of {settings.heads} heads, queries down and keys across: {looks['colour']}",
        code.all_heads_code(settings, **looks),
        partial(heads_table, settings),
    )


def _head(
    settings: AlibiSettings, head: int, cell: tuple[int, int], looks: dict[str, Any]
) -> TakeAway:
    return TakeAway(
        partial(
            head_map_figure, settings.slopes, head=head, length=settings.length, cell=cell, **looks
        ),
        "head",
        f"{_quantity(looks)} of head {head}",
        settings.state | _head_state(settings, head) | looks,
        f"Map of head {head}, queries down and keys across: {looks['colour']}",
        code.head_code(settings, head, cell, **looks),
        partial(row_numbers, settings, head, settings.length - 1),
    )


def _row(settings: AlibiSettings, head: int, cell: tuple[int, int]) -> TakeAway:
    query, key = cell
    state = _head_state(settings, head) | {"query": str(query), "key marked": str(key)}
    return TakeAway(
        partial(
            row_figure, settings.slopes, head=head, length=settings.length, query=query, key=key
        ),
        "query_row",
        "One query's bias by distance, and the attention that it gives",
        settings.state | state,
        f"Bias and attention weight of head {head} and query {query} against distance",
        code.row_code(settings, head, cell),
        partial(row_numbers, settings, head, query),
    )


def _ladder(settings: AlibiSettings, head: int) -> TakeAway:
    other = None
    if rules_differ(settings.heads):
        (rule,) = {*SLOPE_RULES} - {settings.rule}
        other = (rule, alibi_slopes(settings.heads, settings.exponent, rule))
    return TakeAway(
        partial(slope_ladder_figure, settings.slopes, head=head, other=other),
        "slope_ladder",
        "The slopes of all heads",
        {name: text for name, text in settings.state.items() if name != "length"},
        f"Slopes of {settings.heads} heads on a base-2 axis",
        code.ladder_code(settings, head),
        lambda: pd.DataFrame(
            {
                "head": np.arange(1, settings.heads + 1),
                "slope, nats per token": settings.slopes,
                "as a fraction": [slope_text(slope) for slope in settings.slopes],
            }
        ),
    )


def _quantity(looks: dict[str, Any]) -> str:
    return "Bias" if looks["colour"] == "bias" else "Attention weight at equal content"


def _head_state(settings: AlibiSettings, head: int) -> dict[str, str]:
    return {"head": f"{head}, slope {slope_text(float(settings.slopes[head - 1]))}"}


def heads_table(settings: AlibiSettings) -> pd.DataFrame:
    """Returns the bias of every head, a column each: it depends on the distance alone.

    Args:
        settings: What the shared controls say; of long sequences evenly spaced distances are given.
    """
    last = settings.length - 1
    distances = np.unique(np.linspace(0, last, min(settings.length, MOST_DISTANCES)).astype(int))
    columns = {
        f"head {head + 1}, slope {slope_text(float(slope))}: bias, nats": -slope * distances
        for head, slope in enumerate(settings.slopes)
    }
    return pd.DataFrame({"distance, tokens": distances, **columns})


def row_numbers(settings: AlibiSettings, head: int, query: int) -> pd.DataFrame:
    """Returns one query's bias and weight at every distance.

    Args:
        settings: What the shared controls say.
        head: The head, counted from 1.
        query: Position of the query.
    """
    slope = settings.slopes[head - 1 : head]
    distance = np.arange(query + 1)
    return pd.DataFrame(
        {
            "distance, tokens": distance,
            "key": query - distance,
            "bias, nats": bias_by_distance(slope, query + 1)[0],
            "attention weight": attention_by_distance(slope, settings.length, query)[
                0, : query + 1
            ],
        }
    )
