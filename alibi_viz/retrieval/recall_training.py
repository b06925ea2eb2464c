"""The recipe of the recall models: one layer, 400 steps, under a minute on one core.

The initial matrices and embeddings are four times as large as the project's usual ones: with those
nothing is learned within 300 steps, and a loss that stays at chance is no result of a method.
"""

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.retrieval.needles import TRAIN_LENGTH, VOCAB_SIZE, training_windows
from alibi_viz.retrieval.recall import question_logits
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import REPORT_EVERY, Report, TrainingRun, report_of, sole_use
from alibi_viz.training.state import Progress, fresh_optimizer, load_state, save_state

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
    recipe: TrainingConfig,
    folder: Path | None = None,
    *,
    on_report: Callable[[Report], None] = lambda report: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> TrainingRun:
    """Trains a model to answer questions about needles, until it is done or asked to stop.

    Losses are in nats per question.

    Args:
        recipe: What `recall_recipe` returns.
        folder: Of the run, where its state is kept; an interrupted run in it goes on. Nothing is
            kept if left out.
        on_report: Called every few steps.
        should_stop: Asked after every step.

    Raises:
        ValueError: The folder's state is damaged or of another recipe, or another process trains
            in it.
    """
    with sole_use(folder) if folder else nullcontext():
        return _train_alone(recipe, folder, on_report, should_stop)


def _train_alone(
    recipe: TrainingConfig,
    folder: Path | None,
    on_report: Callable[[Report], None],
    should_stop: Callable[[], bool],
) -> TrainingRun:
    model = _untrained(recipe)
    optimizer = fresh_optimizer(model, recipe)
    about = {"recipe": recipe.to_json(), "task": "recall"}
    progress = load_state(folder, model, optimizer, about) if folder else Progress()
    first_step, started = progress.step, time.perf_counter()
    is_stopped = False
    while progress.step < recipe.steps and not is_stopped:
        progress.interval_losses.append(_take_step(model, optimizer, recipe, progress.step))
        progress.step += 1
        if progress.tell(REPORT_EVERY, recipe.steps):
            on_report(report_of(progress, recipe, first_step, started))
        is_stopped = should_stop()
    progress.seconds += time.perf_counter() - started
    if folder and progress.step > first_step:
        save_state(folder, model, optimizer, progress, about)
    return TrainingRun(model.eval(), progress, progress.step == recipe.steps)


def _untrained(recipe: TrainingConfig) -> Transformer:
    model = Transformer(recipe.model)
    initialise(model, recipe.seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim >= 2 and not name.startswith("position."):
                parameter.mul_(INITIAL_FACTOR)
    return model


def _take_step(
    model: Transformer, optimizer: torch.optim.Optimizer, recipe: TrainingConfig, step: int
) -> float:
    """Changes the parameters by one batch, and returns its mean loss, in nats per question."""
    windows = training_windows(recipe.seed, step, count=recipe.batch_size)
    for group in optimizer.param_groups:
        group["lr"] = recipe.learning_rate_at(step) * group["factor"]
    logits = question_logits(model, windows).flatten(0, 1)
    loss = cross_entropy(logits, torch.from_numpy(windows.answers).flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.gradient_clip)
    optimizer.step()
    return loss.item()
