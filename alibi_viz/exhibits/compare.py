"""One method in three views, as numbers: logit by distance, its matrix, and what is new."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alibi_viz.figures.novelty import Reach
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.frequencies import turns_per_token
from alibi_viz.model.bundled import bundled_position
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.cost import position_cost
from alibi_viz.positions import METHODS, find_method
from alibi_viz.positions.effect import Effect, logit_by_distance, logit_matrix
from alibi_viz.positions.novelty import Novelty, novelty

# A map of more cells than this is slow to draw and shows no more.
MAP_CELLS = 64
# The head whose matrix is shown: the third of eight, where the slope is 1/8.
MAP_HEAD = 2
MAP_NOTE = f" The map is that of head {MAP_HEAD + 1}."

_CONDITIONS = {
    "logit": "the bias itself; content is zero",
    "embedding": "position vectors of root mean square 1 as queries and keys; content is zero",
    "query_key": "the same content at every position, rotated",
    "nowhere": "nothing is added; content is zero",
}


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
    reach: Reach | None
    """What was seen and what is met; None where nothing depends on position."""
    what_is_new: str
    """The same in words."""
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
    new = novelty(position, train_length, eval_length)
    places = np.unique(np.linspace(0, eval_length - 1, min(eval_length, MAP_CELLS)).astype(int))
    return MethodViews(
        effect=logit_by_distance(position, eval_length),
        places=places,
        matrix=logit_matrix(position, places, MAP_HEAD),
        reach=_reach(new, train_length, eval_length),
        what_is_new=_what_is_new(new, train_length, eval_length),
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


def reach_table(reach: Reach) -> pd.DataFrame:
    """Returns what was seen and what is met, one row a part."""
    return pd.DataFrame(
        {
            reach.part: np.arange(1, len(reach.seen) + 1),
            f"seen in training, {reach.unit}": reach.seen,
            f"met in the input, {reach.unit}": reach.met,
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
        f"to **{find_method(key).label}**, {_news(key, train_length, train_length * times)}"
        for key in dict.fromkeys((first, second))
    ]
    return "; ".join(told) + "."


def _news(method: str, train_length: int, eval_length: int) -> str:
    """Returns in half a sentence what a longer input brings a method."""
    new = novelty(bundled_position(method, train_length)[0], train_length, eval_length)
    count, total = int(new.is_new.sum()), len(new.seen)
    return {
        "head": f"biases lower than any in training are new, in {count} of {total} heads",
        "pair": f"angles are new, in {count} of {total} pairs of channels",
        "row": f"{eval_length - train_length:,} positions are new, and it has nothing for them",
        "bucket": "a bucket is new" if count else "nothing is new: the last bucket takes them all",
        "nothing": "nothing is new: no number depends on position",
    }[new.part]


def _how(method: str, is_trained: bool) -> str:
    condition = _CONDITIONS[find_method(method).acts_on]
    map_note = MAP_NOTE if find_method(method).acts_on == "logit" else ""
    if find_method(method).parameters == "none":
        return f"Shown: {condition}.{map_note}"
    learned = (
        "What it learns is that of our trained model, seed 0."
        if is_trained
        else "What it learns holds the random numbers that training starts from."
    )
    return f"Shown: {condition}. {learned}{map_note}"


def _reach(new: Novelty, train_length: int, eval_length: int) -> Reach | None:
    """Returns the bars of what was seen and met, with the axis that suits the method."""
    if new.part == "nothing":
        return None
    if new.part == "head":
        # A logarithmic axis has no zero: bars start one token back.
        ends = (float(new.least.min()) / 1.5, float(new.met.max()) * 1.5)
        return Reach("head", "penalty, nats", new.seen, new.met, new.least, ends, is_log=True)
    nothing = np.zeros(len(new.seen))
    if new.part == "row":
        # The positions are met; the rows for them are what is missing.
        met, ends = np.array([eval_length - 1.0]), (0.0, 1.04 * eval_length)
        return Reach("table", "row of the table, by position", new.seen, met, nothing, ends)
    unit, part = (
        ("how far around the circle, turns", "pair of channels")
        if new.part == "pair"
        else ("bucket of the table", "table")
    )
    return Reach(part, unit, new.seen, new.met, nothing, (0.0, 1.04 * new.limit))


def _what_is_new(new: Novelty, train_length: int, eval_length: int) -> str:
    if eval_length == train_length:
        return "The input is as long as in training: nothing is new."
    if new.part == "head":
        steepest, flattest = int(new.met.argmax()), int(new.met.argmin())
        return (
            f"Biases lower than any seen in training: the steepest head's lowest goes from "
            f"−{new.seen[steepest]:.4g} to −{new.met[steepest]:.4g} nats, the flattest's from "
            f"−{new.seen[flattest]:.3g} to −{new.met[flattest]:.3g}. "
            "New distances can only count less."
        )
    if new.part == "pair":
        count, still = int(new.is_new.sum()), int((new.met < 1).sum())
        wave = 1 / turns_per_token(2 * len(new.seen))[-1]
        return (
            f"{count} of {len(new.seen)} pairs of channels reach angles that training never had; "
            f"{still} have not gone around once even at {eval_length:,} tokens. The slowest needs "
            f"{wave:,.0f}. Every new position is a new combination of angles."
        )
    if new.part == "row":
        return (
            f"The table ends at row {int(new.limit) + 1:,}. The {eval_length - train_length:,} "
            "positions after it have none: the model cannot read them at all."
        )
    if new.part == "bucket":
        known = "was met in training" if not new.is_new.any() else "is new"
        return (
            f"The largest bucket is {int(new.seen[0])} in training and {int(new.met[0])} here: it "
            f"{known}. All distances far away share the last bucket, and so one bias."
        )
    return (
        "Nothing: no number depends on position. What grows is only the number of keys, as it does "
        "for every method."
    )
