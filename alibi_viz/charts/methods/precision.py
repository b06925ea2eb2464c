"""Half precision: what is left of a bias in bfloat16 and float16, and what the softmax becomes."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.charts.base import Chart
from alibi_viz.figures.methods.precision import by_head_figure, rounded_weights_figure
from alibi_viz.maths.arrays import Floats, read_only
from alibi_viz.maths.precision import (
    BIAS_FORMS,
    NUMBER_TYPES,
    BiasForm,
    NumberType,
    distinct_biases,
    first_collision,
    moved_attention,
    weights_in,
)
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.maths.windows import closed_form_window

HALF_TYPES: tuple[NumberType, ...] = ("bfloat16", "float16")
EQUATIONS: dict[BiasForm, str] = {
    "distance": r"\mathrm{round}\bigl(-m_h\,(i - j)\bigr)",
    "key": r"\mathrm{round}\bigl(m_h\, j\bigr)",
}
ABOUT = (
    "Only the bias is rounded, as if stored in that type; the content is zero and the softmax "
    "exact. Moved attention is half the sum of all differences of weights (total variation)."
)


@dataclass(frozen=True)
class Rounding:
    """What the number types make of every head's bias."""

    slopes: Floats
    """(head,) slopes, in nats per token."""
    distinct: dict[NumberType, NDArray[np.int64]]
    """(head,) different biases left, by number type."""
    collision: dict[NumberType, NDArray[np.int64]]
    """(head,) nearest distance that is not told from its neighbour, by number type."""
    moved: dict[tuple[NumberType, BiasForm], Floats]
    """(head,) share of the last query's attention that moves, by number type and form."""


@lru_cache(maxsize=30)
def rounding(heads: int, length: int) -> Rounding:
    """Returns what rounding does to a model's biases; shared, and read-only.

    Args:
        heads: Number of heads.
        length: Tokens in the sequence.
    """
    slopes = read_only(alibi_slopes(heads))
    return Rounding(
        slopes=slopes,
        distinct={kind: read_only(distinct_biases(slopes, length, kind)) for kind in NUMBER_TYPES},
        collision={kind: read_only(first_collision(slopes, length, kind)) for kind in NUMBER_TYPES},
        moved={
            (kind, form): read_only(moved_attention(slopes, length, kind, form))
            for kind in NUMBER_TYPES
            for form in BIAS_FORMS
        },
    )


@dataclass(frozen=True)
class _RoundingChart(Chart):
    """A chart of what rounding does, with one head brought forward."""

    heads: int = 32
    """Number of heads."""
    length: int = 2048
    """Tokens in the sequence."""
    head: int = 1
    """Head, counted from 1."""

    def __post_init__(self) -> None:
        """Raises ValueError for a head that there is not."""
        if not 1 <= self.head <= self.heads:
            raise ValueError(f"head must be from 1 to {self.heads}, got {self.head}")

    @property
    def rounding(self) -> Rounding:
        """What rounding does, as numbers."""
        return rounding(self.heads, self.length)

    def table(self) -> pd.DataFrame:
        """Returns all numbers, one row a head and number type."""
        made = self.rounding
        return pd.DataFrame(
            [
                {
                    "head": head + 1,
                    "slope": slope,
                    "type": kind,
                    "different biases": int(made.distinct[kind][head]),
                    "first distance not told from the one before": int(made.collision[kind][head]),
                    "moved by −m(i−j), %": 100 * made.moved[kind, "distance"][head],
                    "moved by +m j, %": 100 * made.moved[kind, "key"][head],
                }
                for head, slope in enumerate(made.slopes)
                for kind in NUMBER_TYPES
            ]
        )

    def sentence(self) -> str:
        """Returns what rounding leaves of one head."""
        made, head = self.rounding, self.head - 1
        parts = [
            f"{kind} keeps {made.distinct[kind][head]:,} of {self.length:,} biases and moves "
            f"{_percent(made.moved[kind, 'distance'][head])} of the attention as −m (i − j), "
            f"{_percent(made.moved[kind, 'key'][head])} as +m j"
            for kind in HALF_TYPES
        ]
        return f"head {self.head}, slope {made.slopes[head]:.4g}: {'; '.join(parts)}."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "heads": f"{self.heads}",
            "length": f"{self.length:,} tokens",
            "head": f"{self.head}",
        }


@dataclass(frozen=True)
class DistinctChart(_RoundingChart):
    """How many different biases each number type keeps, by head."""

    name: ClassVar[str] = "distinct"
    title = "Different biases left by each number type"

    def draw(self, dark: bool) -> go.Figure:
        """Returns one line a number type over the heads."""
        return by_head_figure(
            self.rounding.distinct,
            label=f"different biases of {self.length:,}",
            chosen=self.head - 1,
            in_octaves=True,
            dark=dark,
        )

    def alt(self) -> str:
        """Returns what the lines show, for those who cannot see them."""
        return f"Different biases by head and number type, of {self.length:,} distances"


@dataclass(frozen=True)
class _FormChart(_RoundingChart):
    """A chart of one form of the bias."""

    form: BiasForm = "key"
    """"distance": -m (i - j), as in the paper; "key": +m j, as in the authors' code."""

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return super().state() | {"form of the bias": self.form}


@dataclass(frozen=True)
class MovedChart(_FormChart):
    """How much of the attention each number type moves to other keys, by head."""

    name: ClassVar[str] = "moved"
    title = "Attention that rounding the bias moves to other keys"

    def draw(self, dark: bool) -> go.Figure:
        """Returns one line a number type over the heads."""
        moved = self.rounding.moved
        return by_head_figure(
            {kind: 100 * moved[kind, self.form] for kind in NUMBER_TYPES},
            label="attention moved, %",
            chosen=self.head - 1,
            dark=dark,
        )

    def alt(self) -> str:
        """Returns what the lines show, for those who cannot see them."""
        return f"Share of attention that rounding moves, by head and type, form {self.form}"


@dataclass(frozen=True)
class RoundedWeightsChart(_FormChart):
    """The last query's attention on its nearest keys, with the bias exact and rounded."""

    name: ClassVar[str] = "rounded-weights"
    title = "Attention on the nearest keys, with the bias exact and rounded"

    @cached_property
    def weights(self) -> dict[str, Floats]:
        """(distance,) weights: exact, and by half type; keys that hold 99 %, 200 at most."""
        slope = alibi_slopes(self.heads)[self.head - 1 : self.head]
        keys = min(self.length, 200, max(8, int(closed_form_window(slope, 0.99)[0])))
        asked: list[tuple[str, NumberType, BiasForm]] = [("exact", "float32", "distance")]
        asked += [(kind, kind, self.form) for kind in HALF_TYPES]
        return {
            name: weights_in(slope, self.length, kind, form)[0, :keys] for name, kind, form in asked
        }

    def draw(self, dark: bool) -> go.Figure:
        """Returns one line a number type by distance, the exact one behind them."""
        rounded = dict(self.weights)
        return rounded_weights_figure(rounded.pop("exact"), rounded, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns one row a distance, one column a number type."""
        weights = {f"weight, {kind}": values for kind, values in self.weights.items()}
        return pd.DataFrame({"distance, tokens": np.arange(len(self.weights["exact"])), **weights})

    def alt(self) -> str:
        """Returns what the lines show, for those who cannot see them."""
        count = len(self.weights["exact"])
        return f"Head {self.head}: weights of the nearest {count} keys, exact and rounded"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share >= 1e-6 else "next to nothing"
