"""What the decay page shows besides the shared controls: its settings, and its numbers, kept."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from alibi_viz.exhibits import decay as exhibit
from alibi_viz.exhibits.decay import MASSES, SEED, UNLIMITED, DecaySummary, window_column
from alibi_viz.maths.content import N_DRAW, content_draws
from alibi_viz.maths.slopes import SlopeRule, alibi_slopes
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.ui.link.control import Control, choice
from alibi_viz.ui.link.controls import (
    MAX_HEADS,
    MAX_LENGTH,
    AlibiSettings,
    bound_control,
    control_columns,
    show_notes,
    shown_head,
)

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
    tuple(2**power for power in range(4, 15)),
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


@dataclass(frozen=True)
class DecaySettings:
    """What the page's own controls say."""

    query: int
    """How far through the sequence the query stands, in percent."""
    strength: float
    """Standard deviation of the content logits, in nats."""
    train_length: int
    """Tokens a sequence had in training."""
    head: int
    """The head to bring forward, counted from 1; one that there is."""
    log_distance: bool
    """Whether the distance axis is logarithmic."""
    log_weight: bool
    """Whether the weight axis is."""


def decay_controls(heads: int) -> DecaySettings:
    """Shows the row of the page's own controls, and returns what they say.

    Args:
        heads: How many heads there are.
    """
    columns = control_columns(CONTROLS, [3, 3, 3, 2, 2, 2])
    head = bound_control(HEAD, columns[HEAD.key])
    settings = DecaySettings(
        query=bound_control(QUERY, columns[QUERY.key]),
        strength=bound_control(CONTENT, columns[CONTENT.key]),
        train_length=bound_control(TRAIN_LENGTH, columns[TRAIN_LENGTH.key]),
        head=shown_head(head, heads),
        log_distance=bound_control(DISTANCE_AXIS, columns[DISTANCE_AXIS.key]) == "log",
        log_weight=bound_control(WEIGHT_AXIS, columns[WEIGHT_AXIS.key]) == "log",
    )
    show_notes(*CONTROLS)
    return settings


def query_position(length: int, percent: int) -> int:
    """Returns the query's position, 0 .. length - 1, from how far through the sequence it is."""
    return round(percent / 100 * (length - 1))


@st.cache_resource(show_spinner=False)
def _all_draws() -> NDArray[np.float64]:
    """Returns the draws of every length: a query with fewer keys has the first of them."""
    draws = content_draws(MAX_LENGTH, seed=SEED)
    draws.flags.writeable = False
    return draws


@st.cache_data(max_entries=128, show_spinner=False)
def decay_summary(
    heads: int,
    exponent: float,
    rule: SlopeRule,
    n_key: int,
    *,
    strength: float,
    train_length: int,
    even: bool,
) -> DecaySummary:
    """Returns the attention of a query with `n_key` keys.

    Args:
        heads: Number of heads.
        exponent: Minus the base-2 logarithm of the flattest slope.
        rule: How slopes follow from the number of heads.
        n_key: Keys that the query sees, its own included.
        strength: Standard deviation of the content logits, in nats; 0 is the pure decay.
        train_length: Tokens a sequence had in training; its last distance is among those drawn.
        even: Whether the distances suit a linear axis.
    """
    draws = _all_draws()[:n_key] if strength else np.zeros((n_key, 1))
    return exhibit.decay_summary(
        alibi_slopes(heads, exponent, rule), strength * draws, train_length=train_length, even=even
    )


def state(settings: AlibiSettings, n_key: int, strength: float) -> dict[str, str]:
    """Returns what the figures depend on, in words, for files of them.

    Args:
        settings: What the shared controls say.
        n_key: Keys that the query sees, its own included.
        strength: Standard deviation of the content logits, in nats.
    """
    content = f"{strength:g} nats, median of {N_DRAW} draws" if strength else "equal"
    return settings.state | {"query": f"{n_key - 1} ({n_key:,} keys)", "content": content}


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
