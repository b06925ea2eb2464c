"""Differences between models on the same blocks of text, their uncertainty, and the words for them.

What is hard in a block is hard for every model: d(b) = loss_first(b) - loss_second(b) varies far
less from block to block than either loss. A difference in nats per token is the logarithm of a
ratio of perplexities: -0.01 is 1 % lower.

One rule for words:
level       the interval lies within -1 % .. +1 % of perplexity
ahead       it lies below 0, and so does every seed's own difference; behind: above
undecided   everything else
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Word = Literal["ahead", "behind", "level", "undecided"]
Doubles = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]

LEVEL = 0.01
"""Half the width of "level", as a share of perplexity."""
PUBLISHED_LEVEL = 0.25
"""Perplexity by which published single runs must differ: the spread of the paper's Table 5."""
RESAMPLES = 4000
# Of the normal distribution: 95 % lie within that many standard deviations.
_Z = 1.959964


def mean_perplexity(nll: Sequence[float]) -> float:
    """Returns the perplexity that stands for several seeds: exp of their mean loss.

    >>> round(mean_perplexity([math.log(8), math.log(18)]), 9)
    12.0

    Args:
        nll: (seed,) mean losses, in nats per token, at least one.
    """
    return math.exp(math.fsum(nll) / len(nll))


@lru_cache(maxsize=8)
def _draws(count: int) -> Doubles:
    """How often each of `count` units is drawn, (resample, unit); the same at every call."""
    random = np.random.default_rng(count)
    draws = random.multinomial(count, np.full(count, 1 / count), RESAMPLES).astype(np.float64)
    draws.setflags(write=False)
    return draws


def bootstrap_interval(values: Doubles, weights: Doubles) -> tuple[float, float]:
    """Returns the 95 % interval of a weighted mean when whole units are drawn anew.

    Percentiles of the means of 4,000 resamples, moved away from the mean by
    sqrt(n / (n - 1)) * t / z: a bootstrap of few units is too narrow by that much. t / z is about
    1 + (z^2 + 1) / (4 (n - 1)).

    Args:
        values: (unit,) what is averaged.
        weights: (unit,) above 0.

    Returns:
        Lower and upper end; minus and plus infinity for a single unit, which tells nothing.
    """
    count = len(values)
    if count < 2:
        return -math.inf, math.inf
    draws = _draws(count)
    means = draws @ (values * weights) / (draws @ weights)
    centre = float(values @ weights / weights.sum())
    low, high = np.quantile(means, (0.025, 0.975))
    wider = math.sqrt(count / (count - 1)) * (1 + (_Z**2 + 1) / (4 * (count - 1)))
    return centre - wider * (centre - float(low)), centre + wider * (float(high) - centre)


@dataclass(frozen=True)
class Comparison:
    """The first of two sides against the second, in nats per token: below 0 the first is better."""

    difference: float
    """Mean over seeds and tokens."""
    low: float
    """Lower end of the 95 % interval."""
    high: float
    """Its upper end."""
    by_seed: tuple[float, ...]
    """Each seed's own difference."""

    @property
    def word(self) -> Word:
        """How the first stands to the second, by the rule above."""
        if -LEVEL < math.expm1(self.low) and math.expm1(self.high) < LEVEL:
            return "level"
        if self.high < 0 and max(self.by_seed) < 0:
            return "ahead"
        if self.low > 0 and min(self.by_seed) > 0:
            return "behind"
        return "undecided"

    @property
    def agreeing(self) -> int:
        """Seeds whose own difference has the sign of the mean."""
        return sum(seed * self.difference > 0 for seed in self.by_seed)

    @property
    def percent(self) -> tuple[float, float, float]:
        """Difference, lower and upper end as percent of the second's perplexity."""
        ends = (self.difference, self.low, self.high)
        low, middle, high = sorted(100 * math.expm1(end) if end < 700 else math.inf for end in ends)
        return middle, low, high

    def sentence(self, first: str, second: str) -> str:
        """Returns the comparison in words, without a full stop.

        >>> Comparison(-0.02, -0.03, -0.012, (-0.018, -0.022)).sentence("ALiBi", "NoPE")
        'ALiBi is ahead of NoPE: -2.0 % perplexity (95 % interval -3.0 to -1.2 %, 2 of 2 seeds)'

        Args:
            first: Name of the first side, as it begins a sentence.
            second: Name of the second side, within one.
        """
        joined = {
            "ahead": f"{first} is ahead of {second}",
            "behind": f"{first} is behind {second}",
            "level": f"{first} and {second} are level",
            "undecided": f"{first} against {second} is undecided",
        }[self.word]
        middle, low, high = (f"{value:+.1f}".replace("+0.0", "0.0") for value in self.percent)
        seeds = f"{self.agreeing} of {len(self.by_seed)} seeds"
        return f"{joined}: {middle} % perplexity (95 % interval {low} to {high} %, {seeds})"


def compare(
    first: Floats, second: Floats, tokens: NDArray[Any], groups: NDArray[np.int64]
) -> Comparison:
    """Returns how two sides differ that scored the same blocks, seed by seed.

    The interval is the wider of two: of blocks drawn anew, and of whole files drawn anew, for
    blocks of one file may be alike. It says what other text of the kind could have shown, not what
    other seeds could: for that every seed must agree. With a single file only blocks are drawn.

    Args:
        first: (seed, block) mean loss of each block, in nats per token.
        second: (seed, block), the same seeds and blocks.
        tokens: (block,) tokens scored in each block.
        groups: (block,) number of the file that each block is of.

    Raises:
        ValueError: The two differ in seeds or blocks, or have none.
    """
    if first.shape != second.shape or not first.size:
        raise ValueError(
            f"sides must have the same seeds and blocks, got {first.shape} and {second.shape}"
        )
    by_block = first.astype(np.float64) - second.astype(np.float64)
    mean, weights = by_block.mean(0), tokens.astype(np.float64)
    intervals = [bootstrap_interval(mean, weights)]
    _, group = np.unique(groups, return_inverse=True)
    if group.max() > 0:
        of_group = np.bincount(group, weights).astype(np.float64)
        intervals.append(
            bootstrap_interval(np.bincount(group, weights * mean) / of_group, of_group)
        )
    low, high = max(intervals, key=lambda ends: ends[1] - ends[0])
    by_seed = tuple(float(seed) for seed in by_block @ weights / weights.sum())
    return Comparison(float(mean @ weights / weights.sum()), low, high, by_seed)


def published_word(first: float, second: float) -> Word:
    """Returns how two published perplexities of single runs stand to one another.

    >>> published_word(19.65, 19.73), published_word(17.98, 18.67)
    ('level', 'ahead')

    Args:
        first: Perplexity of the one that the word is about.
        second: Perplexity of the other.
    """
    if abs(first - second) < PUBLISHED_LEVEL:
        return "level"
    return "ahead" if first < second else "behind"
