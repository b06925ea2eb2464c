"""ALiBi's variants and its neighbours: bias by offset from the query, and between tokens."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.figures.distance import slope_text
from alibi_viz.figures.heads.offsets import OffsetCurves, offsets_figure
from alibi_viz.figures.methods.effect import logit_map_figure
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import softmax
from alibi_viz.maths.kerple import kerple_log_bias
from alibi_viz.maths.sandwich import sandwich_bias
from alibi_viz.maths.slopes import alibi_slopes, interpolated_slopes
from alibi_viz.maths.two_sided import Sides, bias_by_offset, side_slopes

N_HEAD = 8
MATRIX_TOKENS = 24
_SIDES: dict[str, Sides] = {
    "causal": "causal",
    "symmetric": "symmetric",
    "one-sided": "left_right",
}
EQUATIONS = {
    "causal": r"-m_h\,(i - j),\quad j \le i",
    "symmetric": r"-m_h\,|i - j|",
    "one-sided": r"-m_h\,|i - j|\ \text{on one side}",
    "interpolated": r"-\frac{m_h}{s}\,(i - j),\ s = \tfrac{L}{L_{\mathrm{train}}}",
    "KERPLE-log": r"-r_1 \ln(1 + r_2\,(i - j))",
    "Sandwich": r"\frac{H}{8h}\sum_{k=0}^{63} \cos\frac{i - j}{10000^{k/64}}",
}
VARIANTS = tuple(EQUATIONS)
ABOUT = {
    "causal": "The published form, for a decoder.",
    "symmetric": "For an encoder, which sees both sides: all heads alike.",
    "one-sided": "For an encoder that must know the side: half of the heads see only the past, "
    "half only the future, with the slopes of four heads each.",
    "interpolated": "Flatter slopes for longer inputs: the largest bias stays what it was in "
    "training (Al-Khateeb et al. 2023).",
    "KERPLE-log": "KERPLE-log (Chi et al. 2022): two numbers a head, trained there, chosen here.",
    "Sandwich": "Sandwich (Chi et al. 2023): the inner product of sinusoidal positions, divided by "
    "a ratio for each head. Shown relative to offset 0: the softmax sees only differences.",
}


@dataclass(frozen=True)
class _VariantChart(Chart):
    """A chart of one variant, with one of its curves brought forward."""

    variant: str = VARIANTS[0]
    """One of `VARIANTS`."""
    span: int = 64
    """Tokens on each side of the query."""
    head: int = 3
    """Head of eight, counted from 1; KERPLE-log has one curve."""
    stretch: int = 4
    """Interpolated: input over training length."""
    r1: float = 2.0
    """KERPLE-log: how strong the penalty is."""
    r2: float = 1.0
    """KERPLE-log: how soon it sets in, per token."""

    def __post_init__(self) -> None:
        """Raises ValueError for a variant or a head that there is not."""
        if self.variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {self.variant!r}")
        if not 1 <= self.head <= N_HEAD:
            raise ValueError(f"head must be from 1 to {N_HEAD}, got {self.head}")

    @cached_property
    def curves(self) -> OffsetCurves:
        """Every curve of the variant, and beside it plain ALiBi's where that is another."""
        bias, plain = self._bias(), bias_by_offset(N_HEAD, self.span + 1, "causal")[self.head - 1]
        is_plain = self.variant in ("causal", "one-sided")
        return OffsetCurves(
            names=self._names(len(bias)),
            steepness=side_slopes(len(bias), _SIDES.get(self.variant, "causal")),
            offsets=np.arange(-self.span, self.span + 1),
            bias=bias,
            weights=softmax(bias),
            plain=None if is_plain else (plain, softmax(plain[None])[0]),
        )

    def _bias(self) -> Floats:
        """(head, offset) in nats relative to offset 0, -inf where masked."""
        if self.variant == "interpolated":
            slopes = interpolated_slopes(alibi_slopes(N_HEAD), 1, self.stretch)
            return _causal(bias_by_distance(slopes, self.span + 1))
        if self.variant == "KERPLE-log":
            return _causal(kerple_log_bias([self.r1], [self.r2], self.span + 1))
        if self.variant == "Sandwich":
            by_distance = sandwich_bias(N_HEAD, self.span + 1)
            return _causal(by_distance - by_distance[:, :1])
        return bias_by_offset(N_HEAD, self.span + 1, _SIDES[self.variant])

    def _names(self, count: int) -> list[str]:
        if self.variant == "KERPLE-log":
            return [f"r₁ = {self.r1:g}, r₂ = {self.r2:g}"]
        if self.variant == "Sandwich":
            return [f"head {head + 1}, ratio {8 * (head + 1) / count:g}" for head in range(count)]
        side = ("past", "future")
        return [
            f"head {head + 1}, slope {slope_text(slope)}"
            + (f", {side[2 * head // count]} only" if self.variant == "one-sided" else "")
            for head, slope in enumerate(side_slopes(count, _SIDES.get(self.variant, "causal")))
        ]

    @property
    def chosen(self) -> int:
        """Index of the curve that is brought forward."""
        return min(self.head, len(self.curves.names)) - 1

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        curve = self.curves.names[self.chosen]
        state = {
            "variant": self.variant,
            "curve": curve,
            "tokens on each side": f"{self.span:,}",
        }
        is_stretched = self.variant == "interpolated"
        return state | ({"stretched": f"{self.stretch} times"} if is_stretched else {})


@dataclass(frozen=True)
class VariantCurvesChart(_VariantChart):
    """Bias by offset from the query, and the attention that it gives at equal content."""

    name: ClassVar[str] = "variant-curves"
    title = "Bias by offset from the query, and the attention that it gives"

    def draw(self, dark: bool) -> go.Figure:
        """Returns bias above, weights below, over the same offsets."""
        return offsets_figure(self.curves, chosen=self.chosen, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns bias and weight by offset, two columns a curve."""
        shown = self.curves
        columns: dict[str, Any] = {"offset, tokens": shown.offsets}
        for name, bias, weight in zip(shown.names, shown.bias, shown.weights, strict=True):
            columns[f"{name}: bias, nats"] = bias
            columns[f"{name}: weight"] = weight
        return pd.DataFrame(columns)

    def alt(self) -> str:
        """Returns what the curves show, for those who cannot see them."""
        count = len(self.curves.names)
        return f"Bias and attention weight by offset, {self.variant}, {count} curves"

    def sentence(self) -> str:
        """Returns what to see in the chosen curve, beside plain ALiBi's where that is another."""
        shown, chosen = self.curves, self.chosen
        weights, middle = shown.weights[chosen], len(shown.offsets) // 2
        own, name = float(weights[middle]), shown.names[chosen]
        if shown.plain is None or self.variant in _SIDES:
            return (
                f"{name} gives {weights[:middle].sum():.0%} of its attention to the past, "
                f"{own:.0%} to the query's own token and {weights[middle + 1 :].sum():.0%} to the "
                "future."
            )
        plain, plain_weights = shown.plain
        end = _nats(shown.bias[chosen, 0])
        if self.variant == "interpolated":
            head, _, slope = name.partition(", ")
            if self.stretch == 1:
                return f"{head} ({slope}) has plain ALiBi's bias, {end} nats at the far end."
            return (
                f"with its slope divided by {self.stretch}, {head} ({slope}) has a bias of {end} "
                f"nats at the far end, plain ALiBi {_nats(plain[0])}; the own token's weight goes "
                f"from {plain_weights[middle]:.3f} to {own:.3f}."
            )
        if self.variant == "KERPLE-log":
            return (
                f"{name} falls to {end} nats at the far end, plain ALiBi's head to "
                f"{_nats(plain[0])}: the logarithm forgets ever more slowly, a line does not."
            )
        seen = shown.bias[chosen, : middle + 1][::-1]
        lowest, rises = int(seen.argmin()), int((np.diff(seen) > 0).sum())
        evenly = f"rises in {rises:,} of the {middle:,} steps back" if rises else "falls throughout"
        return (
            f"{name}, is at {_nats(seen[1])} nats after one token and {evenly}: lowest is "
            f"{_nats(seen[lowest])} at {lowest} tokens back, where plain ALiBi's head has "
            f"{_nats(plain[middle - lowest])}."
        )


@dataclass(frozen=True)
class VariantMatrixChart(_VariantChart):
    """The bias between the nearest tokens, of the chosen curve."""

    name: ClassVar[str] = "variant-matrix"

    @property
    def matrix(self) -> Floats:
        """(query, key) in nats, NaN where masked."""
        shown = self.curves
        middle = len(shown.offsets) // 2
        place = np.arange(min(MATRIX_TOKENS, middle + 1))
        bias = shown.bias[self.chosen][middle + place[None, :] - place[:, None]]
        visible: Floats = np.where(np.isneginf(bias), np.nan, bias)
        return visible

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Bias between {len(self.matrix)} tokens"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a map of queries and keys, what is masked hatched."""
        matrix = self.matrix
        return logit_map_figure(matrix, np.arange(len(matrix)), train_length=None, dark=dark)

    def alt(self) -> str:
        """Returns what the map shows, for those who cannot see it."""
        curve = self.curves.names[self.chosen]
        return f"{curve}: bias between {len(self.matrix)} tokens, masked part hatched"

    def sentence(self) -> str:
        """Returns the bias in the far corners of the map."""
        matrix, word = self.matrix, {True: "masked"}
        past, future = (
            word.get(bool(np.isnan(corner)), f"{_nats(corner)} nats")
            for corner in (matrix[-1, 0], matrix[0, -1])
        )
        return f"last query to first key: {past}; first query to last key: {future}."


def _causal(by_distance: Floats) -> Floats:
    """Returns a bias by offset from one by distance: the past mirrored, the future masked."""
    future = np.full((len(by_distance), by_distance.shape[1] - 1), -np.inf)
    return np.concatenate([by_distance[:, ::-1], future], axis=1)


def _nats(value: float) -> str:
    """Returns nats with three digits and a typographic minus."""
    return f"{value:.3g}".replace("-", "−")
