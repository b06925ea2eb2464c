"""Perplexity against length as the ALiBi paper reports it, read cell by cell from its tables.

assets/published/figures.csv holds one number a row with its source and table. Figure 6 was read
from the vector graphics of the paper and is good to 0.01.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alibi_viz.paths import ASSETS

FIGURES = ASSETS / "published" / "figures.csv"
OUT_OF_MEMORY = "OOM"

# The paper's names of the methods, and the keys that they have here.
METHOD_KEYS = {"ALiBi": "alibi", "Sinusoidal": "sinusoidal", "Rotary": "rope", "T5 Bias": "t5"}


@dataclass(frozen=True)
class PublishedCurve:
    """One line of a table: one method, one training length, one way to evaluate."""

    source: str
    """The paper, as "arXiv:<number>" with its version."""
    table: str
    """Table or figure, with the page."""
    dataset: str
    """What was measured on, and how, as the table says."""
    method: str
    """Key of the position method."""
    train_length: int
    """Tokens in a training window."""
    lengths: tuple[int, ...]
    """(point,) tokens in an evaluation window, rising."""
    perplexities: tuple[float, ...]
    """(point,) as printed."""
    out_of_memory_from: int | None
    """Shortest evaluation length at which the paper ran out of memory."""

    @property
    def is_sliding(self) -> bool:
        """Whether windows slide by one token; else they do not overlap."""
        return "sliding window" in self.dataset

    @property
    def corpus(self) -> str:
        """The data set, without how it was measured."""
        return self.dataset.split(" valid")[0]


@cache
def published_curves(path: Path = FIGURES) -> tuple[PublishedCurve, ...]:
    """Returns every curve of the file, in its order.

    Args:
        path: A CSV file with the columns source, table, dataset, method, train_length,
            eval_length, metric and value.

    Raises:
        ValueError: A method without a key here, or a value that is no number.
    """
    groups: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            names = ("source", "table", "dataset", "method", "train_length")
            key = tuple(row[name] for name in names)
            groups.setdefault(key, []).append((int(row["eval_length"]), row["value"]))
    return tuple(_curve(key, points) for key, points in groups.items())


def _curve(key: tuple[str, ...], points: Iterable[tuple[int, str]]) -> PublishedCurve:
    source, table, dataset, method, train_length = key
    if method not in METHOD_KEYS:
        raise ValueError(f"method must be one of {', '.join(METHOD_KEYS)}, got {method!r}")
    ordered = sorted(points)
    measured = [(length, float(value)) for length, value in ordered if value != OUT_OF_MEMORY]
    return PublishedCurve(
        source,
        table,
        dataset,
        METHOD_KEYS[method],
        int(train_length),
        lengths=tuple(length for length, _ in measured),
        perplexities=tuple(value for _, value in measured),
        out_of_memory_from=min(
            (length for length, value in ordered if value == OUT_OF_MEMORY), default=None
        ),
    )
