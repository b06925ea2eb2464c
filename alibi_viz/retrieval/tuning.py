"""A short training on longer windows, with a stretched model or without stretching."""

from dataclasses import replace

import torch

from alibi_viz.data.batches import training_batch
from alibi_viz.data.tokenizer import Tokens
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer
from alibi_viz.positions.stretch import Stretching
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import take_step
from alibi_viz.training.state import fresh_optimizer

STEPS = 200
WINDOWS = 4


def tuning_recipe(
    model: Transformer, tuned_length: int, *, seed: int, position_factor: float
) -> TrainingConfig:
    """Returns the recipe of a short training: 200 steps, 20 of them warm-up, with a cosine.

    Args:
        model: As it was trained.
        tuned_length: Tokens in a window; every length gets as many tokens in all.
        seed: Of the order of the windows.
        position_factor: Learning rate of the position method's own parameters, as a multiple.
    """
    windows = max(1, WINDOWS * 512 // tuned_length)
    return TrainingConfig(
        model=replace(model.config, train_length=tuned_length),
        seed=seed,
        tokens=STEPS * windows * tuned_length,
        batch_size=windows,
        learning_rate=1e-3,
        position_learning_rate_factor=position_factor,
        warmup_fraction=0.1,
    )


def tuned(
    model: Transformer, stretching: Stretching, recipe: TrainingConfig, tokens: Tokens
) -> Transformer:
    """Returns the stretched model after a short training; `model` is trained with it.

    Args:
        model: As it was trained; its weights change.
        stretching: How windows are read, in this training and after it.
        recipe: What `tuning_recipe` returns.
        tokens: (token,) ids of the training text.
    """
    twin = stretched(model, stretching).train()
    optimizer = fresh_optimizer(twin, recipe)
    device = model.embedding.weight.device
    for step in range(recipe.steps):
        inputs, targets = (
            torch.from_numpy(part).to(device)
            for part in training_batch(
                tokens,
                seed=recipe.seed,
                step=step,
                batch_size=recipe.batch_size,
                length=recipe.model.train_length,
            )
        )
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate_at(step) * group["factor"]
        take_step(twin, optimizer, recipe, inputs, targets)
    return twin.eval()
