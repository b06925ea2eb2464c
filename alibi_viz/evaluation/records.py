"""What is recorded of a measurement: perplexities, and what each method costs; torch-free."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from alibi_viz.evaluation.score import PROTOCOLS, Score
from alibi_viz.paths import RESULTS
from alibi_viz.positions import METHODS, find_method

TRAIN_LENGTH = 128
"""Training length that all methods share in the committed experiment, in tokens."""


@dataclass(frozen=True)
class Record:
    """One measured point: one model, one window length, one protocol."""

    schema: ClassVar[int] = 1
    file: ClassVar[Path] = RESULTS / "extrapolation.json"

    method: str
    """Key of the position method."""
    seed: int
    """Of the training run."""
    train_length: int
    """Tokens in a training window."""
    eval_length: int
    """Tokens in an evaluation window."""
    protocol: str
    """"nonoverlapping" or "sliding_window"."""
    stride: int | None
    """Tokens scored in each sliding window; None for nonoverlapping."""
    tokens_scored: int
    """Number of targets."""
    nll: float
    """Mean loss, in nats per token."""
    perplexity: float
    """exp(nll)."""
    bits_per_byte: float
    """nll * tokens / (ln 2 * bytes)."""
    checkpoint: str
    """Where the model lies, from the project's folder."""
    corpus: str
    """Name, version and SHA-256 of the text."""
    command: str
    """What was typed to measure it."""

    def __post_init__(self) -> None:
        """Raises ValueError on a record that cannot be true; the message names the field."""
        find_method(self.method)
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}: {self.protocol!r}")
        if (self.stride is None) != (self.protocol == "nonoverlapping"):
            raise ValueError(f"{self.protocol} cannot have stride {self.stride}")
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
        stride = 0 if self.stride is None else self.stride
        point = (self.method, self.train_length, self.seed, self.protocol, stride)
        return (*point, self.eval_length, self.checkpoint, self.corpus, self.tokens_scored)


def describe_corpus(corpus: dict[str, Any]) -> str:
    """Returns a corpus in one line, e.g. "python-stdlib 3.11.7 sha256:95be..."."""
    named = " ".join(part for part in (corpus["name"], corpus["version"]) if part)
    return f"{named} sha256:{corpus['fingerprint']}"


def score_fields(score: Score) -> dict[str, Any]:
    """Returns the measured fields of a record, rounded to what float32 is worth."""
    nll = round(score.nll, 7)
    return {
        "tokens_scored": score.tokens_scored,
        "nll": nll,
        "perplexity": float(f"{math.exp(nll):.9g}"),
        "bits_per_byte": round(score.bits_per_byte, 7),
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
