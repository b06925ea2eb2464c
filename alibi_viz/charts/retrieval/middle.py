"""Is the middle lost? Accuracy by where the answer lies, ours beside the published curves."""

from dataclasses import dataclass
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.retrieval.contenders import contender
from alibi_viz.charts.retrieval.recall import depth_map
from alibi_viz.figures.measured.middle import PlaceCurve, middle_figure
from alibi_viz.positions import METHODS
from alibi_viz.published.middle import MiddleCurve, middle_curves
from alibi_viz.retrieval.needles import N_DEPTH
from alibi_viz.retrieval.records import RecallRecord
from alibi_viz.words import count, listed

SHOWN = ("alibi", "alibi-e16", "rope", "nope", "t5")
DOCUMENTS = (10, 20, 30)
SOURCE = (
    "Liu et al., 2023, [Lost in the Middle](https://arxiv.org/abs/2307.03172), appendix G: "
    "questions with 10, 20 or 30 documents, one of which holds the answer. Intervals by Wilson's "
    "formula are ours. Tasks, models and texts differ from ours in everything but the question."
)
# More lines than that would hide each other; longer contexts of the same models are in the table.
_SAME_MODEL = ("(100K)", "(16K)")


@dataclass(frozen=True)
class MiddleChart(Chart):
    """Share of the questions answered, by where the answer lies in the input."""

    contenders: tuple[str, ...] = SHOWN
    """Our models, as trained or stretched; at least one."""
    length: int = 1024
    """Tokens in our windows."""
    documents: int = 20
    """Documents in the published inputs: 10, 20 or 30."""
    name = "middle"
    reads = (RecallRecord,)
    title = "Is the middle lost? Accuracy by where the answer lies"

    @property
    def published(self) -> tuple[MiddleCurve, ...]:
        """The paper's curves."""
        return tuple(curve for curve in middle_curves() if curve.documents == self.documents)

    @property
    def ours(self) -> list[PlaceCurve]:
        """A line a contender, the range over seeds shaded."""
        drawn: list[PlaceCurve] = []
        for name in self.contenders:
            found, one = depth_map(name), contender(name)
            # Depth counts from the question at the end; a paper counts from the beginning.
            by_seed = found.by_seed[:, found.lengths.index(self.length), ::-1]
            drawn.append(
                PlaceCurve(
                    "<br>".join(wrap(one.label, 19)),
                    one.method,
                    (np.arange(N_DEPTH) + 0.5) / N_DEPTH,
                    by_seed.mean(0),
                    by_seed.min(0),
                    by_seed.max(0),
                    f"over {count(len(by_seed), 'seed')}",
                    sum(line.method == one.method for line in drawn),
                )
            )
        return drawn

    @property
    def theirs(self) -> list[PlaceCurve]:
        """A line a published model, its interval shaded."""
        drawn = []
        for curve in self.published:
            if curve.model.endswith(_SAME_MODEL) and curve.position is None:
                continue
            low, high = np.array(curve.intervals).T
            drawn.append(
                PlaceCurve(
                    "<br>".join(wrap(self._named(curve), 19)),
                    curve.position,
                    np.array(curve.indices) / (curve.documents - 1),
                    np.array(curve.accuracies),
                    low,
                    high,
                    "is the 95 % interval",
                )
            )
        return drawn

    @staticmethod
    def _named(curve: MiddleCurve) -> str:
        known = METHODS[curve.position].label if curve.position else ""
        return f"{curve.model} ({known})" if known else curve.model

    def draw(self, dark: bool) -> go.Figure:
        """Returns our curves at the left, the paper's at the right."""
        questions = self.published[0].questions
        panels = (
            (f"ours: needles in {self.length:,} tokens of filler", self.ours),
            (f"published: {self.documents} documents, {questions:,} questions", self.theirs),
        )
        return middle_figure(panels, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a curve and place, ours and the paper's."""
        rows = [
            {
                "source": "measured here",
                "model": line.label.replace("<br>", " "),
                "place, 0 beginning to 1 end": place,
                "answered rightly, %": 100 * share,
                "from": 100 * low,
                "to": 100 * high,
                "range": line.told,
            }
            for line in self.ours
            for place, share, low, high in zip(
                line.places, line.shares, line.low, line.high, strict=True
            )
        ]
        rows += [
            {
                "source": f"{curve.source}, {curve.table}",
                "model": self._named(curve),
                "place, 0 beginning to 1 end": index / (curve.documents - 1),
                "answered rightly, %": 100 * share,
                "from": 100 * low,
                "to": 100 * high,
                "range": f"95 % interval of {curve.questions:,} questions",
            }
            for curve in self.published
            for index, share, (low, high) in zip(
                curve.indices, curve.accuracies, curve.intervals, strict=True
            )
        ]
        return pd.DataFrame(rows)

    def alt(self) -> str:
        """Returns both ends and the worst place of every line, for those who cannot see them."""
        parts = []
        for line in (*self.ours, *self.theirs):
            shares = 100 * line.shares
            parts.append(
                f"{line.label.replace('<br>', ' ')} {shares[0]:.0f} % at the beginning, "
                f"{shares.min():.0f} % at worst, {shares[-1]:.0f} % at the end"
            )
        return f"Accuracy by the place of the answer. {'; '.join(parts)}."

    def sentence(self) -> str:
        """Returns how far each curve spans, and which of ours are worst in the middle."""
        spans = sorted(
            ((100 * curve.span, curve) for curve in self.published), key=lambda pair: pair[0]
        )
        told = [
            f"{self._named(curve)} {span:.1f}"
            for span, curve in spans
            if not curve.model.endswith("(100K)") and curve.model != "GPT-3.5-Turbo (16K)"
        ]
        lost = [line for line in self.ours if _is_lowest_inside(line)]
        far = [line for line in self.ours if _falls_to_the_beginning(line)]
        ours = f"Of ours, {_names(lost)} is lowest inside" if lost else "None of ours is such a U"
        if far:
            ours += (
                "; lower at the beginning, farthest from the question, than at the end with every "
                f"seed: {_names(far)}"
            )
        return (
            f"a curve with a lost middle is a U. Best place minus worst, in points, in the paper: "
            f"{listed(told)}. {ours}."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "contenders": listed([contender(name).label for name in self.contenders]),
            "our windows": f"{self.length:,} tokens",
            "published": f"{self.documents} documents",
        }


def _is_lowest_inside(line: PlaceCurve) -> bool:
    """Returns whether a place inside lies below both ends, even by the range that is shaded."""
    inside = line.high[1:-1].min()
    return bool(inside < min(line.low[0], line.low[-1]))


def _falls_to_the_beginning(line: PlaceCurve) -> bool:
    """Returns whether the first place lies below the last one, even by the range."""
    return bool(line.high[0] < line.low[-1])


def _names(lines: list[PlaceCurve]) -> str:
    return listed([line.label.replace("<br>", " ") for line in lines])
