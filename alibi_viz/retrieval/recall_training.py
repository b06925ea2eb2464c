"""The recipe of the recall models: one layer, 400 steps, under a minute on one core.

The initial matrices and embeddings are four times as large as the project's usual ones: with those
nothing is learned within 300 steps, and a loss that stays at chance is no result of a method.
"""

from collections.abc import Callable

import torch
from torch.nn.functional import cross_entropy

from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.retrieval.needles import TRAIN_LENGTH, VOCAB_SIZE, training_windows
from alibi_viz.retrieval.recall import question_logits
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.state import fresh_optimizer

STEPS = 400
WINDOWS = 32
INITIAL_FACTOR = 4.0
"""How much larger than usual the initial matrices and embeddings are, sinusoids included."""


def recall_config(position: str, **settings: object) -> ModelConfig:
    """Returns the sizes of a recall model.

    Args:
        position: Key of the position method.
        **settings: Of the method, by the names that they have in `ModelConfig`.
    """
    return ModelConfig(
        position=position,
        n_layer=1,
        n_head=8,
        d_model=64,
        vocab_size=VOCAB_SIZE,
        train_length=TRAIN_LENGTH,
        **settings,  # type: ignore[arg-type]
    )


def recall_recipe(config: ModelConfig, seed: int, steps: int = STEPS) -> TrainingConfig:
    """Returns everything that decides the result of a run, beside `INITIAL_FACTOR`."""
    return TrainingConfig(
        model=config,
        seed=seed,
        tokens=steps * WINDOWS * config.train_length,
        batch_size=WINDOWS,
        learning_rate=3e-3,
        position_learning_rate_factor=10.0,
        warmup_fraction=50 / STEPS,
        weight_decay=0.01,
        beta2=0.98,
    )


def train_recall(
    recipe: TrainingConfig, on_step: Callable[[int, float], None] = lambda step, loss: None
) -> Transformer:
    """Returns a model that was trained to answer questions about needles.

    Args:
        recipe: What `recall_recipe` returns.
        on_step: Called with the number of steps done and the loss of the last one, in nats per
            question.
    """
    model = Transformer(recipe.model)
    initialise(model, recipe.seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim >= 2 and not name.startswith("position."):
                parameter.mul_(INITIAL_FACTOR)
    optimizer = fresh_optimizer(model, recipe)
    for step in range(recipe.steps):
        windows = training_windows(recipe.seed, step, count=recipe.batch_size)
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate_at(step) * group["factor"]
        logits = question_logits(model, windows).flatten(0, 1)
        loss = cross_entropy(logits, torch.from_numpy(windows.answers).flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.gradient_clip)
        optimizer.step()
        on_step(step + 1, loss.item())
    return model.eval()
