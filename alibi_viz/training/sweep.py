"""The learning-rate sweep: which rate serves which position method, by validation loss."""

from dataclasses import replace
from typing import Any

from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import Run

# A trial is short; its warm-up has to be about as long in steps as that of a run of the whole
# budget, or high rates fail early in trials that serve best in runs. With 15 steps 4e-3 lost to
# 2e-3 in trials and won by 0.14 nats in runs. 150 of 600 steps; a run has 200 of 4,000.
WARMUP_FRACTION = 0.25
TRIAL_TOKENS = 1_228_800


def trial_config(
    base: TrainingConfig, method: str, learning_rate: float, factor: float
) -> TrainingConfig:
    """Returns the recipe of one trial: `base` with another method and other learning rates."""
    return replace(
        base,
        model=replace(base.model, position=method),
        learning_rate=learning_rate,
        position_learning_rate_factor=factor,
        warmup_fraction=WARMUP_FRACTION,
    )


def trial_name(config: TrainingConfig) -> str:
    """Returns the name of a trial's run folder."""
    return f"{config.name}-lr{config.learning_rate:g}-x{config.position_learning_rate_factor:g}"


def trial_record(
    config: TrainingConfig, run: Run, corpus: dict[str, Any], command: str
) -> dict[str, Any]:
    """Returns one line of the sweep's file."""
    return {
        "method": config.model.position,
        "learning_rate": config.learning_rate,
        "position_learning_rate_factor": config.position_learning_rate_factor,
        "seed": config.seed,
        "train_length": config.model.train_length,
        "warmup_fraction": config.warmup_fraction,
        "tokens": run.progress.step * config.tokens_per_step,
        "validation_loss": round(run.progress.validation_curve[-1][1], 5),
        "validation_tokens": config.validation_tokens,
        "corpus": corpus["fingerprint"],
        "command": command,
    }
