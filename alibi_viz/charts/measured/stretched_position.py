"""Loss of stretched models by how much context a token has, in windows of one length."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from alibi_viz.charts.base import Chart
from alibi_viz.charts.measured.perplexity import curve_table, ends_of
from alibi_viz.charts.measured.read import stretched_records
from alibi_viz.charts.measured.stretched import FIRST, Stage, StretchedChart, StretchedLine
from alibi_viz.evaluation.by_position import Band
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.maths.arrays import Floats
from alibi_viz.retrieval.records import StretchedRecord

WINDOWS = (256, 512, 1024, 2048, 4096)
"""Tokens in the windows that were measured."""
FEWEST = 200
"""Targets below which a band of positions is left out: its mean is mostly chance."""
NEAR = 1.1
"""Perplexity over that of ALiBi as trained up to which a model keeps up with it."""


@dataclass(frozen=True)
class StretchedPositionChart(Chart):
    """Perplexity against the context that a token has, of models as trained and stretched."""

    stretchings: tuple[str, ...] = FIRST
    """Names of the stretchings to show, of those that were measured."""
    stage: Stage = "at once"
    """Whether stretched at once, after a short training on longer windows, or both."""
    window: int = 1024
    """Tokens in the window, which the scale of a stretching follows."""
    name = "stretched_by_position"
    reads = (Record, StretchedRecord)
    title = "Measured: perplexity of stretched models against the context that a token has"

    def __post_init__(self) -> None:
        """Raises ValueError for a stretching, a stage or a window that there is not."""
        StretchedChart(self.stretchings, self.stage)
        if self.window not in WINDOWS:
            raise ValueError(f"window must be one of {WINDOWS}, got {self.window}")

    @property
    def curves(self) -> list[MethodCurve]:
        """A line a model that was measured in such windows, on the same tokens; may be none."""
        found: dict[tuple[str, str, int], dict[int, StretchedRecord]] = {}
        for record in stretched_records():
            at = (record.protocol, record.eval_length, record.train_length)
            if at == ("nonoverlapping", self.window, TRAIN_LENGTH) and record.bands:
                key = (record.method, record.stretching, record.tuned_length)
                found.setdefault(key, {})[record.seed] = record
        drawn = []
        for line in StretchedChart(self.stretchings, self.stage).lines:
            measured = line.measured
            records = found.get((line.method, measured.stretching, measured.tuned_length), {})
            if set(measured.seeds) <= set(records):
                drawn.append(_by_context(line, [records[seed] for seed in measured.seeds]))
        return drawn

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a model, with the range over seeds."""
        return extrapolation_figure(
            self.curves,
            train_length=TRAIN_LENGTH,
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
            f"Perplexity by position in windows of {self.window:,} tokens, for models trained on "
            f"{TRAIN_LENGTH}: {ends_of(self.curves)} of context."
        )

    def sentence(self) -> str:
        """Returns how each line stands to ALiBi as trained, near the start and at the end."""
        curves = self.curves
        alibi = next((c for c in curves if (c.method, c.marks) == ("alibi", None)), None)
        text = (
            f"all lines read the same windows of {self.window:,} tokens; ups and downs that they "
            "share are the text's."
        )
        if alibi is None:
            return text
        told = [
            f"{curve.label} {_course(curve.mean / alibi.mean, curve.lengths)}"
            for curve in curves
            if curve is not alibi
        ]
        return (
            f"{text} Perplexity over that of ALiBi as trained on the same tokens: "
            f"{'; '.join(told)}."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return StretchedChart(self.stretchings, self.stage).state() | {
            "windows": f"nonoverlapping, {self.window:,} tokens"
        }


def _by_context(line: StretchedLine, records: list[StretchedRecord]) -> MethodCurve:
    """Returns perplexity by context: mean and range over seeds, with the line's marks."""
    bands = [[Band(*values) for values in record.bands] for record in records]
    kept = [place for place, band in enumerate(bands[0]) if band.tokens >= FEWEST]
    losses = np.array([[of_seed[place].nll for place in kept] for of_seed in bands])
    middles = [round(math.sqrt(bands[0][p].first * bands[0][p].last)) for p in kept]
    values = np.exp(losses)
    return MethodCurve(
        line.method,
        line.drawn.label,
        np.array(middles),
        np.exp(losses.mean(0)),
        values.min(0),
        values.max(0),
        np.full(len(kept), len(records)),
        marks=line.drawn.marks,
    )


def _course(ratios: Floats, contexts: NDArray[np.int64]) -> str:
    """Returns a line's ratios to the reference: at the training length, at the end, how far near.

    >>> _course(np.array([1.0, 1.05, 1.4]), np.array([64, 256, 512]))
    '1.00× at 64 tokens of context and 1.40× at 512 (up to 1.1× as far as 256)'
    """
    trained = int(np.nonzero(contexts <= TRAIN_LENGTH)[0][-1])
    ends = (
        f"{ratios[trained]:.2f}× at {contexts[trained]:,} tokens of context and "
        f"{ratios[-1]:.2f}× at {contexts[-1]:,}"
    )
    far = np.nonzero(ratios[trained:] > NEAR)[0]
    if not len(far) or not far[0]:
        return ends
    return f"{ends} (up to {NEAR:g}× as far as {contexts[trained + far[0] - 1]:,})"
