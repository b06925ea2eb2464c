"""What a visitor measured on the spot: models, lengths, protocol and text of his choice."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.positions import METHODS


@dataclass(frozen=True)
class MeasuredPoint:
    """One model at one length."""

    model: str
    """The folder of its checkpoint."""
    method: str
    """Key of its position method."""
    seed: int
    """Of its training."""
    train_length: int
    """Tokens in its training window."""
    eval_length: int
    """Tokens in the evaluation window."""
    nll: float
    """Mean loss, in nats per token."""
    bits_per_byte: float
    """The same in bits per byte of the text."""

    @classmethod
    def of(cls, record: Record) -> "MeasuredPoint":
        """Returns the point of a record."""
        folder = record.checkpoint.rpartition("/")[2]
        return cls(
            folder,
            record.method,
            record.seed,
            record.train_length,
            record.eval_length,
            record.nll,
            record.bits_per_byte,
        )

    @property
    def perplexity(self) -> float:
        """exp(nll)."""
        return float(np.exp(self.nll))


@dataclass(frozen=True)
class MeasuredHereChart(Chart):
    """Perplexity of the chosen models against the length of the evaluation window."""

    points: tuple[MeasuredPoint, ...]
    """At least one."""
    protocol: Protocol = "nonoverlapping"
    """How it was measured."""
    tokens_scored: int = 0
    """Tokens that were scored."""
    text: str = ""
    """Name of the text."""
    name = "live"
    title = "Measured here: perplexity against the length of the evaluation window"

    @property
    def train_length(self) -> int:
        """Tokens in the training window of most of the models."""
        lengths = [point.train_length for point in self.points]
        return max(sorted(set(lengths)), key=lengths.count)

    @property
    def _is_mixed(self) -> bool:
        return len({point.train_length for point in self.points}) > 1

    def label(self, point: MeasuredPoint) -> str:
        """Returns what a model is called beside its line."""
        parts = [METHODS[point.method].label]
        if point.model.startswith("own-"):
            parts.append(f"own {point.model.removeprefix('own-')[:3]}")
        elif point.seed:
            parts.append(f"seed {point.seed}")
        if self._is_mixed:
            parts.append(f"({point.train_length})")
        return " ".join(parts)

    @property
    def curves(self) -> list[MethodCurve]:
        """One curve a model, in the order of the registry of methods."""
        by_model: dict[str, list[MeasuredPoint]] = {}
        for point in self.points:
            by_model.setdefault(point.model, []).append(point)
        order = list(METHODS)
        curves = []
        for model in sorted(by_model.values(), key=lambda model: order.index(model[0].method)):
            values = np.array([point.perplexity for point in model])
            lengths = np.array([point.eval_length for point in model])
            once = np.ones(len(model), np.int64)
            label = self.label(model[0])
            curves.append(
                MethodCurve(model[0].method, label, lengths, values, values, values, once)
            )
        return curves

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a model."""
        return extrapolation_figure(
            self.curves, train_length=self.train_length, measure="perplexity", dark=dark
        )

    def table(self) -> pd.DataFrame:
        """Returns a row a point."""
        return pd.DataFrame(
            {
                "model": point.model,
                "method": METHODS[point.method].label,
                "training length, tokens": point.train_length,
                "seed": point.seed,
                "protocol": PROTOCOL_NAMES[self.protocol],
                "evaluation length, tokens": point.eval_length,
                "tokens scored": self.tokens_scored,
                "loss, nats per token": point.nll,
                "perplexity": point.perplexity,
                "bits per byte": point.bits_per_byte,
            }
            for point in self.points
        )

    def alt(self) -> str:
        """Returns how many points there are, and the extremes, for those who cannot see them."""
        return (
            f"Perplexity against evaluation length for {len(self.curves)} models, "
            f"{len(self.points)} points. {self.sentence()}"
        )

    def sentence(self) -> str:
        """Returns which model is best and which worst at the longest window."""
        longest = max(point.eval_length for point in self.points)
        there = sorted(
            (point for point in self.points if point.eval_length == longest),
            key=lambda point: point.nll,
        )
        told = [self._told(point) for point in dict.fromkeys([there[0], there[-1]])]
        return f"with windows of {longest:,} tokens {', and '.join(told)}."

    def _told(self, point: MeasuredPoint) -> str:
        """A model's perplexity at the longest window, and beside it that at its shortest."""
        own = [other for other in self.points if other.model == point.model]
        shortest = min(own, key=lambda other: other.eval_length)
        said = f"{self.label(point)} is at perplexity {point.perplexity:,.1f}"
        if shortest is point:
            return said
        ratio = point.perplexity / shortest.perplexity
        return f"{said}, {ratio:.2f} times its own with {shortest.eval_length:,}"

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "windows": PROTOCOL_NAMES[self.protocol],
            "tokens scored": f"{self.tokens_scored:,}",
            "text": self.text,
        }
