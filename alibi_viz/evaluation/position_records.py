"""What is recorded of a loss by position; torch-free, for whoever only reads."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from alibi_viz.paths import RESULTS
from alibi_viz.positions import find_method


class Band(NamedTuple):
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

    schema: ClassVar[int] = 2
    file: ClassVar[Path] = RESULTS / "by_position.json"

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
        # JSON has no named tuples: a band comes back as a list.
        object.__setattr__(self, "bands", tuple(Band(*band) for band in self.bands))
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
