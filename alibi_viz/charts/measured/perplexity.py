"""Perplexity as we measured it: by the evaluation window, and by the context of a token."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart, kept_by_value
from alibi_viz.charts.measured import findings
from alibi_viz.charts.measured.curves import measure_title, own_curves, position_curves
from alibi_viz.charts.measured.read import own_records, same_text_records
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.score import PROTOCOLS, Protocol
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.paths import FIRST_TEXT
from alibi_viz.positions import METHODS
from alibi_viz.words import listed

PROTOCOL_NAMES: dict[Protocol, str] = {
    "nonoverlapping": "nonoverlapping",
    "sliding_window": "sliding window",
}
BOTH = "both, on the same tokens"
"""What both protocols in one chart are called."""


def curve_table(curves: Sequence[MethodCurve], along: str, measure: str) -> pd.DataFrame:
    """Returns every point of some curves: mean and range over seeds.

    Args:
        curves: What is drawn.
        along: Name of the column of lengths, with its unit.
        measure: What is measured, with its unit.
    """
    rows = [
        (curve.label, int(length), float(mean), float(low), float(high), int(seeds))
        for curve in curves
        for length, mean, low, high, seeds in zip(
            curve.lengths, curve.mean, curve.low, curve.high, curve.n_seed, strict=True
        )
    ]
    names = ["method", along, measure, "lowest seed", "highest seed", "seeds"]
    return pd.DataFrame(rows, columns=names)


def summary_table(curves: Sequence[MethodCurve], train_length: int) -> pd.DataFrame:
    """Returns one row a method: where it is best, how it ends, and its value at each length.

    Args:
        curves: What is drawn.
        train_length: Tokens in a training window.
    """
    lengths = sorted({int(length) for curve in curves for length in curve.lengths})
    rows = []
    for curve in curves:
        base, best = curve.at(train_length), int(curve.mean.argmin())
        # What was not read past its training length has not extrapolated.
        is_longer = base is not None and curve.lengths[-1] > train_length
        rows.append(
            {
                "method": curve.label,
                "seeds": int(curve.n_seed.max()),
                "best at, tokens": int(curve.lengths[best]),
                "at longest / at training length": curve.mean[-1] / base if is_longer else np.nan,
            }
            | {f"{length:,}": curve.at(length) for length in lengths}
        )
    return pd.DataFrame(rows)


def ends_of(curves: Sequence[MethodCurve]) -> str:
    """Returns where each curve begins and ends, for those who cannot see them."""
    parts = [
        f"{curve.label} from {curve.mean[0]:.3g} at {curve.lengths[0]:,} to "
        f"{curve.mean[-1]:.3g} at {curve.lengths[-1]:,} tokens"
        for curve in curves
    ]
    return "; ".join(parts)


@dataclass(frozen=True)
class MeasuredChart(Chart):
    """A chart of our own records."""

    reads = (Record,)

    methods: tuple[str, ...] = tuple(METHODS)
    """Keys of the methods to show, of those that have records."""
    train_length: int = TRAIN_LENGTH
    """Tokens in a training window."""
    text: str = FIRST_TEXT
    """Name of the text."""

    @property
    def records(self) -> tuple[Record, ...]:
        """What it is drawn from."""
        return own_records(text=self.text)

    def _shown(self, curves: Sequence[MethodCurve]) -> list[MethodCurve]:
        return [curve for curve in curves if curve.method in self.methods]

    @property
    def corpus(self) -> str:
        """Name and version of the text; "" where nothing is measured."""
        records = self.records
        return records[0].corpus.split(" sha256")[0] if records else ""


@dataclass(frozen=True)
class PerplexityChart(MeasuredChart):
    """Perplexity, or another measure, against the length of the evaluation window."""

    protocol: Protocol = "nonoverlapping"
    """How it was measured."""
    measure: str = "perplexity"
    """One of `curves.MEASURES`."""
    on_sample: bool = False
    """Whether both protocols score the same tokens, so that they may be set beside each other."""
    both: bool = False
    """Whether both protocols are drawn on the same tokens, whatever `protocol` is."""
    name = "extrapolation"

    @property
    def records(self) -> tuple[Record, ...]:
        """What it is drawn from."""
        is_same_text = self.on_sample or self.both
        return same_text_records(text=self.text) if is_same_text else super().records

    @property
    @kept_by_value
    def curves(self) -> tuple[MethodCurve, ...]:
        """One curve a method that has records, two with both protocols; may be none."""
        if not self.both:
            return tuple(self._of(self.protocol))
        sliding = [
            replace(curve, label=f"{curve.label}, sliding", nth=1, ends="")
            for curve in self._of("sliding_window")
        ]
        return (*self._of("nonoverlapping"), *sliding)

    def _of(self, protocol: Protocol) -> list[MethodCurve]:
        return self._shown(
            own_curves(
                self.records,
                train_length=self.train_length,
                protocol=protocol,
                measure=self.measure,
            )
        )

    @property
    def title(self) -> str:
        """What it is, in a line."""
        measure = "growth of perplexity" if self.measure == "ratio" else self.measure
        return f"Measured: {measure} against the length of the evaluation window"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a method, with the range over seeds."""
        axis = measure_title(self.measure)
        # On the same tokens a change of protocol leaves the axes where they are.
        both = [self._of(protocol) for protocol in PROTOCOLS] if self.on_sample else []
        return extrapolation_figure(
            self.curves,
            train_length=self.train_length,
            measure=axis,
            room_for=[curve for curves in both for curve in curves],
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns every point: mean and range over seeds."""
        return curve_table(self.curves, "evaluation window, tokens", measure_title(self.measure))

    def summary(self) -> pd.DataFrame:
        """Returns one row a method: where it is best, how it ends, and each length."""
        return summary_table(self.curves, self.train_length)

    def alt(self) -> str:
        """Returns where each line begins and ends, for those who cannot see them."""
        return (
            f"{measure_title(self.measure).capitalize()} against evaluation length for models "
            f"trained on {self.train_length:,} tokens: {ends_of(self.curves)}."
        )

    @kept_by_value
    def findings(self) -> tuple[str, ...]:
        """Returns what to see, most important first, in Markdown."""
        found = findings.findings(
            self.records,
            same_text_records(text=self.text),
            self.methods,
            train_length=self.train_length,
            protocol="nonoverlapping" if self.both else self.protocol,
        )
        return tuple(found)

    def sentence(self) -> str:
        """Returns how each method ends, in one sentence."""
        return findings.endings(self.curves, self.train_length) or "each method is measured once."

    def missing(self) -> str:
        """Returns which of the methods have no record; empty where none is missing."""
        there = {curve.method for curve in self.curves}
        absent = [METHODS[key].label for key in self.methods if key not in there]
        named = "sliding window" if self.both else PROTOCOL_NAMES[self.protocol]
        return f"No {named} record yet for {listed(absent)}." if absent else ""

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        seeds = max((int(curve.n_seed.max()) for curve in self.curves), default=0)
        return {
            "trained on": f"{self.train_length:,} tokens",
            "windows": BOTH if self.both else PROTOCOL_NAMES[self.protocol],
            "seeds": str(seeds),
            "text": self.corpus,
        }


@dataclass(frozen=True)
class PositionChart(MeasuredChart):
    """Perplexity against the context that a token has in its window."""

    name = "by_position"
    title = "Measured: perplexity against the context that a token has"

    @property
    @kept_by_value
    def curves(self) -> tuple[MethodCurve, ...]:
        """One curve a method that has records; may be none."""
        return tuple(
            position_curves(self.records, train_length=self.train_length, methods=self.methods)
        )

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a method, with the range over seeds."""
        return extrapolation_figure(
            self.curves,
            train_length=self.train_length,
            measure="perplexity per token",
            along="context",
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns every point: mean and range over seeds."""
        return curve_table(self.curves, "context, tokens", "perplexity per token")

    def alt(self) -> str:
        """Returns where each line begins and ends, for those who cannot see them."""
        return (
            f"Perplexity by position for models trained on {self.train_length:,} tokens: "
            f"{ends_of(self.curves)} of context."
        )

    @kept_by_value
    def sentence(self) -> str:
        """Returns what context is worth, and what positions beyond training cost."""
        return findings.by_position(self.curves, self.train_length)

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        seeds = max((int(curve.n_seed.max()) for curve in self.curves), default=0)
        return {
            "trained on": f"{self.train_length:,} tokens",
            "seeds": f"up to {seeds}",
            "text": self.corpus,
        }
