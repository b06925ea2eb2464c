"""Accuracy by where the answer lies, as Lost in the Middle reports it, read cell by cell.

Liu et al., 2023, appendix G, https://arxiv.org/abs/2307.03172: a question and 10, 20 or 30
documents of at most 100 tokens, one of which holds the answer. assets/published holds one number a
row.
"""

import csv
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alibi_viz.paths import ASSETS

MIDDLE = ASSETS / "published" / "lost_in_the_middle.csv"
# Of the normal distribution: 95 % lie within that many standard deviations.
_Z = 1.959964


@dataclass(frozen=True)
class MiddleCurve:
    """One row of a table: one model's accuracy by the place of the document with the answer."""

    source: str
    """The paper, as "arXiv:<number>"."""
    table: str
    """Table of the paper."""
    model: str
    """The model, as the paper calls it."""
    position: str | None
    """Key of the model's position method; None where its makers do not tell."""
    documents: int
    """Documents in the input."""
    questions: int
    """Questions asked at every place."""
    indices: tuple[int, ...]
    """(place,) documents before the one with the answer, rising."""
    accuracies: tuple[float, ...]
    """(place,) share of the questions answered, 0 .. 1."""

    @property
    def span(self) -> float:
        """Best place minus worst, as a share of the questions."""
        return max(self.accuracies) - min(self.accuracies)

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """(place,) 95 % intervals of the accuracies, by Wilson's formula; ours, not the paper's."""
        return tuple(_wilson(share, self.questions) for share in self.accuracies)


@cache
def middle_curves(path: Path = MIDDLE) -> tuple[MiddleCurve, ...]:
    """Returns every curve of the file, in its order.

    Args:
        path: A CSV file with the columns source, table, model, position, documents, questions,
            index and accuracy in percent.
    """
    groups: dict[tuple[str, ...], list[tuple[int, float]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            names = ("source", "table", "model", "position", "documents", "questions")
            point = (int(row["index"]), float(row["accuracy"]) / 100)
            groups.setdefault(tuple(row[name] for name in names), []).append(point)
    return tuple(
        MiddleCurve(
            source,
            table,
            model,
            position or None,
            int(documents),
            int(questions),
            *zip(*sorted(points), strict=True),
        )
        for (source, table, model, position, documents, questions), points in groups.items()
    )


def _wilson(share: float, count: int) -> tuple[float, float]:
    centre = (share + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    inner = share * (1 - share) / count + _Z**2 / (4 * count**2)
    half = _Z * math.sqrt(inner) / (1 + _Z**2 / count)
    return centre - half, centre + half
