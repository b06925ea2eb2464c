"""The learning-rate sweep: which rate serves which position method, by validation loss."""

from dataclasses import replace
from typing import Any

from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import TrainingRun
from alibi_viz.training.trials import Trial

# A trial is short; its warm-up has to be about as long in steps as that of a run of the whole
# budget, or high rates fail early in trials that serve best in runs. With 15 steps 4e-3 lost to
# 2e-3 in trials and won by 0.14 nats in runs. 150 of 600 steps; a run has 200 of 4,000.
WARMUP_FRACTION = 0.25
TRIAL_TOKENS = 1_228_800


def trial_config(
    base: TrainingConfig, method: str, learning_rate: float, factor: float, amplitude: float = 1.0
) -> TrainingConfig:
    """Returns the recipe of one trial: `base` with another method, other rates and amplitude."""
    return replace(
        base,
        model=replace(base.model, position=method, sinusoid_amplitude=amplitude),
        learning_rate=learning_rate,
        position_learning_rate_factor=factor,
        warmup_fraction=WARMUP_FRACTION,
    )


def trial_name(config: TrainingConfig) -> str:
    """Returns the name of a trial's run folder."""
    rates = f"lr{config.learning_rate:g}-x{config.position_learning_rate_factor:g}"
    return f"{config.name_on()}-{rates}-a{config.model.sinusoid_amplitude:g}"


def finished_trial(
    config: TrainingConfig, run: TrainingRun, corpus: dict[str, Any], command: str
) -> Trial:
    """Returns what a trial showed.

    Args:
        config: Its recipe.
        run: Finished.
        corpus: As `prepare_corpus` describes it.
        command: What was typed.
    """
    return Trial(
        method=config.model.position,
        learning_rate=config.learning_rate,
        position_learning_rate_factor=config.position_learning_rate_factor,
        sinusoid_amplitude=config.model.sinusoid_amplitude,
        seed=config.seed,
        train_length=config.model.train_length,
        warmup_fraction=config.warmup_fraction,
        tokens=run.progress.step * config.tokens_per_step,
        validation_loss=round(run.progress.validation_curve[-1][1], 5),
        validation_tokens=config.validation_tokens,
        corpus=corpus["fingerprint"],
        command=command,
    )
