"""The numbers from papers that the claims quote, each with its source and table.

assets/published/claims.csv holds one number a row, as the paper prints it, under a name by which a
text can quote it.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alibi_viz.paths import ASSETS

CITED = ASSETS / "published" / "claims.csv"


@dataclass(frozen=True)
class CitedNumber:
    """One number that a paper reports. In a text it stands as the paper prints it."""

    name: str
    """The name by which texts quote it."""
    source: str
    """The paper, as "arXiv:<number>" with its version, or a repository."""
    table: str
    """Table, figure or section, with the page."""
    dataset: str
    """What was measured on; empty where that does not apply."""
    method: str
    """The method, as the paper calls it."""
    train_length: int | None
    """Tokens in a training window; None where that does not apply."""
    eval_length: int | None
    """Tokens in an evaluation window; None where it does not apply, or is only about."""
    metric: str
    """What the number says, with its unit."""
    value: str
    """The number as printed."""

    @property
    def number(self) -> float:
        """The value as a number: "26.0k" is 26000, "~12%" is 12.

        Raises:
            ValueError: The paper gives words, not a number.
        """
        text = self.value.strip("~%")
        count = text.removesuffix("k")
        return float(count) * (1000 if count != text else 1)

    @property
    def ratio(self) -> float:
        """Evaluation length over training length.

        Raises:
            ValueError: One of the two is not known.
        """
        if self.train_length is None or self.eval_length is None:
            raise ValueError(f"{self.name} has no training and evaluation length")
        return self.eval_length / self.train_length

    def __format__(self, spec: str) -> str:
        return format(self.number, spec) if spec else self.value


@cache
def cited_numbers(path: Path = CITED) -> dict[str, CitedNumber]:
    """Returns every quoted number by its name.

    Args:
        path: A CSV file with the columns of `CitedNumber`.

    Raises:
        ValueError: Two rows have the same name.
    """
    numbers: dict[str, CitedNumber] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["id"] in numbers:
                raise ValueError(f"{path.name} has two rows called {row['id']!r}")
            numbers[row["id"]] = CitedNumber(
                name=row["id"],
                source=row["source"],
                table=row["table"],
                dataset=row["dataset"],
                method=row["method"],
                train_length=_tokens(row["train_length"]),
                eval_length=_tokens(row["eval_length"]),
                metric=row["metric"],
                value=row["value"],
            )
    return numbers


def _tokens(text: str) -> int | None:
    return int(text) if text.isdigit() else None
