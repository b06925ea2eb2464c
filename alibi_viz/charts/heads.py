"""ALiBi's heads, as the shared controls choose them, and what every chart of them has in common."""

import math
from dataclasses import dataclass

import numpy as np

from alibi_viz.charts.base import Chart
from alibi_viz.figures.distance import slope_text
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SlopeRule, alibi_slopes, rules_differ

HEAD_COUNTS = tuple(range(1, 65))
"""Numbers of heads to choose from."""
EXPONENTS = tuple(np.arange(0.5, 16.25, 0.25).tolist())
"""Exponents to choose from."""


def _lengths(longest: int = 16_384) -> tuple[int, ...]:
    """Returns every token up to 16, then eight steps an octave."""
    octaves = range(4, int(math.log2(longest)))
    steps = [2**octave + part * 2**octave // 8 for octave in octaves for part in range(8)]
    return (*range(2, 16), *steps, longest)


LENGTHS = _lengths()
"""Lengths to choose from, in tokens."""


@dataclass(frozen=True)
class AlibiHeads:
    """The heads of one layer, and the sequence that they look at."""

    heads: int = 8
    """Number of heads."""
    exponent: float = MAX_SLOPE_EXPONENT
    """The flattest slope is 2 to the power of minus this."""
    length: int = 512
    """Tokens in the sequence."""
    rule: SlopeRule = "geometric"
    """How slopes follow from the number of heads."""

    @property
    def slopes(self) -> Floats:
        """(head,) slopes, in nats per token."""
        return alibi_slopes(self.heads, self.exponent, self.rule)

    @property
    def steepest(self) -> int:
        """Index of the head with the largest slope."""
        return int(np.argmax(self.slopes))

    @property
    def flattest(self) -> int:
        """Index of the head with the smallest slope."""
        return int(np.argmin(self.slopes))

    @property
    def settings(self) -> dict[str, str]:
        """The heads in words, by what each is called; the length left out."""
        rule = {"rule": self.rule} if rules_differ(self.heads) else {}
        return {"heads": f"{self.heads}", "exponent": f"{self.exponent:g}"} | rule

    @property
    def settings_and_length(self) -> dict[str, str]:
        """The heads and the length in words, by what each is called."""
        return self.settings | {"length": f"{self.length:,} tokens"}


@dataclass(frozen=True)
class AlibiChart(AlibiHeads, Chart):
    """A chart of ALiBi's heads that brings one of them forward."""

    head: int = 3
    """The head that is brought forward, counted from 1."""

    def __post_init__(self) -> None:
        """Raises ValueError for a head that there is not."""
        if not 1 <= self.head <= self.heads:
            raise ValueError(f"head must be from 1 to {self.heads}, got {self.head}")

    @property
    def of_heads(self) -> AlibiHeads:
        """The heads alone, whatever the chart shows of them."""
        return AlibiHeads(self.heads, self.exponent, self.length, self.rule)

    @property
    def slope(self) -> float:
        """Slope of that head, in nats per token."""
        return float(self.slopes[self.head - 1])

    @property
    def head_and_slope(self) -> dict[str, str]:
        """That head in words, by what it is called."""
        return {"head": f"{self.head}, slope {slope_text(self.slope)}"}
