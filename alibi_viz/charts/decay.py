"""One query's attention by distance, for every head: its curves, and the windows that hold it."""

from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.charts.heads import AlibiChart, AlibiHeads
from alibi_viz.figures.heads.decay import decay_figure
from alibi_viz.figures.heads.decay_lines import DecayCurves
from alibi_viz.figures.heads.windows import HeadWindows, windows_figure
from alibi_viz.maths.arrays import Floats, read_only
from alibi_viz.maths.content import (
    N_DRAW,
    Spread,
    attention_over_draws,
    content_draws,
    distance_grid,
    spread,
)
from alibi_viz.maths.windows import WINDOW_MASS, closed_form_window, half_life
from alibi_viz.words import count, percent, tokens

MASSES = (0.5, 0.9, WINDOW_MASS, 0.99)
TRAIN_LENGTHS = tuple(2**power for power in range(4, 15))
"""Training lengths to choose from, in tokens."""
SEED = 0
"""Of the draws of content."""
LONGEST = 16_384
"""Keys of which draws of content are kept."""
UNLIMITED = f"{WINDOW_MASS:.0%} window in unlimited context, tokens"
"""Name of the column of windows that no length limits."""


@dataclass(frozen=True)
class DecaySummary:
    """The attention of one query, for every head, as medians and ranges over draws of content."""

    distances: NDArray[np.int64]
    """(distance,) drawn distances, in tokens."""
    weights: Spread
    """(head, distance) weight of one key."""
    held: Spread
    """(head, distance) share of the attention on all keys up to there."""
    windows: Spread
    """(mass, head) nearest keys that hold each of `MASSES`, in tokens."""
    effective_keys: Spread
    """(head,) exp of the entropy of the weights."""

    @property
    def n_key(self) -> int:
        """Keys that the query sees, its own included."""
        return int(self.distances[-1]) + 1

    @property
    def main_windows(self) -> NDArray[np.int64]:
        """(head,) median of the nearest keys that hold `WINDOW_MASS`, in tokens."""
        windows: NDArray[np.int64] = self.windows.median[MASSES.index(WINDOW_MASS)]
        return windows

    def held_within(self, length: int) -> Floats:
        """Returns each head's median share on distances below `length`, one of those drawn."""
        index = np.searchsorted(self.distances, min(length, self.n_key) - 1)
        held: Floats = self.held.median[:, index]
        return held


@lru_cache(maxsize=1)
def _all_draws() -> Floats:
    """Returns the draws of every length: a query with fewer keys has the first of them."""
    return read_only(content_draws(LONGEST, seed=SEED))


@lru_cache(maxsize=128)
def decay_summary(
    heads: AlibiHeads, n_key: int, *, content: float, train_length: int, even: bool
) -> DecaySummary:
    """Returns the attention of a query over draws of content; shared, and read-only.

    Args:
        heads: The heads; their length decides nothing here.
        n_key: Keys that the query sees, its own included.
        content: Standard deviation of the content logits, in nats; 0 is the pure decay.
        train_length: Tokens a sequence had in training; its last distance is among those drawn.
        even: Whether the distances suit a linear axis.
    """
    draws = content * _all_draws()[:n_key] if content else np.zeros((n_key, 1))
    distances = distance_grid(n_key, also=(train_length - 1, train_length), even=even)
    drawn = attention_over_draws(heads.slopes, draws, distances, MASSES)
    parts = (drawn.weights, drawn.held, drawn.windows, drawn.effective_keys)
    return DecaySummary(
        read_only(distances), *(Spread(*map(read_only, spread(part))) for part in parts)
    )


@dataclass(frozen=True)
class _QueryChart(AlibiChart):
    """A chart of one query's attention."""

    query: int = 511
    """Position of the query; it sees itself and every token before it."""
    content: float = 0.0
    """Standard deviation of the content logits, in nats; 0 is equal content."""
    train_length: int = 128
    """Tokens that a sequence had in training."""

    def __post_init__(self) -> None:
        """Raises ValueError for a head or a query that there is not."""
        super().__post_init__()
        if not 0 <= self.query < self.length:
            raise ValueError(f"query must be from 0 to {self.length - 1}, got {self.query}")

    @property
    def summary(self) -> DecaySummary:
        """What is shown, as numbers."""
        return decay_summary(
            self.of_heads,
            self.query + 1,
            content=self.content,
            train_length=self.train_length,
            even=self._even,
        )

    @property
    def _even(self) -> bool:
        return False

    def heads_table(self) -> pd.DataFrame:
        """Returns one row a head, in the order of the heads: medians where content was drawn."""
        summary = self.summary
        windows = {
            window_column(mass): row
            for mass, row in zip(MASSES, summary.windows.median, strict=True)
        }
        return pd.DataFrame(
            {
                "head": np.arange(1, self.heads + 1),
                "slope, nats/token": self.slopes,
                "half-life, tokens": half_life(self.slopes),
                UNLIMITED: closed_form_window(self.slopes, WINDOW_MASS).astype(int),
                **windows,
                "effective number of keys": summary.effective_keys.median,
                "weight on itself": summary.weights.median[:, 0],
            }
        )

    def table_note(self) -> str:
        """Returns what the numbers of the table are."""
        note = "Windows in tokens: the nearest keys, its own included, that hold that share."
        if not self.content:
            return note
        return (
            f"{note} Curves, windows and numbers are medians of {N_DRAW} draws of content (seed "
            f"{SEED}), bands and bars the range from 10 to 90 % of the draws; all heads have the "
            "same draws."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        drawn = f"{self.content:g} nats, median of {N_DRAW} draws"
        return self.settings_and_length | {
            "query": f"{self.query} ({count(self.query + 1, 'key')})",
            "content": drawn if self.content else "equal",
        }


@dataclass(frozen=True)
class DecayChart(_QueryChart):
    """Attention weight of one key by its distance, and its running sum, for all heads."""

    log_distance: bool = True
    """Whether the distance axis is logarithmic."""
    log_weight: bool = True
    """Whether the weight axis is."""
    name = "decay"
    title = "Attention weight by distance, and its running sum"

    @property
    def _even(self) -> bool:
        return not self.log_distance

    def windows(self) -> "WindowsChart":
        """Returns the windows of the same query."""
        same = {field.name: getattr(self, field.name) for field in fields(WindowsChart)}
        return WindowsChart(**same)

    def draw(self, dark: bool) -> go.Figure:
        """Returns two panels above each other: weight, and its running sum."""
        summary = self.summary
        curves = DecayCurves(
            self.slopes,
            summary.distances,
            summary.weights,
            summary.held,
            self.length,
            self.train_length,
        )
        return decay_figure(
            curves,
            chosen=self.head - 1,
            log_distance=self.log_distance,
            log_weight=self.log_weight,
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns every drawn number: head, true distance, weight, share up to there, ranges."""
        summary = self.summary
        n_point = len(summary.distances)
        columns = {
            "head": np.repeat(np.arange(1, self.heads + 1), n_point),
            "distance, tokens": np.tile(summary.distances, self.heads),
        }
        for name, values in (
            ("attention weight", summary.weights),
            ("share up to there", summary.held),
        ):
            columns[name] = values.median.ravel()
            if self.content:
                columns |= {
                    f"{name}, 10 %": values.low.ravel(),
                    f"{name}, 90 %": values.high.ravel(),
                }
        return pd.DataFrame(columns)

    def alt(self) -> str:
        """Returns what the curves show, for those who cannot see them."""
        return (
            f"Attention weight of one key, and its running sum, against distance for "
            f"{count(self.heads, 'head')} with slopes from {self.slopes.max():.3g} to "
            f"{self.slopes.min():.3g} nats per token and a query with {self.query + 1:,} keys. The "
            "steeper the slope, the higher a curve begins and the earlier it falls."
        )

    def sentence(self) -> str:
        """Returns how fast the steepest and the flattest head forget, and what is new to them."""
        steep, flat = self.steepest, self.flattest
        halves = [tokens(number) for number in half_life(self.slopes)]
        windows = self.summary.main_windows
        equal = ", at equal content," if self.content else ""
        first = (
            f"head {steep + 1}{equal} halves its weight every {halves[steep]} and holds "
            f"{percent(WINDOW_MASS)} of its attention on {windows[steep]:,} of "
            f"{count(self.query + 1, 'key')}"
        )
        if flat != steep:
            first += f"; head {flat + 1} halves it every {halves[flat]} and needs {windows[flat]:,}"
        return " ".join(
            filter(None, [f"{first}.", self._content_sentence(), self._beyond_training()])
        )

    def _content_sentence(self) -> str:
        """Returns how far a better content reaches; "" where content is equal."""
        if not self.content:
            return ""
        reach = [
            tokens(self.content / self.slopes[head]) for head in (self.steepest, self.flattest)
        ]
        flat = f", {reach[1]} in head {self.flattest + 1}" if self.steepest != self.flattest else ""
        return (
            f"A key whose content is {self.content:g} nats (one standard deviation) better makes "
            f"up for {reach[0]} of distance in head {self.steepest + 1}{flat}."
        )

    def _beyond_training(self) -> str:
        known = f"training on {self.train_length:,} tokens"
        if self.query < self.train_length:
            return f"Every distance of this query occurs in {known}."
        beyond = 1 - self.summary.held_within(self.train_length)
        many = int((beyond >= 0.01).sum())
        if not many:
            return (
                f"No head puts as much as 1 % of the attention on distances that {known} never had."
            )
        return (
            f"{many} of {count(len(beyond), 'head')} put{'s' if many == 1 else ''} 1 % or more of "
            f"the attention on distances that {known} never had (at most {percent(beyond.max())}, "
            f"head {int(beyond.argmax()) + 1})."
        )


@dataclass(frozen=True)
class WindowsChart(_QueryChart):
    """How many of the nearest keys hold a share of each head's attention."""

    name = "windows"
    title = "Nearest keys that hold a share of each head's attention"

    def draw(self, dark: bool) -> go.Figure:
        """Returns one line a share, over heads from the steepest to the flattest."""
        windows = HeadWindows(self.slopes, MASSES, self.summary.windows, self.query + 1)
        return windows_figure(windows, chosen=self.head - 1, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns one row a head, in the order of the heads: medians where content was drawn."""
        return self.heads_table()

    def alt(self) -> str:
        """Returns what the windows show, for those who cannot see them."""
        windows = self.summary.main_windows
        return (
            f"Tokens that hold 50, 90, 95 and 99 % of each head's attention, heads from the "
            f"steepest to the flattest slope. The {percent(WINDOW_MASS)} window runs from "
            f"{windows.min():,} to {windows.max():,} of {count(self.query + 1, 'key')}."
        )

    def sentence(self) -> str:
        """Returns the smallest and the largest window, and how many heads the text's end limits."""
        windows = self.summary.main_windows
        closed = closed_form_window(self.slopes, WINDOW_MASS)
        cut = int((closed > self.query + 1).sum())
        ends = f"{windows.min():,} to {windows.max():,} of {count(self.query + 1, 'key')}"
        limited = f" The text, not the slope, ends {count(cut, 'window')}." if cut else ""
        return f"the {percent(WINDOW_MASS)} windows run from {ends}.{limited}"


def window_column(mass: float) -> str:
    """Returns the name of the column of windows that hold a share of the attention."""
    return f"{mass:.0%} window here, tokens"
