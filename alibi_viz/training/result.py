"""What a finished run leaves: a checkpoint, its provenance and its curve."""

from pathlib import Path
from typing import Any

from alibi_viz.data.prepared import Prepared
from alibi_viz.files import write_json
from alibi_viz.model.checkpoint import save_checkpoint
from alibi_viz.model.provenance import command_line, versions
from alibi_viz.model.transformer import parameter_count
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import TrainingRun

CURVE_FILE = "curve.json"


def provenance(config: TrainingConfig, prepared: Prepared, run: TrainingRun) -> dict[str, Any]:
    """Returns what a checkpoint says of itself, beside its model's sizes."""
    curve = run.progress.validation_curve
    return {
        "data": prepared.corpus,
        "tokenizer": prepared.tokenizer,
        "training": {key: value for key, value in config.to_json().items() if key != "model"},
        "seed": config.seed,
        "steps": run.progress.step,
        "tokens": run.progress.step * config.tokens_per_step,
        "seconds": round(run.progress.seconds, 1),
        "parameters": parameter_count(run.model),
        "final_validation_loss": curve[-1][1] if curve else None,
        "versions": versions(),
        "command": command_line(),
    }


def save_result(folder: Path, config: TrainingConfig, prepared: Prepared, run: TrainingRun) -> None:
    """Writes the checkpoint of a run and, beside it, `curve.json` with both loss curves.

    The curves are lists of [training tokens seen, nats per token].

    Args:
        folder: The checkpoint's folder.
        config: The run's recipe.
        prepared: The run's data.
        run: The run.
    """
    per_step = config.tokens_per_step
    curves = {
        name: [[step * per_step, round(loss, 5)] for step, loss in curve]
        for name, curve in (
            ("train", run.progress.train_curve),
            ("validation", run.progress.validation_curve),
        )
    }
    write_json(folder / CURVE_FILE, curves, indent=None)
    save_checkpoint(folder, run.model, provenance(config, prepared, run))
