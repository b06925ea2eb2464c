"""What an evaluation gives, and by which protocol; no torch, for whoever only reads results."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

Protocol = Literal["nonoverlapping", "sliding_window"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)


@dataclass(frozen=True)
class Score:
    """How well a model predicts a stretch."""

    nll: float
    """Mean loss, in nats per token."""
    tokens_scored: int
    """Number of targets."""
    bytes_scored: int
    """Bytes of text that the targets stand for."""

    @property
    def perplexity(self) -> float:
        """exp(nll)."""
        return math.exp(self.nll)

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte = nats / (ln 2 * bytes)."""
        return self.nll * self.tokens_scored / (math.log(2) * self.bytes_scored)
