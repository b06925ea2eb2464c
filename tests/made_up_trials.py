"""Trials of learning rates that were never made."""

from dataclasses import replace

from alibi_viz.training.trials import Trial

BASE = Trial(
    method="alibi",
    learning_rate=1e-3,
    position_learning_rate_factor=1.0,
    sinusoid_amplitude=1.0,
    seed=0,
    train_length=128,
    warmup_fraction=0.25,
    tokens=1000,
    validation_loss=4.0,
    validation_tokens=500,
    corpus="text",
    command="python",
)


def trial(method="alibi", rate=1e-3, loss=4.0, *, factor=1.0, amplitude=1.0, **changes):
    return replace(
        BASE,
        method=method,
        learning_rate=rate,
        validation_loss=loss,
        position_learning_rate_factor=factor,
        sinusoid_amplitude=amplitude,
        **changes,
    )
