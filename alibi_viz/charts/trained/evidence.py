"""Why a probe says what it says of ALiBi: the slope of every head, promised and read."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.figures.trained.slope_evidence import SlopeLine, slope_evidence_figure
from alibi_viz.inspection.probe.verdict import ProbeVerdict, SlopeReading
from alibi_viz.words import count

# Slopes that differ by less are drawn at one place.
SAME_SLOPE = 0.005


@dataclass(frozen=True)
class SlopeSpan:
    """The slopes of all heads in a text of one length."""

    length: int
    """Tokens."""
    lowest: tuple[float, ...]
    """(head,) smallest over the layers, in nats per token."""
    highest: tuple[float, ...]
    """(head,) largest over the layers."""


PUBLISHED = tuple(2.0**-head for head in range(1, 9))


@dataclass(frozen=True)
class SlopeEvidenceChart(Chart):
    """Slope by head: promised against read, in a short and in a long text."""

    model: str = "8 published slopes"
    """Name of the model."""
    promised: tuple[float, ...] | None = PUBLISHED
    """(head,) slopes that should act, None where none are promised."""
    spans: tuple[SlopeSpan, ...] = (SlopeSpan(64, PUBLISHED, PUBLISHED),)
    """What was read: of a short text, and of a long one where it was tried."""
    title = "Slope of every head, promised and read"

    @property
    def name(self) -> str:
        """One element a model: a page may compare two."""
        return "slope_evidence_" + re.sub(r"\W+", "_", self.model)

    @classmethod
    def of(cls, verdict: ProbeVerdict) -> "SlopeEvidenceChart":
        """Returns the chart of a verdict."""
        spans = tuple(_span(reading) for reading in verdict.readings)
        promised = verdict.promised_slopes if verdict.promised == "alibi" else None
        return cls(verdict.model, promised, spans)

    def draw(self, dark: bool) -> go.Figure:
        """Returns a mark a head for each reading, and a bar for what is promised."""
        promised = None if self.promised is None else np.array(self.promised)
        lines = [
            SlopeLine(
                f"read, {span.length:,} tokens", np.array(span.lowest), np.array(span.highest)
            )
            for span in self.spans
        ]
        return slope_evidence_figure(promised, lines, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a head."""
        columns: dict[str, object] = {"head": range(1, len(self.spans[0].lowest) + 1)}
        if self.promised is not None:
            columns["promised, nats per token"] = self.promised
        for span in self.spans:
            columns[f"read at {span.length} tokens, lowest layer"] = span.lowest
            columns[f"read at {span.length} tokens, highest layer"] = span.highest
        return pd.DataFrame(columns)

    def alt(self) -> str:
        """Returns the steepest and flattest slope of each reading."""
        parts = [
            f"at {count(span.length, 'token')} from {min(span.lowest):.3g} to "
            f"{max(span.highest):.3g}"
            for span in self.spans
        ]
        said = (
            "none promised"
            if self.promised is None
            else f"promised from {min(self.promised):.3g} to {max(self.promised):.3g}"
        )
        return f"Slope of every head in nats per token: {said}; read {', '.join(parts)}."

    def sentence(self) -> str:
        """Returns how many heads have the promised slope, in every layer and reading."""
        n_head = len(self.spans[0].lowest)
        if self.promised is None:
            return f"no slopes are promised; what {count(n_head, 'head')} have is drawn."
        right = [
            all(
                abs(slope - said) <= SAME_SLOPE * abs(said)
                for span in self.spans
                for slope in (span.lowest[head], span.highest[head])
            )
            for head, said in enumerate(self.promised)
        ]
        lengths = " and ".join(f"{span.length:,}" for span in self.spans)
        return (
            f"{sum(right)} of {count(n_head, 'head')} have the promised slope in every layer, at "
            f"{lengths} tokens."
        )

    def state(self) -> dict[str, str]:
        """Returns the model and the lengths, in words."""
        lengths = ", ".join(f"{span.length:,}" for span in self.spans)
        return {"model": self.model, "tokens": lengths}


def _span(reading: SlopeReading) -> SlopeSpan:
    """Returns slopes with six digits: the seventh is rounding."""
    slopes = np.array(reading.slopes)
    low, high = (tuple(float(f"{m:.6g}") for m in side) for side in (slopes.min(0), slopes.max(0)))
    return SlopeSpan(reading.length, low, high)
