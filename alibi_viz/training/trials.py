"""The file of the learning-rate sweep, and which of its trials is the best; torch-free."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from alibi_viz.evaluation.store import load_records
from alibi_viz.paths import RESULTS

# Nats a token. Seeds of one recipe differ by more: such trials are as good as each other, and the
# lower rate is the safer one over a whole run.
TIE = 0.01


@dataclass(frozen=True)
class Trial:
    """A short run with rates to try."""

    schema: ClassVar[int] = 2
    file: ClassVar[Path] = RESULTS / "sweep.json"

    method: str
    """Key of the position method."""
    learning_rate: float
    """Peak, after the warm-up."""
    position_learning_rate_factor: float
    """Learning rate of the position method's own parameters, as a multiple of the rest's."""
    sinusoid_amplitude: float
    """Sinusoidal: of the sines, in standard deviations of an untrained token embedding."""
    seed: int
    """Of parameters and batches."""
    train_length: int
    """Tokens in a training window."""
    warmup_fraction: float
    """Share of the steps in which the learning rate climbs."""
    tokens: int
    """Training tokens in all."""
    validation_loss: float
    """After the last step, in nats per token."""
    validation_tokens: int
    """Tokens that it is measured on."""
    corpus: str
    """SHA-256 of the text."""
    command: str
    """What was typed."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two trials the same."""
        rates = (self.position_learning_rate_factor, self.sinusoid_amplitude, self.learning_rate)
        return (self.method, *rates, self.seed, self.train_length, self.tokens)


def is_tried(method: str, train_length: int = 128, *, path: Path | None = None) -> bool:
    """Returns whether there is a trial of a method; see `best_trial_of`."""
    return any(
        (trial.method, trial.train_length) == (method, train_length)
        for trial in load_records(Trial, path)
    )


def best_trial_of(method: str, train_length: int = 128, *, path: Path | None = None) -> Trial:
    """Returns a method's best trial.

    Args:
        method: Key of the position method.
        train_length: Of the trials to look at, in tokens.
        path: The sweep's JSON file; the committed one if left out.

    Raises:
        ValueError: No such file, or no trial of that method.
    """
    trials = [
        trial
        for trial in load_records(Trial, path)
        if (trial.method, trial.train_length) == (method, train_length)
    ]
    if not trials:
        raise ValueError(f"{path or Trial.file} has no trial of {method} at {train_length} tokens")
    return best_trial(trials)


def best_trial(trials: Sequence[Trial]) -> Trial:
    """Returns the trial whose settings to use.

    Trials of different budgets are no comparison: only the longest ones count. Of trials that tie
    with the best the one with the lowest rate is taken.

    Args:
        trials: Of one method, at least one.
    """
    longest = max(trial.tokens for trial in trials)
    whole = [trial for trial in trials if trial.tokens == longest]
    lowest = min(trial.validation_loss for trial in whole)
    return min(
        (trial for trial in whole if trial.validation_loss <= lowest + TIE),
        key=lambda trial: (trial.learning_rate, trial.validation_loss),
    )
