"""Loss by how much context a token has: the early-token curse itself, and where methods break.

The token at position p of a window is predicted from p + 1 tokens. A causal model does not see what
follows, so the first positions of a long window are those of a short one: they are measured in many
short windows, the later ones in the few long windows that the same text fills.
"""

from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from alibi_viz.evaluation.perplexity import Stretch, nll_by_position
from alibi_viz.evaluation.records import read_rows, write_records
from alibi_viz.files import lock
from alibi_viz.model.transformer import Transformer
from alibi_viz.paths import RESULTS
from alibi_viz.positions import find_method

SCHEMA = 1
BY_POSITION_FILE = RESULTS / "by_position.json"

# Windows that share the work: each measures the positions that the one before does not hold.
WINDOWS = (128, 1024, 4096)
BANDS_PER_OCTAVE = 2


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
        return (*model, self.window, self.corpus)


def bands_up_to(longest: int) -> list[tuple[int, int]]:
    """Returns the first and last context of each band, two an octave.

    >>> bands_up_to(16)
    [(1, 1), (2, 2), (3, 3), (4, 5), (6, 7), (8, 10), (11, 16)]

    Args:
        longest: Most tokens of context; the last band ends there.
    """
    octaves = int(np.log2(longest))
    starts = np.round(2 ** (np.arange(BANDS_PER_OCTAVE * octaves) / BANDS_PER_OCTAVE))
    firsts = sorted({int(start) for start in starts} | {1})
    lasts = [*(first - 1 for first in firsts[1:]), longest]
    return list(zip(firsts, lasts, strict=True))


def measure_by_position(
    model: Transformer, stretch: Stretch, windows: tuple[int, ...] = WINDOWS
) -> tuple[Band, ...]:
    """Returns the mean loss by context.

    Args:
        model: Any decoder of this package.
        stretch: The text and its targets.
        windows: Tokens in the windows, rising; learned positions take those that they have.

    Raises:
        ValueError: The text does not fill the longest window, or the model can read none.
    """
    if model.config.position == "learned":
        longest = model.config.train_length
        windows = tuple(sorted({min(window, longest) for window in windows}))
    measured = [(window, nll_by_position(model, stretch, window)) for window in windows]
    bands = []
    for first, last in bands_up_to(windows[-1]):
        window, nll = next((w, nll) for w, nll in measured if w >= last)
        count = stretch.count // window * (last - first + 1)
        bands.append(Band(first, last, count, round(float(nll[first - 1 : last].mean()), 6)))
    return tuple(bands)


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
