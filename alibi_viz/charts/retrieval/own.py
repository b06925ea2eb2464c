"""The recall of a model that a visitor trained: one line, of one seed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alibi_viz.figures.measured.extrapolation import MethodCurve
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.paired import bootstrap_interval
from alibi_viz.retrieval.needles import TRAIN_LENGTH
from alibi_viz.retrieval.plan import RecallVariant
from alibi_viz.retrieval.records import RecallRecord
from alibi_viz.words import listed

MARKS = ("star", "solid")
"""Symbol and dash, which no measured line has."""
LEARNED = 0.9
"""Accuracy within the training length from which a longer window says something of the method."""


@dataclass(frozen=True)
class OwnPoint:
    """One window length; shares from 0 to 1."""

    length: int
    """Tokens in a window."""
    accuracy: float
    """Share of the questions answered rightly."""
    low: float
    """Lower end of its 95 % interval when windows are drawn anew."""
    high: float
    """Upper end."""


@dataclass(frozen=True)
class OwnRecall:
    """A recall model that was trained here, as far as it was asked."""

    label: str
    """Kind of the model, as "ALiBi, exponent 10"."""
    method: str
    """Key of its position method."""
    seed: int
    """Of its training run."""
    points: tuple[OwnPoint, ...]
    """By length; at least one."""

    @classmethod
    def of(cls, variant: RecallVariant, records: Sequence[RecallRecord]) -> "OwnRecall":
        """Returns what a model's records say.

        Args:
            variant: The kind of the model.
            records: Of one model, by length; at least one.
        """
        points = []
        for record in records:
            shares = np.array(record.right) / record.questions
            low, high = bootstrap_interval(shares, np.ones(len(shares)))
            rounded = (round(float(value), 5) for value in (record.accuracy, low, high))
            points.append(OwnPoint(record.eval_length, *rounded))
        return cls(variant.label, variant.method, records[0].seed, tuple(points))

    @property
    def line(self) -> MethodCurve:
        """The line of the chart, in percent."""
        values: Floats = 100 * np.array([[p.accuracy, p.low, p.high] for p in self.points])
        mean = values[:, 0]
        return MethodCurve(
            self.method,
            f"yours, one seed: {self.label}",
            np.array([point.length for point in self.points]),
            mean,
            mean,
            mean,
            np.ones(len(self.points), np.int64),
            interval=values[:, 1:],
            marks=MARKS,
        )

    @property
    def has_learned(self) -> bool:
        """Whether it answers within its training length; True where it was not asked there."""
        trained = [point for point in self.points if point.length <= TRAIN_LENGTH]
        return all(point.accuracy >= LEARNED for point in trained)

    def rows(self, along: str, value: str) -> list[dict[str, object]]:
        """Returns a row of a table for each length, with the columns of the measured lines.

        Args:
            along: Name of the column of lengths.
            value: Name of the column of accuracies.
        """
        return [
            {
                "contender": self.line.label,
                along: point.length,
                value: 100 * point.accuracy,
                "95 % from": 100 * point.low,
                "95 % to": 100 * point.high,
                "lowest seed": 100 * point.accuracy,
                "highest seed": 100 * point.accuracy,
                "seeds": 1,
                "beside ALiBi as trained": "not compared",
                "difference": np.nan,
            }
            for point in self.points
        ]

    def told(self, other: MethodCurve) -> str:
        """Returns how the model fares beside the seeds of a measured line, in a sentence.

        Args:
            other: With several seeds a point, in percent.
        """
        first = self.points[0]
        if not self.has_learned:
            return (
                f"Yours, {self.label}, answers {100 * first.accuracy:.0f} % within its training "
                "length: it has not learned the task, so longer windows say nothing of its method."
            )
        places: dict[str, list[str]] = {}
        for point in self.points:
            found = np.nonzero(other.lengths == point.length)[0]
            if point.length > TRAIN_LENGTH and len(found):
                low, high = float(other.low[found[0]]), float(other.high[found[0]])
                mine = 100 * point.accuracy
                where = "above" if mine > high else "below" if mine < low else "within"
                places.setdefault(where, []).append(f"{point.length:,}")
        if not places:
            return f"Yours, {self.label}, was not asked beyond its training length yet."
        parts = [f"{where} it at {listed(lengths)}" for where, lengths in places.items()]
        return (
            f"Yours, {self.label}, is one seed. Beside the range of {other.label}'s "
            f"{int(other.n_seed[0])} seeds it is {listed(parts)} tokens."
        )
