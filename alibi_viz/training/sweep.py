"""The learning-rate sweep: which rate serves which position method, by validation loss."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from alibi_viz.files import lock, read_json, write_json
from alibi_viz.paths import RESULTS
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import Run

SCHEMA = 1
SWEEP_FILE = RESULTS / "sweep.json"

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
    """Returns the learning rate and the position's factor with the lowest validation loss.

    Trials of different budgets are no comparison: only the longest ones of the method count.

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
    longest = max(int(trial["tokens"]) for trial in trials)
    best = min(
        (trial for trial in trials if trial["tokens"] == longest),
        key=lambda trial: float(trial["validation_loss"]),
    )
    return best["learning_rate"], best["position_learning_rate_factor"]
