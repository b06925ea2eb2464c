"""The file of the learning-rate sweep, and which of its trials is the best; torch-free."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alibi_viz.files import lock, read_json, write_json
from alibi_viz.paths import RESULTS

SCHEMA = 1
SWEEP_FILE = RESULTS / "sweep.json"

# Nats a token. Seeds of one recipe differ by more: such trials are as good as each other, and the
# lower rate is the safer one over a whole run.
TIE = 0.01


def add_trial(path: Path, record: dict[str, Any]) -> None:
    """Adds a trial to the sweep's file, replacing one with the same settings; safe for two writers.

    Args:
        path: The sweep's JSON file, made if missing.
        record: What `trial_record` returns.
    """
    settings = (
        "method",
        "learning_rate",
        "position_learning_rate_factor",
        "seed",
        "train_length",
        "tokens",
    )

    def key(trial: dict[str, Any]) -> list[Any]:
        return [trial[name] for name in settings]

    with lock(path.with_name(f".{path.name}.lock")):
        trials = read_json(path)["trials"] if path.is_file() else []
        trials = [trial for trial in trials if key(trial) != key(record)] + [record]
        write_json(path, {"schema": SCHEMA, "trials": sorted(trials, key=key)})


def best_rates(path: Path, method: str, train_length: int = 128) -> tuple[float, float]:
    """Returns the learning rate and the position's factor of a method's best trial.

    Args:
        path: The sweep's JSON file.
        method: Key of the position method.
        train_length: Of the trials to look at, in tokens.

    Raises:
        ValueError: No such file, or no trial of that method.
    """
    trials = [
        trial
        for trial in read_json(path)["trials"]
        if trial["method"] == method and trial["train_length"] == train_length
    ]
    if not trials:
        raise ValueError(f"{path} has no trial of {method} at {train_length} tokens")
    best = best_trial(trials)
    return best["learning_rate"], best["position_learning_rate_factor"]


def best_trial(trials: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the trial whose rates to use.

    Trials of different budgets are no comparison: only the longest ones count. Of trials that tie
    with the best the one with the lowest rate is taken.

    Args:
        trials: Of one method, at least one.
    """
    longest = max(int(trial["tokens"]) for trial in trials)
    whole = [trial for trial in trials if trial["tokens"] == longest]
    lowest = min(float(trial["validation_loss"]) for trial in whole)
    return min(
        (trial for trial in whole if trial["validation_loss"] <= lowest + TIE),
        key=lambda trial: (trial["learning_rate"], trial["validation_loss"]),
    )
