"""The training loop: AdamW, a warm-up, a cosine, and a stop that loses nothing.

A run is a folder. `train` goes on where the folder's state ends, and the result is the same as
that of an unbroken run: batches depend on seed and step only, and nothing else is random.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from alibi_viz.data.batches import training_batch
from alibi_viz.data.prepared import Prepared
from alibi_viz.files import lock
from alibi_viz.model.device import autocast
from alibi_viz.model.loss import mean_window_nll, token_nll
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.state import Progress, fresh_optimizer, load_state, save_state
from alibi_viz.training.team import Team

# Steps between two points of the training curve, and between two reports.
REPORT_EVERY = 20
# Seconds between two saved states: what a power cut can cost.
SAVE_EVERY = 60.0


@dataclass(frozen=True)
class Report:
    """One line of progress."""

    step: int
    """Steps done."""
    steps: int
    """Steps in all."""
    tokens: int
    """Training tokens seen."""
    loss: float
    """Mean training loss since the last report, in nats per token."""
    validation_loss: float | None
    """Newest validation loss, in nats per token; None before the first."""
    tokens_per_second: float
    """Speed since this process began."""
    seconds_left: float
    """Time to the end at that speed."""

    def to_json(self) -> dict[str, Any]:
        """Returns the report as JSON can hold it."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingRun:
    """A run that has ended or was stopped."""

    model: Transformer
    """The model as it stands, on its device."""
    progress: Progress
    """Steps, time and curves."""
    is_finished: bool
    """Whether the budget is used up."""


def take_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    config: TrainingConfig,
    inputs: Tensor,
    targets: Tensor,
) -> Tensor:
    """Changes the parameters by one batch, and returns its mean loss, in nats per token.

    Args:
        model: A `Transformer`, or what wraps one.
        optimizer: Of its parameters.
        config: The recipe.
        inputs: (batch, length) token ids.
        targets: (batch, length), the token that follows each input.
    """
    with autocast(inputs.device):
        loss = token_nll(model, inputs, targets).mean()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), config.gradient_clip)
    optimizer.step()
    return loss


def report_of(
    progress: Progress, config: TrainingConfig, first_step: int, started: float
) -> Report:
    """Returns where a run stands, as it is told.

    Args:
        progress: Of the run; its training curve has a point.
        config: The recipe.
        first_step: Steps that were done when this process began.
        started: When that was, by `time.perf_counter`.
    """
    done = (progress.step - first_step) * config.tokens_per_step
    speed = done / max(1e-9, time.perf_counter() - started)
    left = (config.steps - progress.step) * config.tokens_per_step
    return Report(
        step=progress.step,
        steps=config.steps,
        tokens=progress.step * config.tokens_per_step,
        loss=progress.train_curve[-1][1],
        validation_loss=progress.validation_curve[-1][1] if progress.validation_curve else None,
        tokens_per_second=speed,
        seconds_left=left / speed,
    )


@contextmanager
def sole_use(folder: Path) -> Iterator[None]:
    """Keeps other processes from training in a run's folder while the block runs.

    Raises:
        ValueError: Another process is training there.
    """
    try:
        with lock(folder / ".lock", wait=False):
            yield
    except BlockingIOError:
        raise ValueError(f"another process is training in {folder}") from None


class _Session:
    """One process at work on one run."""

    def __init__(
        self,
        config: TrainingConfig,
        prepared: Prepared,
        folder: Path,
        device: torch.device,
        team: Team,
    ) -> None:
        self.team = team
        self.config, self.prepared, self.folder, self.device = config, prepared, folder, device
        self.about = {
            "recipe": config.to_json(),
            "corpus": prepared.corpus["fingerprint"],
            "tokenizer": prepared.tokenizer["fingerprint"],
        }
        self.model = Transformer(config.model)
        initialise(self.model, config.seed)
        self.model.to(device)
        self.optimizer = fresh_optimizer(self.model, config)
        self.progress = load_state(folder, self.model, self.optimizer, self.about)
        self.shared_model = team.wrap(self.model)
        count = min(len(prepared.validation), config.validation_tokens + 1)
        self.validation = torch.from_numpy(prepared.validation[:count].astype("int64")).to(device)

    def save(self) -> None:
        if self.team.is_lead:
            save_state(self.folder, self.model, self.optimizer, self.progress, self.about)

    def batch(self, step: int) -> tuple[Tensor, Tensor]:
        batch = training_batch(
            self.prepared.train,
            seed=self.config.seed,
            step=step,
            batch_size=self.config.batch_size,
            length=self.config.model.train_length,
        )
        inputs, targets = (self.team.share(torch.from_numpy(part)) for part in batch)
        return inputs.to(self.device), targets.to(self.device)

    def step(self) -> None:
        """Takes one step of the optimizer and counts it."""
        started = time.perf_counter()
        step = self.progress.step
        inputs, targets = self.batch(step)
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate_at(step) * group["factor"]
        loss = take_step(self.shared_model, self.optimizer, self.config, inputs, targets)
        self.progress.interval_losses.append(self.team.mean(loss).item())
        self.progress.step += 1
        self.progress.seconds += time.perf_counter() - started

    def extend_curves(self) -> bool:
        """Adds the points that are due after this step; returns whether there was a report."""
        progress, steps = self.progress, self.config.steps
        every = max(1, steps // self.config.validation_points)
        is_last = progress.step == steps
        is_due = (progress.step % every == 0 and steps - progress.step >= every) or is_last
        if is_due and self.team.is_lead:
            with autocast(self.device):
                nll = mean_window_nll(self.model, self.validation, self.config.model.train_length)
            progress.validation_curve.append((progress.step, nll))
        return progress.tell(REPORT_EVERY, steps) and self.team.is_lead


def train(
    config: TrainingConfig,
    prepared: Prepared,
    folder: Path,
    *,
    device: torch.device,
    on_report: Callable[[Report], None] = lambda report: None,
    should_stop: Callable[[], bool] = lambda: False,
    team: Team = Team(),  # noqa: B008  frozen
) -> TrainingRun:
    """Trains until the budget is used up or `should_stop` says so, and returns where it stands.

    Args:
        config: The recipe.
        prepared: The corpus as token ids.
        folder: The run's folder, made if missing; an interrupted run in it goes on.
        device: Where to compute.
        on_report: Called every few steps.
        should_stop: Asked after every step; the state is saved before `train` returns.
        team: The processes that share the run; all must reach the folder.

    Raises:
        ValueError: The folder's state is damaged or of another recipe, or another process trains
            in it, the corpus has another vocabulary or is shorter than a window, or the batch
            cannot be shared evenly.
    """
    team.check(config.batch_size)
    if len(prepared.bytes_per_token) != config.model.vocab_size:
        raise ValueError(
            f"the tokenizer has {len(prepared.bytes_per_token)} tokens, "
            f"the model {config.model.vocab_size}"
        )
    if len(prepared.validation) < config.model.train_length + 1:
        raise ValueError(
            f"the validation part has {len(prepared.validation)} tokens: "
            f"less than one window of {config.model.train_length}"
        )
    with sole_use(folder) if team.is_lead else nullcontext():
        session = _Session(config, prepared, folder, device, team)
        return _train_locked(session, on_report, should_stop)


def _train_locked(
    session: _Session, on_report: Callable[[Report], None], should_stop: Callable[[], bool]
) -> TrainingRun:
    progress, steps = session.progress, session.config.steps
    first_step, started = progress.step, time.perf_counter()
    saved = started
    stopped = False
    while progress.step < steps and not stopped:
        session.step()
        if session.extend_curves():
            on_report(report_of(progress, session.config, first_step, started))
        stopped = session.team.any(should_stop(), session.device)
        if stopped or progress.step == steps or time.perf_counter() - saved > SAVE_EVERY:
            session.save()
            saved = time.perf_counter()
    return TrainingRun(session.model, progress, progress.step == steps)
