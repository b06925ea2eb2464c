"""The file of losses by position, safe for several writers; torch-free, for whoever only reads."""

from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from alibi_viz.evaluation.records import read_rows, write_records
from alibi_viz.files import lock
from alibi_viz.paths import RESULTS
from alibi_viz.positions import find_method

SCHEMA = 2
BY_POSITION_FILE = RESULTS / "by_position.json"


@dataclass(frozen=True)
class Band:
    """Positions that are averaged."""

    first: int
    """Fewest tokens of context."""
    last: int
    """Most tokens of context, included."""
    tokens: int
    """Targets averaged."""
    nll: float
    """Their mean loss, in nats per token."""


@dataclass(frozen=True)
class PositionRecord:
    """One model's loss by position."""

    method: str
    """Key of the position method."""
    seed: int
    """Of the training run."""
    train_length: int
    """Tokens in a training window."""
    window: int
    """Tokens in the longest evaluation window."""
    tokens_scored: int
    """Targets in the text; those that do not fill a window are left out."""
    bands: tuple[Band, ...]
    """From little context to much."""
    checkpoint: str
    """Where the model lies, from the project's folder."""
    corpus: str
    """Name, version and SHA-256 of the text."""
    command: str
    """What was typed to measure it."""

    def __post_init__(self) -> None:
        """Raises ValueError on a record that cannot be true."""
        find_method(self.method)
        ends = [0, *(band.last for band in self.bands)]
        if not self.bands or any(
            band.first != end + 1 or band.last < band.first or band.tokens < 1
            for band, end in zip(self.bands, ends, strict=False)
        ):
            raise ValueError("bands must follow one another from 1 token of context on")
        if not np.isfinite([band.nll for band in self.bands]).all():
            raise ValueError("nll must be finite")

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement."""
        model = (self.method, self.train_length, self.seed, self.checkpoint)
        return (*model, self.window, self.corpus, self.tokens_scored)


def load_position_records(path: Path = BY_POSITION_FILE) -> list[PositionRecord]:
    """Returns the records of a file of losses by position.

    Raises:
        ValueError: No such file, another schema, or a record that cannot be true.
    """
    return [_parse(row, f"{path}, record {n}") for n, row in enumerate(read_rows(path, SCHEMA))]


def _parse(content: Any, where: str) -> PositionRecord:
    names = [field.name for field in fields(PositionRecord)]
    if not isinstance(content, dict) or sorted(content) != sorted(names):
        raise ValueError(f"{where} must have exactly the fields {', '.join(names)}")
    try:
        bands = tuple(Band(*band) for band in content["bands"])
        return PositionRecord(**{**content, "bands": bands})
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from None


def add_position_records(records: Iterable[PositionRecord], path: Path = BY_POSITION_FILE) -> None:
    """Adds records to a file; a repeated measurement replaces the one before.

    Several processes may do so at once.

    Raises:
        ValueError: The file is there and cannot be read; it is left as it is.
    """
    with lock(path.with_name(f".{path.name}.lock")):
        known = load_position_records(path) if path.is_file() else []
        merged = {record.key: record for record in [*known, *records]}
        write_records(path, SCHEMA, [_row(merged[key]) for key in sorted(merged)])


def _row(record: PositionRecord) -> dict[str, Any]:
    """A record as JSON; a band is [first, last, tokens, nll]."""
    return {**asdict(record), "bands": [list(astuple(band)) for band in record.bands]}
