"""One method in three views, as numbers: logit by distance, its matrix, and what is new."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats
from alibi_viz.model.bundled import bundled_position
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.cost import position_cost
from alibi_viz.positions import METHODS, find_method
from alibi_viz.positions.effect import CONDITIONS, Effect, logit_by_distance, logit_matrix
from alibi_viz.positions.novelty import Novelty

# A map of more cells than this is slow to draw and shows no more.
MAP_CELLS = 64
# The head whose matrix is shown: the third of eight, where the slope is 1/8.
MAP_HEAD = 2
MAP_NOTE = f" The map is that of head {MAP_HEAD + 1}."

COSTS_ABOUT = (
    "Additions and multiplications for one window, counted from the model's sizes (4 layers, 8 "
    "heads, width 128); sines, angles and biases are computed once and kept."
)


@dataclass(frozen=True)
class MethodViews:
    """What the page shows of one method."""

    effect: Effect
    """Logit by distance."""
    places: NDArray[np.int64]
    """(place,) positions of the matrix."""
    matrix: Floats
    """(query, key) logits of one head at those positions, in nats; NaN where there is none."""
    new: Novelty
    """What was seen and what is met, and the same in words."""
    how: str
    """Under which conditions the logits are shown, and whether what is learned was trained."""


@lru_cache(maxsize=60)
def views(method: str, train_length: int, times: int) -> MethodViews:
    """Returns the three views of a method; shared, nobody changes them.

    Args:
        method: Key of the position method.
        train_length: Tokens in a training window.
        times: Tokens in the input, as a multiple of that.
    """
    eval_length = train_length * times
    position, is_trained = bundled_position(method, train_length)
    places = np.unique(np.linspace(0, eval_length - 1, min(eval_length, MAP_CELLS)).astype(int))
    return MethodViews(
        effect=logit_by_distance(position, eval_length),
        places=places,
        matrix=logit_matrix(position, places, MAP_HEAD),
        new=position.novelty(train_length, eval_length),
        how=_how(method, is_trained),
    )


@lru_cache(maxsize=20)
def costs(train_length: int, times: int) -> pd.DataFrame:
    """Returns parameters and extra arithmetic of every method, one a row.

    Args:
        train_length: Tokens in a training window: rows of a learned table.
        times: Tokens in the input, as a multiple of that.
    """
    length, rows = train_length * times, []
    for key, method in METHODS.items():
        cost = position_cost(ModelConfig(key, train_length=train_length), length)
        rows.append(
            {
                "method": method.label,
                "acts on": method.acts_on.replace("_", ", "),
                "parameters": cost.parameters,
                "operations in one window": cost.operations,
                "of the whole model, %": 100 * cost.share,
            }
        )
    return pd.DataFrame(rows)


def novelty_table(new: Novelty) -> pd.DataFrame:
    """Returns what was seen and what is met, one row a part."""
    return pd.DataFrame(
        {
            new.part: np.arange(1, len(new.seen) + 1),
            f"seen in training, {new.unit}": new.seen,
            f"met in the input, {new.unit}": new.met,
        }
    )


def effect_table(shown: MethodViews) -> pd.DataFrame:
    """Returns the logit by distance as a table: distances down, heads across."""
    mean = shown.effect.mean
    table = pd.DataFrame({"distance, tokens": np.arange(mean.shape[1])})
    for head, row in enumerate(mean):
        table[f"head {head + 1}, nats" if len(mean) > 1 else "logit, nats"] = row
    return table


def side_by_side_sentence(first: str, second: str, train_length: int, times: int) -> str:
    """Returns which of two methods brings the model something new, and which does not.

    Args:
        first: Key of a position method.
        second: Key of another.
        train_length: Tokens in a training window.
        times: Tokens in the input, as a multiple of that.
    """
    if times == 1:
        return "the input is as long as in training: nothing is new to any method."
    told = [
        f"to **{find_method(key).label}**, {views(key, train_length, times).new.news}"
        for key in dict.fromkeys((first, second))
    ]
    return "; ".join(told) + "."


def _how(method: str, is_trained: bool) -> str:
    own = find_method(method)
    map_note = MAP_NOTE if own.acts_on == "logit" else ""
    if not own.learns:
        return f"Shown: {CONDITIONS[own.acts_on]}.{map_note}"
    where = "as in our trained model, seed 0" if is_trained else "random, as training starts"
    return f"Shown: {CONDITIONS[own.acts_on]}. Learned: {own.learns}; {where}.{map_note}"
