"""The own controls of the page about decay and windows, and how it shows its table."""

from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from alibi_viz.charts.decay import MASSES, TRAIN_LENGTHS, UNLIMITED, DecayChart, window_column
from alibi_viz.charts.heads import AlibiHeads
from alibi_viz.maths.content import N_DRAW
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.ui.link.heads import ALIBI, MAX_HEADS, shown_head
from alibi_viz.ui.link.parameter import Control, choice
from alibi_viz.ui.link.parameters import PageParameters
from alibi_viz.ui.link.settle import control_row

QUERY = Control(
    "query",
    "query, % of the way",
    tuple(range(101)),
    100,
    "whole numbers from 0 to 100",
    help="Where in the sequence the query stands: 0 is the first token, 100 the last. "
    "It sees itself and every token before it.",
)
CONTENT = Control(
    "content",
    "content strength, nats",
    tuple(np.arange(0, 8.25, 0.5).tolist()),
    0.0,
    "0 to 8 in steps of 0.5",
    help="Standard deviation of the content logits q·k/√d, drawn as independent normal numbers. "
    f"Above 0 every curve is the median of {N_DRAW} draws, with the range from 10 to 90 % for "
    "the labelled heads.",
)
TRAIN_LENGTH = Control(
    "trained",
    "training length, tokens",
    TRAIN_LENGTHS,
    128,
    "powers of two from 16 to 16384",
    help="Distances from this one on never occur in training.",
)
HEAD = Control(
    "head",
    "head brought forward",
    tuple(range(1, MAX_HEADS + 1)),
    3,
    f"whole numbers from 1 to {MAX_HEADS}",
    kind="number",
)
DISTANCE_AXIS = choice("distance", "distance axis", ("log", "linear"), allowed="log or linear")
WEIGHT_AXIS = choice("weight", "weight axis", ("log", "linear"), allowed="log or linear")
CONTROLS: tuple[Control[Any], ...] = (
    QUERY,
    CONTENT,
    TRAIN_LENGTH,
    HEAD,
    DISTANCE_AXIS,
    WEIGHT_AXIS,
)


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    return PageParameters((*ALIBI, *CONTROLS))


def decay_controls(heads: AlibiHeads) -> DecayChart:
    """Shows the row of the page's own controls, and returns the chart that they ask for.

    Args:
        heads: What the shared controls say.
    """
    chosen = control_row(CONTROLS, [3, 3, 3, 2, 2, 2])
    return DecayChart(
        **asdict(heads),
        head=shown_head(chosen[HEAD.key], heads.heads),
        query=query_position(heads.length, chosen[QUERY.key]),
        content=chosen[CONTENT.key],
        train_length=chosen[TRAIN_LENGTH.key],
        log_distance=chosen[DISTANCE_AXIS.key] == "log",
        log_weight=chosen[WEIGHT_AXIS.key] == "log",
    )


def query_position(length: int, percent: int) -> int:
    """Returns the query's position, 0 .. length - 1, from how far through the sequence it is."""
    return round(percent / 100 * (length - 1))


def table_columns() -> dict[str, Any]:
    """Returns how the page shows the table: shorter names, and the digits that are worth it."""
    labels = {
        "slope, nats/token": (None, "%.6g"),
        "half-life, tokens": (None, "%.1f"),
        UNLIMITED: (f"{WINDOW_MASS:.0%} in unlimited context", "localized"),
        **{window_column(mass): (f"{mass:.0%} window", "localized") for mass in MASSES},
        "effective number of keys": ("effective keys", "%.1f"),
        "weight on itself": (None, "%.4f"),
    }
    return {
        name: st.column_config.NumberColumn(label, format=format, help=name)
        for name, (label, format) in labels.items()
    }
