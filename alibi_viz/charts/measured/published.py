"""Perplexity as the paper reports it, on the axes of our own chart."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.measured.curves import as_method_curve, measure_title, paper_curves
from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES, ends_of, summary_table
from alibi_viz.evaluation.score import Protocol
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.positions import METHODS
from alibi_viz.published.curves import PublishedCurve


@dataclass(frozen=True)
class PublishedChart(Chart):
    """The paper's numbers for one data set and training length."""

    choice: str = "WikiText-103 512"
    """Data set, and tokens in a training window."""
    methods: tuple[str, ...] = tuple(METHODS)
    """Keys of the methods to show, of those that the paper has."""
    protocol: Protocol = "nonoverlapping"
    """How it was measured."""
    measure: str = "perplexity"
    """One of `curves.MEASURES`; papers give no bits per byte, and keep perplexity."""
    name = "published"

    @property
    def papers(self) -> list[PublishedCurve]:
        """The paper's own curves; may be none."""
        return paper_curves(self.choice, self.protocol, self.methods)

    @property
    def curves(self) -> list[MethodCurve]:
        """The same as the figure draws them."""
        return [as_method_curve(curve, self.measure) for curve in self.papers]

    @property
    def train_length(self) -> int:
        """Tokens in a training window."""
        return int(self.choice.rsplit(" ", 1)[1])

    @property
    def _axis(self) -> str:
        return measure_title(self.measure, published=True)

    @property
    def _tables(self) -> str:
        return ", ".join(dict.fromkeys(curve.table for curve in self.papers))

    @property
    def title(self) -> str:
        """What it is, in a line."""
        measure = "growth of perplexity" if self.measure == "ratio" else "perplexity"
        return f"Published: {measure} against the length of the evaluation window"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a method."""
        return extrapolation_figure(
            self.curves, train_length=self.train_length, measure=self._axis, dark=dark
        )

    def table(self) -> pd.DataFrame:
        """Returns every number that is shown, with its source and table."""
        return pd.DataFrame(
            {
                "method": METHODS[curve.method].label,
                "trained on, tokens": curve.train_length,
                "window, tokens": length,
                "perplexity": value,
                "source": curve.source,
                "table": curve.table,
                "data": curve.dataset,
            }
            for curve in self.papers
            for length, value in zip(curve.lengths, curve.perplexities, strict=True)
        )

    def summary(self) -> pd.DataFrame:
        """Returns one row a method: where it is best, how it ends, and each length."""
        return summary_table(self.curves, self.train_length)

    def alt(self) -> str:
        """Returns where each line begins and ends, for those who cannot see them."""
        return (
            f"{self._axis.capitalize()} against evaluation length for models trained on "
            f"{self.train_length:,} tokens: {ends_of(self.curves)}."
        )

    def sentence(self) -> str:
        """Returns how each method ends."""
        parts = [
            f"{curve.label} ends at {curve.mean[-1]:.4g} with {int(curve.lengths[-1]):,} tokens"
            for curve in self.curves
        ]
        return f"{'; '.join(parts)}."

    def caption(self) -> str:
        """Returns where the numbers stand, or that there are none."""
        papers, windows = self.papers, PROTOCOL_NAMES[self.protocol]
        if not papers:
            return f"Press et al. give no {windows} numbers for {self.choice} and these methods."
        return (
            f"Press, Smith and Lewis, {papers[0].source}: {self._tables}. {papers[0].dataset}, "
            f"trained on windows of {self.train_length:,} tokens. Not our measurement."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "source": f"Press et al. {self.papers[0].source}, {self._tables}",
            "data": self.papers[0].dataset,
            "trained on": f"{self.train_length:,} tokens",
            "windows": PROTOCOL_NAMES[self.protocol],
        }
