"""What is recorded of a measurement: perplexities, and what each method costs; torch-free."""

import base64
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from alibi_viz.evaluation.score import PROTOCOLS, Score
from alibi_viz.paths import RESULTS
from alibi_viz.positions import METHODS, find_method

TRAIN_LENGTH = 128
"""Training length that all methods share in the committed experiment, in tokens."""


@dataclass(frozen=True)
class Record:
    """One measured point: one model, one window length, one protocol."""

    schema: ClassVar[int] = 2
    file: ClassVar[Path] = RESULTS / "perplexity.json"

    method: str
    """Key of the position method."""
    variant: str
    """What the model has otherwise than the bundled ones, as `ModelConfig.variant`; "" nothing."""
    seed: int
    """Of the training run."""
    train_length: int
    """Tokens in a training window."""
    text: str
    """Name of the text that is scored; "" for a text file."""
    sample: int | None
    """About how many targets were asked for, evenly spread over all files; None for all."""
    eval_length: int
    """Tokens in an evaluation window."""
    protocol: str
    """"nonoverlapping" or "sliding_window"."""
    stride: int | None
    """Tokens that a sliding window moves by; None for nonoverlapping."""
    tokens_scored: int
    """Number of targets."""
    nll: float
    """Mean loss, in nats per token."""
    perplexity: float
    """exp(nll)."""
    bits_per_byte: float
    """nll * tokens / (ln 2 * bytes)."""
    blocks: str
    """Mean loss of each block, see `block_losses`."""
    bands: tuple[tuple[int, int, int, float], ...]
    """Nonoverlapping: loss by context, each a `by_position.Band`."""
    checkpoint: str
    """Where the model lies, from the project's folder."""
    corpus: str
    """Name, version and SHA-256 of the text."""
    targets: str
    """`Stretch.fingerprint`: which tokens were scored."""
    command: str
    """What was typed to measure it."""

    def __post_init__(self) -> None:
        """Raises ValueError on a record that cannot be true; the message names the field."""
        find_method(self.method)
        # JSON has lists alone, and a record can be looked up.
        object.__setattr__(self, "bands", tuple(tuple(band) for band in self.bands))
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}: {self.protocol!r}")
        if (self.stride is None) != (self.protocol == "nonoverlapping"):
            raise ValueError(f"{self.protocol} cannot have stride {self.stride}")
        if self.bands and self.protocol != "nonoverlapping":
            raise ValueError(f"{self.protocol} has no bands of context")
        for name in ("train_length", "eval_length", "tokens_scored"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if not math.isfinite(self.nll):
            raise ValueError(f"nll must be finite, got {self.nll}")
        if not math.isclose(self.perplexity, math.exp(self.nll), rel_tol=1e-6):
            raise ValueError(f"perplexity {self.perplexity} is not exp(nll) of nll {self.nll}")

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement."""
        return measurement_key(vars(self))

    @property
    def block_losses(self) -> NDArray[np.float32]:
        """(block,) mean loss of each block of the stretch, in nats per token."""
        return np.frombuffer(base64.b64decode(self.blocks), "<f4").astype(np.float32)


def measurement_key(fields: dict[str, Any]) -> tuple[Any, ...]:
    """Returns what makes two records the same measurement, from their fields."""
    names = "text method variant train_length seed checkpoint protocol stride eval_length targets"
    return tuple(fields[name] or 0 if name == "stride" else fields[name] for name in names.split())


def describe_corpus(corpus: dict[str, Any]) -> str:
    """Returns a corpus in one line, e.g. "python-stdlib 3.11.7 sha256:95be..."."""
    named = " ".join(part for part in (corpus["name"], corpus["version"]) if part)
    return f"{named} sha256:{corpus['fingerprint']}"


def score_fields(score: Score, block_means: NDArray[np.float64]) -> dict[str, Any]:
    """Returns the measured fields of a record, rounded to what float32 is worth.

    Args:
        score: Of all targets.
        block_means: (block,) mean loss of each block, in nats per token.
    """
    nll = round(score.nll, 7)
    return {
        "tokens_scored": score.tokens_scored,
        "nll": nll,
        "perplexity": float(f"{math.exp(nll):.9g}"),
        "bits_per_byte": round(score.bits_per_byte, 7),
        "blocks": base64.b64encode(block_means.astype("<f4").tobytes()).decode(),
    }


@dataclass(frozen=True)
class CostRecord:
    """How fast one method does one kind of work, as `python -m benchmarks.cost` measured it."""

    schema: ClassVar[int] = 2
    file: ClassVar[Path] = RESULTS / "cost.json"

    method: str
    """Key of the position method."""
    work: str
    """"training" or "evaluation"."""
    window: int
    """Tokens in a window."""
    tokens_per_second: int
    """Speed of the fastest round."""
    speed_over_sinusoidal: float
    """That speed as a multiple of the sinusoidal model's."""
    megabytes: float
    """Peak memory on top of the model's."""
    parameters: int
    """Of the position method's own."""
    machine: str
    """Processor, threads and version of torch."""
    command: str
    """What was typed to measure it."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement: training first, then by window."""
        return self.work != "training", self.window, list(METHODS).index(self.method)
