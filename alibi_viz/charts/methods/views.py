"""One method in three views: logit by distance, between positions, what is new past training."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.charts.methods.pipeline import MethodChart
from alibi_viz.figures.methods.effect import effect_figure, logit_map_figure
from alibi_viz.figures.methods.novelty import novelty_figure
from alibi_viz.maths.arrays import read_only
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.cost import position_cost
from alibi_viz.positions import METHODS
from alibi_viz.positions.base import PositionMethod
from alibi_viz.positions.effect import CONDITIONS, Effect, logit_by_distance, logit_matrix
from alibi_viz.positions.novelty import Novelty

# A map of more cells than this is slow to draw and shows no more.
MAP_CELLS = 64
MAP_HEAD = 3
"""The head whose map is shown: the third of eight, where ALiBi's slope is 1/8."""
COSTS_ABOUT = (
    "Additions and multiplications for one window, counted from the model's sizes (4 layers, 8 "
    "heads, width 128); sines, angles and biases are computed once and kept."
)


@lru_cache(maxsize=60)
def bundled_method(position: str, train_length: int) -> tuple[PositionMethod, bool]:
    """Returns a method as the bundled models have it, and whether what it learns was trained."""
    # Here, not at the top: it brings in torch, which the page's controls can do without.
    from alibi_viz.model.bundled import bundled_position

    return bundled_position(position, train_length)


@lru_cache(maxsize=60)
def effect_of(position: str, train_length: int, eval_length: int) -> Effect:
    """Returns a method's logit by distance in an input; shared, and read-only."""
    effect = logit_by_distance(bundled_method(position, train_length)[0], eval_length)
    for values in (effect.mean, effect.low, effect.high):
        read_only(values)
    return effect


@dataclass(frozen=True)
class _View(MethodChart):
    """A view of one method and an input that may be longer than in training."""

    train_length: int = 128
    """Tokens in a training window."""
    times: int = 4
    """Tokens in the input, as a multiple of that."""
    side: Literal["left", "right"] = "left"
    """Where it stands beside another method."""
    kind: ClassVar[str]
    """What the view is called."""

    @property
    def name(self) -> str:
        """What its element and its files are called."""
        return f"{self.kind}-{self.side}"

    @property
    def eval_length(self) -> int:
        """Tokens in the input."""
        return self.train_length * self.times

    @property
    def effect(self) -> Effect:
        """Logit by distance."""
        return effect_of(self.position, self.train_length, self.eval_length)

    @property
    def new(self) -> Novelty:
        """What was seen in training and what is met, and the same in words."""
        own, _ = bundled_method(self.position, self.train_length)
        return own.novelty(self.train_length, self.eval_length)

    @property
    def condition(self) -> str:
        """Under which conditions logits are shown, and whether what is learned was trained."""
        condition = CONDITIONS[self.method.acts_on]
        if not self.method.learns:
            return condition
        _, is_trained = bundled_method(self.position, self.train_length)
        where = "as in our trained model, seed 0" if is_trained else "random, as training starts"
        return f"{condition}. Learned: {self.method.learns}; {where}"

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "training length": f"{self.train_length:,} tokens",
            "input": f"{self.eval_length:,} tokens",
            "shown": self.condition,
        }


@dataclass(frozen=True)
class EffectChart(_View):
    """The logit that a method adds or causes at each distance."""

    kind = "effect"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{self.method.label}: logit by distance"

    def draw(self, dark: bool) -> go.Figure:
        """Returns one line a head where heads differ, and a band where queries do."""
        effect = self.effect
        return effect_figure(
            effect.mean,
            None if effect.depends_on_distance_only else (effect.low, effect.high),
            method=self.position,
            train_length=self.train_length,
            eval_length=self.eval_length,
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns distances down and heads across."""
        mean = self.effect.mean
        table = pd.DataFrame({"distance, tokens": np.arange(mean.shape[1])})
        for head, row in enumerate(mean):
            table[f"head {head + 1}, nats" if len(mean) > 1 else "logit, nats"] = row
        return table

    def alt(self) -> str:
        """Returns what the lines show, for those who cannot see them."""
        return f"{self.method.label}: logit against distance up to {self.eval_length:,} tokens"

    def sentence(self) -> str:
        """Returns between which ends the logit lies, and whether the distance alone decides it."""
        effect = self.effect
        alone = "decides" if effect.depends_on_distance_only else "does not decide"
        return (
            f"the logit lies between {effect.low.min():.3g} and {effect.high.max():.3g} nats; the "
            f"distance alone {alone} it."
        ).replace("-", "−")


@dataclass(frozen=True)
class LogitMapChart(_View):
    """The logit that a method adds or causes between positions."""

    kind = "matrix"

    @property
    def places(self) -> NDArray[np.int64]:
        """(place,) positions of queries and keys, counted from 0."""
        count = min(self.eval_length, MAP_CELLS)
        return np.unique(np.linspace(0, self.eval_length - 1, count).astype(int))

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{self.method.label}: logit between positions"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a map of queries and keys, what is masked or missing hatched."""
        own, _ = bundled_method(self.position, self.train_length)
        matrix = logit_matrix(own, self.places, MAP_HEAD - 1)
        return logit_map_figure(matrix, self.places, train_length=self.train_length, dark=dark)

    def alt(self) -> str:
        """Returns what the map shows, for those who cannot see it."""
        count = len(self.places)
        return f"{self.method.label}: logits between {count} positions, future hatched"

    def sentence(self) -> str:
        """Returns what the diagonals of the map hold."""
        if self.effect.depends_on_distance_only:
            return "along each diagonal stands one number: the distance alone decides it."
        return "numbers differ along a diagonal: positions decide them, not the distance alone."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        one_of_several = len(self.effect.mean) > 1
        return super().state() | ({"head": f"{MAP_HEAD}"} if one_of_several else {})


@dataclass(frozen=True)
class NoveltyChart(_View):
    """How far training reached, and how much further a longer input goes."""

    kind = "new"

    def __post_init__(self) -> None:
        """Raises ValueError for a method that there is not, or to which nothing can be new."""
        super().__post_init__()
        if self.method.acts_on == "nowhere":
            raise ValueError(f"nothing can be new to {self.method.label}: it has no position")

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{self.method.label}: what a longer input brings that is new"

    def draw(self, dark: bool) -> go.Figure:
        """Returns one bar a part: solid as far as training went, hatched beyond."""
        return novelty_figure(self.new, method=self.position, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns what was seen and what is met, one row a part."""
        new = self.new
        return pd.DataFrame(
            {
                new.part: np.arange(1, len(new.seen) + 1),
                f"seen in training, {new.unit}": new.seen,
                f"met in the input, {new.unit}": new.met,
            }
        )

    def alt(self) -> str:
        """Returns what is new, for those who cannot see the bars."""
        return f"{self.method.label}: {self.new.told}"

    def sentence(self) -> str:
        """Returns what is new."""
        return self.new.told

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {name: text for name, text in super().state().items() if name != "shown"}


def side_by_side(first: EffectChart, second: EffectChart) -> str:
    """Returns which of two methods brings the model something new, and which does not."""
    if first.times == 1:
        return "the input is as long as in training: nothing is new to any method."
    news = {chart.method.label: chart.new.news for chart in (first, second)}
    return "; ".join(f"to **{label}**, {told}" for label, told in news.items()) + "."


def costs(train_length: int, eval_length: int) -> pd.DataFrame:
    """Returns parameters and extra arithmetic of every method, one a row.

    Args:
        train_length: Tokens in a training window: rows of a learned table.
        eval_length: Tokens in the input.
    """
    rows = []
    for key, method in METHODS.items():
        cost = position_cost(ModelConfig(key, train_length=train_length), eval_length)
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
