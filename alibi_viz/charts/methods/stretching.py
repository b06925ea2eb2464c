"""What stretching does to RoPE's rotations and to ALiBi's penalties, pair by pair, head by head."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.charts.base import Chart
from alibi_viz.figures.methods.lanes import Lanes, lanes_figure
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.frequencies import turns_per_token
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.positions.stretch import RULES, Rule, Stretching
from alibi_viz.positions.stretch.log_length import log_length_factor
from alibi_viz.positions.turns import WIDTHS

N_HEAD = 8

_BY_TURNS = (
    r"\theta'_k = \bigl(1 - \gamma(r_k)\bigr)\frac{\theta_k}{s} + \gamma(r_k)\,\theta_k,\quad "
    r"\gamma(r) = \frac{r - 1}{32 - 1}\ \text{within}\ 0 \ldots 1"
)
_AS_CODED = (
    r"\theta'_k = \bigl(1 - \gamma_k\bigr)\frac{\theta_k}{s} + \gamma_k\,\theta_k,\quad "
    r"\gamma_k\ \text{falling evenly in}\ k"
)
EQUATIONS = {
    "pi": r"\theta'_k = \frac{\theta_k}{s},\quad s = \frac{T}{L}",
    "ntk": r"b' = b\,s^{\frac{|D|}{|D| - 2}},\quad \theta'_k = b'^{-2k/|D|}",
    "dynamic-ntk": r"b' = b\,\bigl(a\,s - (a - 1)\bigr)^{\frac{|D|}{|D| - 2}},\quad a = 2",
    "by-parts": _BY_TURNS,
    "by-parts-coded": _AS_CODED,
    "yarn": _BY_TURNS + r",\quad \tfrac{1}{t} = (0.1 \ln s + 1)^2",
    "yarn-coded": _AS_CODED + r",\quad \tfrac{1}{t} = (0.1 \ln s + 1)^2",
    "slopes-pi": r"m'_h = \frac{m_h}{s},\quad s = \frac{T}{L}",
    "slopes-ntk": r"m'_h = m_h\, s^{-\frac{h - 1}{H - 1}}",
    "flattest-freed": r"m'_{H-1} = m'_H = 0",
}
_PARTS = (
    "γ is the share of its own frequency that a pair keeps: all of it where it goes round more "
    "than 32 times in training, none where it does not go round once; there θ is divided by s. "
)
_CODED = (
    "Peng et al. 2023, as their code and `transformers` have it: γ, the share of the own frequency "
    "θ that pair k keeps, falls with the number of the pair, between the pairs that would go round "
    "32 times and once in training, rounded outwards. "
)
_TEMPERATURE = (
    "The temperature t multiplies the logits, not the angles: the authors scale queries and keys "
    "by √(1/t) each. "
)
ABOUT = {
    "pi": "Chen et al. 2023 write f′(x, m) = f(x, m L / L′), with m for a position, L for the "
    "training length and L′ for the longer one: a position divided by s is a frequency θ divided "
    "by s. Every pair of channels k turns more slowly, even those that tell neighbours apart.",
    "ntk": "bloc97 2023, as YaRN's definition 1 states it: |D| is the width of a head, b the base, "
    "10,000. A larger base leaves the fastest pair alone and divides the slowest by s.",
    "dynamic-ntk": "emozilla 2023: the scale comes from the window at hand, not from the longest "
    "one, so that a short text is read as in training; a is a factor that code knows.",
    "by-parts": "Peng et al. 2023, section 3.2: r is how often pair k goes round in training, "
    "L / λ with the wavelength λ = 2π / θ. " + _PARTS,
    "by-parts-coded": _CODED + "The paper's own ramp goes by rotations.",
    "yarn": "Peng et al. 2023: by parts, and a temperature. " + _PARTS + _TEMPERATURE,
    "yarn-coded": _CODED + _TEMPERATURE,
    "slopes-pi": "Al-Khateeb et al. 2023: every slope m divided by s, as position interpolation "
    "does with frequencies. The largest penalty stays what it was in training.",
    "slopes-ntk": "“NTK-ALiBi” (github.com/keezen/ntk_alibi, not reviewed): the steepest of H "
    "heads keeps its slope, the flattest is divided by s, as NTK-aware scaling does with pairs.",
    "flattest-freed": "An experiment of this project: the two flattest heads lose their bias, at "
    "any length, so that for them far counts as much as near.",
}


@dataclass(frozen=True)
class StretchingChart(Chart):
    """Rotation of each pair, or penalty of each head, by position, as trained and stretched."""

    rule: str = "yarn-coded"
    """Key of the rule, see `positions.stretch.RULES`."""
    times: int = 4
    """Tokens in the longer window, as a multiple of the training length."""
    train_length: int = 128
    """Tokens in a training window."""
    name = "stretching"

    def __post_init__(self) -> None:
        """Raises ValueError for a rule that there is not, or a window that is not longer."""
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.rule!r}")
        if self.times < 1:
            raise ValueError(f"times must be at least 1, got {self.times}")

    @property
    def of(self) -> Rule:
        """The rule."""
        return RULES[self.rule]

    @property
    def _rotates(self) -> bool:
        return self.of.method == "rope"

    @property
    def eval_length(self) -> int:
        """Tokens in the longer window."""
        return self.times * self.train_length

    @property
    def lanes(self) -> Lanes:
        """What grows with the distance: turns of a pair, or nats of a head."""
        width = WIDTHS["rope"]
        before = turns_per_token(width) if self._rotates else alibi_slopes(N_HEAD)
        # Rules reckon in radians; those that look at the number itself need them.
        unit = 2 * np.pi if self._rotates else 1.0
        stretching = Stretching(self.of)
        after = stretching.numbers(before * unit, self.eval_length, self.train_length) / unit
        seen = before * self.train_length
        return Lanes(
            part="pair" if self._rotates else "head",
            along="position" if self._rotates else "distance",
            unit="turns" if self._rotates else "nats",
            shade="angles seen in training: from one turn on, all"
            if self._rotates
            else "penalties seen in training",
            before=before,
            after=after,
            # Once around the circle there is no angle left to see.
            seen=np.where(seen >= 1, np.inf, seen) if self._rotates else seen,
            train_length=self.train_length,
            eval_length=self.eval_length,
        )

    def _stays(self, rates: Floats) -> NDArray[np.bool_]:
        """(lane,) whether the longer window holds nothing that training had not."""
        lanes = self.lanes
        stays: NDArray[np.bool_] = rates * self.eval_length <= lanes.seen * (1 + 1e-9)
        return stays

    @property
    def logit_factor(self) -> float:
        """What content logits are multiplied by."""
        return Stretching(self.of).logit_factor(self.eval_length, self.train_length)

    @property
    def title(self) -> str:
        """What it is, in a line."""
        what = "rotation of each pair of channels" if self._rotates else "penalty of each head"
        return f"{self.of.label}: {what}, as trained and stretched"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a lane a pair or head: as trained, stretched, and what training saw."""
        return lanes_figure(self.lanes, method=self.of.method, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns one row a pair or head."""
        lanes = self.lanes
        unit = f"{lanes.unit} at {self.eval_length:,} tokens"
        return pd.DataFrame(
            {
                lanes.part: np.arange(1, len(lanes.before) + 1),
                f"{lanes.unit} within {self.train_length:,} tokens": lanes.before
                * self.train_length,
                f"as trained, {unit}": lanes.before * self.eval_length,
                f"stretched, {unit}": lanes.after * self.eval_length,
                "stretched, share of as trained": lanes.after / lanes.before,
                "nothing new as trained": self._stays(lanes.before),
                "nothing new stretched": self._stays(lanes.after),
            }
        )

    def alt(self) -> str:
        """Returns where the lines end, for those who cannot see them."""
        lanes = self.lanes
        ends = ", ".join(
            f"{lanes.part} {number} {before:.3g} to {after:.3g}"
            for number, before, after in zip(
                range(1, len(lanes.before) + 1),
                lanes.before * self.eval_length,
                lanes.after * self.eval_length,
                strict=True,
            )
        )
        return f"{self.title}. At {self.eval_length:,} tokens, in {lanes.unit}: {ends}."

    def sentence(self) -> str:
        """Returns how many parts stay within what training saw, and what the rule costs."""
        lanes, count = self.lanes, len(self.lanes.before)
        if self.times == 1 and self.of.depends_on_scale:
            return "a window that is not longer than in training changes nothing."
        within = (
            "turn no farther than in training, or had been all the way around"
            if self._rotates
            else "give no lower penalty than in training"
        )
        parts = "pairs" if self._rotates else "heads"
        kept = lanes.after / lanes.before
        told = (
            f"at {self.eval_length:,} tokens {self._stays(lanes.after).sum()} of {count} {parts} "
            f"{within}; as trained it would be {self._stays(lanes.before).sum()}. The "
            f"{'fastest pair, which tells neighbours apart,' if self._rotates else 'steepest head'}"
            f" keeps {kept[0]:.0%} of its {'speed' if self._rotates else 'slope'}, the "
            f"{'slowest' if self._rotates else 'flattest'} {kept[-1]:.0%}."
        )
        if self.of.logit_factor is not None:
            told += f" Content logits are multiplied by {self.logit_factor:.2f}."
        return told

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "stretching": self.of.label,
            "training length": f"{self.train_length:,} tokens",
            "window": f"{self.eval_length:,} tokens",
            "head": f"{WIDTHS['rope']} channels" if self._rotates else f"of {N_HEAD}",
            "logits": f"× {self.logit_factor:.3g}",
        }


def log_length_told(train_length: int, times: int) -> str:
    """Returns what attention logits would be multiplied by to keep pace with the window's length.

    Args:
        train_length: Tokens in a training window.
        times: Tokens in the longer window, as a multiple of that.
    """
    factor = log_length_factor(float(times), train_length)
    return (
        "Any method, T5's bias and NoPE included, can be given another temperature: content logits "
        f"times ln T / ln L (Chiang and Cholak 2022), here {factor:.2f}. A softmax over more keys "
        "spreads thinner unless logits grow. On “Train short, test long” all of these are measured."
    )
