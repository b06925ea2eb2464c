"""The recipe of a run: everything that decides its result, and nothing else."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from alibi_viz.model.config import ModelConfig
from alibi_viz.paths import FIRST_TEXT, run_name


@dataclass(frozen=True)
class TrainingConfig:
    """A run. Two runs with the same recipe, corpus and thread count give the same model."""

    model: ModelConfig = field(default_factory=ModelConfig)
    """What is trained."""
    seed: int = 0
    """Of the initial parameters and of the order of batches."""
    tokens: int = 8_192_000
    """Budget: training tokens seen, rounded down to whole batches."""
    batch_size: int = 16
    """Windows in a batch."""
    learning_rate: float = 2e-3
    """Peak, after the warm-up."""
    position_learning_rate_factor: float = 1.0
    """Learning rate of the position method's own parameters, as a multiple of the rest's."""
    warmup_fraction: float = 0.05
    """Share of the steps in which the learning rate climbs from 0; a cosine to 0 follows."""
    weight_decay: float = 0.1
    """AdamW's, on the matrices of attention and MLP and on the token embedding."""
    beta1: float = 0.9
    """AdamW's decay of the gradient's mean."""
    beta2: float = 0.95
    """AdamW's decay of the gradient's square."""
    gradient_clip: float = 1.0
    """Largest norm of the gradient."""
    validation_tokens: int = 16_384
    """Tokens scored at every point of the validation curve."""
    validation_points: int = 16
    """Points of the validation curve, evenly spaced, the last at the end."""

    def __post_init__(self) -> None:
        """Raises ValueError on a recipe that cannot be run, with the value and what is allowed."""
        for name in ("tokens", "batch_size", "validation_tokens", "validation_points"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("learning_rate", "position_learning_rate_factor", "gradient_clip"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be positive, got {value}")
        if self.seed < 0:
            raise ValueError(f"seed must be at least 0, got {self.seed}")
        if self.steps < 1:
            raise ValueError(
                f"tokens must fill one batch of {self.tokens_per_step}, got {self.tokens}"
            )

    @property
    def tokens_per_step(self) -> int:
        """Tokens in a batch."""
        return self.batch_size * self.model.train_length

    @property
    def steps(self) -> int:
        """Optimizer steps in the budget."""
        return self.tokens // self.tokens_per_step

    def name_on(self, text: str = FIRST_TEXT) -> str:
        """Returns the run's name on a named text, e.g. "alibi-L128-s0"."""
        model = self.model
        return run_name(
            model.position, model.train_length, self.seed, text=text, variant=model.variant
        )

    def learning_rate_at(self, step: int) -> float:
        """Returns the learning rate of a step, counted from 0: a linear climb, then a cosine."""
        warmup = max(1, round(self.warmup_fraction * self.steps))
        if step < warmup:
            return self.learning_rate * (step + 1) / warmup
        progress = (step - warmup) / max(1, self.steps - warmup)
        return self.learning_rate * 0.5 * (1 + math.cos(math.pi * progress))

    def to_json(self) -> dict[str, Any]:
        """Returns the recipe as JSON can hold it."""
        return asdict(self)
