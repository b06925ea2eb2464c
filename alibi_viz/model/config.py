"""The sizes of a model and its position method: all that is needed to build it."""

import math
from dataclasses import dataclass

from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SlopeRule, alibi_slopes
from alibi_viz.positions import METHODS, find_method
from alibi_viz.positions.base import PositionConfig


@dataclass(frozen=True)
class ModelConfig:
    """A decoder: sizes, position method, and the length that it is trained on."""

    position: str = "alibi"
    """Key of the position method, see `alibi_viz.positions.METHODS`."""
    n_layer: int = 4
    """Blocks of attention and MLP."""
    n_head: int = 8
    """Attention heads in every layer."""
    d_model: int = 128
    """Width of the residual stream; the MLP is four times as wide."""
    vocab_size: int = 1024
    """Tokens in the vocabulary."""
    train_length: int = 128
    """Tokens in a training window."""
    max_exponent: float = MAX_SLOPE_EXPONENT
    """ALiBi: the last head's slope is 2 to the power of minus this."""
    slope_rule: SlopeRule = "geometric"
    """ALiBi: "geometric" (the paper) or "interleaved" (the authors' code)."""
    learned_slopes: bool = False
    """ALiBi: whether slopes are trained."""
    free_heads: int = 0
    """ALiBi: how many of the heads, the last ones, get no bias."""
    sinusoid_amplitude: float = 1.0
    """Sinusoidal: of the sines, in standard deviations of an untrained token embedding."""

    def __post_init__(self) -> None:
        """Raises ValueError on sizes that cannot be built, with the value and what is allowed."""
        find_method(self.position)
        for name in ("n_layer", "n_head", "d_model", "vocab_size", "train_length"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if self.d_model % self.n_head:
            raise ValueError(
                f"d_model must be a multiple of n_head, got d_model {self.d_model} "
                f"and n_head {self.n_head}"
            )
        if self.position == "rope" and self.d_head % 2:
            raise ValueError(
                f"RoPE turns pairs of channels: d_head must be even, not {self.d_head}"
            )
        if self.position == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"sinusoids come in pairs: d_model must be even, not {self.d_model}")
        if self.learned_slopes and self.position != "alibi":
            raise ValueError(f"only ALiBi has slopes to learn, not {self.position!r}")
        if not (math.isfinite(self.sinusoid_amplitude) and self.sinusoid_amplitude > 0):
            raise ValueError(f"sinusoid_amplitude must be positive, got {self.sinusoid_amplitude}")
        alibi_slopes(self.n_head, self.max_exponent, self.slope_rule, free_heads=self.free_heads)
        if self.learned_slopes and self.free_heads:
            raise ValueError("a slope of 0 has no logarithm to learn: free_heads must be 0")

    @property
    def d_head(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.d_model // self.n_head

    @property
    def longest(self) -> int | None:
        """Most tokens that the model can read; None if its position method sets no limit."""
        return self.train_length if METHODS[self.position].ends_at_train_length else None

    @property
    def for_position(self) -> PositionConfig:
        """What the position method has to know of this model."""
        return PositionConfig(
            n_head=self.n_head,
            d_model=self.d_model,
            d_head=self.d_head,
            train_length=self.train_length,
            max_exponent=self.max_exponent,
            slope_rule=self.slope_rule,
            learned_slopes=self.learned_slopes,
            free_heads=self.free_heads,
            sinusoid_amplitude=self.sinusoid_amplitude,
        )
