"""What the exponent of the slopes means for a trained model: perplexity against exponent."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES
from alibi_viz.charts.measured.read import all_records
from alibi_viz.evaluation.comparisons import comparison_of, side, told_by_word
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.evaluation.store import last_change
from alibi_viz.figures.measured.exponent import ExponentCurve, exponent_figure
from alibi_viz.maths.paired import Comparison, mean_perplexity
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT
from alibi_viz.paths import FIRST_TEXT
from alibi_viz.words import count, listed

LENGTHS = (128, 512, 2048)


def exponent_of(variant: str) -> float | None:
    """Returns the exponent of a variant that differs in that alone; None for all others.

    >>> exponent_of(""), exponent_of("e16"), exponent_of("free4"), exponent_of("h4-e2")
    (8.0, 16.0, None, None)
    """
    if not variant:
        return MAX_SLOPE_EXPONENT
    number = variant.removeprefix("e")
    return float(number) if number != variant and number.replace(".", "").isdigit() else None


@dataclass(frozen=True)
class Measured:
    """One exponent at one evaluation length."""

    perplexity: float
    """Of the mean loss over the seeds that both sides have."""
    comparison: Comparison | None
    """With the published exponent; None for that one itself."""


Points = dict[int, dict[float, Measured]]


def measured_exponents(protocol: Protocol) -> Points:
    """Returns perplexities by evaluation length and exponent, rising; shared by all.

    Args:
        protocol: How it was measured.

    Raises:
        ValueError: The records cannot be read.
    """
    return _measured(protocol, last_change(Record))


@lru_cache(maxsize=4)
def _measured(protocol: Protocol, changed: object) -> Points:
    points: Points = {}
    for length, sides in _sides(protocol, changed).items():
        for variant, own in sides.items():
            compared = comparison_of(own, sides[""]) if variant else None
            if not variant or compared:
                value = mean_perplexity([record.nll for record in own])
                points.setdefault(length, {})[_exponent(variant)] = Measured(value, compared)
    return points


Sides = dict[int, dict[str, list[Record]]]


@lru_cache(maxsize=4)
def _sides(protocol: Protocol, changed: object) -> Sides:
    """Returns records by evaluation length and variant, of the seeds that all variants have."""
    records = [
        record
        for record in all_records()
        if record.method == "alibi" and exponent_of(record.variant) is not None
    ]
    variants = sorted({record.variant for record in records}, key=_exponent)
    shared = {"train_length": TRAIN_LENGTH, "text": FIRST_TEXT, "protocol": protocol}
    found: Sides = {}
    for length in LENGTHS:
        every = {
            variant: side(records, variant=variant, eval_length=length, **shared)
            for variant in variants
        }
        # Where other exponents have fewer seeds, means over other seeds would be no comparison.
        by_variant = [{record.seed for record in of} for of in every.values() if of]
        seeds = set[int]().union(*by_variant).intersection(*by_variant)
        kept = {variant: [r for r in of if r.seed in seeds] for variant, of in every.items()}
        if kept.get(""):
            found[length] = {variant: of for variant, of in kept.items() if of}
    return found


def _exponent(variant: str) -> float:
    return exponent_of(variant) or math.inf


@dataclass(frozen=True)
class ExponentChart(Chart):
    """Perplexity of ALiBi models of eight heads against the exponent they were trained with."""

    protocol: Protocol = "nonoverlapping"
    """How it was measured."""
    present: float | None = None
    """The exponent that a visitor has chosen; None for none."""
    is_small: bool = False
    """Whether it stands beside other figures."""
    name = "exponents"
    reads = (Record,)
    title = "Measured: perplexity of trained models against the exponent of the slopes"

    @property
    def points(self) -> Points:
        """What it is drawn from; may be nothing."""
        return measured_exponents(self.protocol)

    @property
    def exponents(self) -> list[float]:
        """Exponents that were trained and measured; a chart takes two at least.

        Told by the records alone: pages ask before anybody has opened the figure, and its intervals
        take their time.
        """
        sides = _sides(self.protocol, self.drawn_from())
        return sorted({_exponent(variant) for of in sides.values() for variant in of})

    @property
    def curves(self) -> list[ExponentCurve]:
        """One curve an evaluation length."""
        curves = []
        for length, of in self.points.items():
            mean = np.array([point.perplexity for point in of.values()])
            usual = of[MAX_SLOPE_EXPONENT].perplexity
            ends = [
                [usual, usual] if c is None else [usual * math.exp(c.low), usual * math.exp(c.high)]
                for c in (point.comparison for point in of.values())
            ]
            words = tuple(
                "" if c is None else c.sentence(f"exponent {exponent:g}", "8")
                for exponent, c in ((e, point.comparison) for e, point in of.items())
            )
            curves.append(ExponentCurve(length, np.array(list(of)), mean, np.array(ends), words))
        return curves

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line for each evaluation length, with 95 % intervals against exponent 8."""
        return exponent_figure(self.curves, present=self.present, is_small=self.is_small, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row for each exponent and evaluation length."""
        rows = []
        for length, of in self.points.items():
            for exponent, point in of.items():
                compared = point.comparison
                ends = compared.percent if compared else (math.nan,) * 3
                rows.append(
                    {
                        "exponent": exponent,
                        "evaluation window, tokens": length,
                        "perplexity per token": point.perplexity,
                        "against exponent 8, %": ends[0],
                        "lower end of 95 % interval, %": ends[1],
                        "upper end of 95 % interval, %": ends[2],
                        "seeds": len(compared.by_seed) if compared else math.nan,
                        "word": compared.word if compared else "",
                    }
                )
        return pd.DataFrame(rows)

    def alt(self) -> str:
        """Returns the lowest exponent of each line and the words, for those who cannot see it."""
        lowest = [
            f"{length:,} tokens at exponent {min(of, key=lambda e: of[e].perplexity):g}"
            for length, of in self.points.items()
        ]
        return f"Perplexity against exponent; lowest with windows of {listed(lowest)}."

    def sentence(self) -> str:
        """Returns how the exponents stand to 8, or how the present one does if it was trained."""
        tried = [exponent for exponent in self.exponents if exponent != MAX_SLOPE_EXPONENT]
        if not tried:
            return "no exponent but 8 has been trained yet."
        models = f"Models of 8 heads, trained on {TRAIN_LENGTH} tokens"
        if self.present in (None, MAX_SLOPE_EXPONENT):
            return f"{self._all_told()} {models}; {count(self._seeds, 'seed')}."
        nearest = min(tried, key=lambda exponent: abs(math.log(exponent / (self.present or 8))))
        start = "" if nearest == self.present else f"no model has exponent {self.present:g}; "
        parts = [
            point.comparison.sentence(f"exponent {nearest:g}", "exponent 8")
            + f", with windows of {length:,} tokens"
            for length, of in self.points.items()
            if (point := of.get(nearest)) and point.comparison
        ]
        return f"{start}{'; '.join(parts)}. {models}."

    def _all_told(self) -> str:
        """Every exponent against 8, length by length."""
        return " ".join(
            f"With windows of {length:,} tokens, {told_by_word(compared, 'exponent 8')}."
            for length, of in self.points.items()
            if (
                compared := {
                    f"exponent {exponent:g}": point.comparison
                    for exponent, point in of.items()
                    if point.comparison
                }
            )
        )

    @property
    def _seeds(self) -> int:
        compared = [point.comparison for of in self.points.values() for point in of.values()]
        return max(len(one.by_seed) for one in compared if one)

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "exponents": listed([f"{exponent:g}" for exponent in self.exponents] or ["none"]),
            "trained on": f"{TRAIN_LENGTH} tokens",
            "windows": PROTOCOL_NAMES[self.protocol],
            "text": FIRST_TEXT,
        }
