"""How far a job is, read from what its commands write while they run."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import known_records
from alibi_viz.files import read_json
from alibi_viz.jobs.cost import RECALL_ASKED, RECALL_STEP
from alibi_viz.jobs.evaluate_request import EVALUATION_PROGRESS
from alibi_viz.jobs.recall_request import RECALL_RECORDS
from alibi_viz.jobs.train_request import RUN, own_model_folder
from alibi_viz.retrieval.plan import RECALL_LENGTHS
from alibi_viz.retrieval.records import RecallRecord

Curve = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class TrainingProgress:
    """Where a training run stands. A curve is (training tokens seen, nats per token), rising."""

    fraction: float = 0.0
    """Share of the steps that are done, 0 to 1."""
    tokens: int = 0
    """Training tokens seen."""
    tokens_per_second: float | None = None
    """Speed; None before the first report."""
    seconds_left: float | None = None
    """Time to the end at that speed; None before the first report."""
    train_curve: Curve = ()
    """Mean training loss since the point before."""
    validation_curve: Curve = ()
    """Loss on text that is not trained on."""


def training_progress(folder: Path) -> TrainingProgress:
    """Returns where the training run of a job stands.

    Args:
        folder: The job's folder.
    """
    reports: list[dict[str, Any]] = []
    for report in _lines(folder / RUN / "progress.jsonl"):
        # A run that was killed goes on from its last saved state, and reports some steps again.
        while reports and reports[-1]["step"] >= report["step"]:
            reports.pop()
        reports.append(report)
    if not reports:
        return TrainingProgress()
    newest = reports[-1]
    train, validation = _curves(folder, reports)
    return TrainingProgress(
        fraction=newest["step"] / newest["steps"],
        tokens=newest["tokens"],
        tokens_per_second=newest["tokens_per_second"],
        seconds_left=newest["seconds_left"],
        train_curve=train,
        validation_curve=validation,
    )


@dataclass(frozen=True)
class EvaluationProgress:
    """Where an evaluation stands."""

    fraction: float
    """Share of the work that is done, 0 to 1."""
    seconds_left: float | None
    """Time to the end at the speed so far; None before there is one."""
    measuring: str
    """What is being measured now; "" before the first report."""


def evaluation_progress(folder: Path, elapsed: float) -> EvaluationProgress:
    """Returns where the evaluation of a job stands.

    Args:
        folder: The job's folder.
        elapsed: Seconds since its worker began.
    """
    attempt: list[dict[str, Any]] = []
    for report in _lines(folder / EVALUATION_PROGRESS):
        if attempt and report["fraction"] < attempt[-1]["fraction"]:
            attempt.clear()
        attempt.append(report)
    if not attempt:
        return EvaluationProgress(0.0, None, "")
    first, newest = attempt[0]["fraction"], attempt[-1]["fraction"]
    speed = (newest - first) / elapsed if elapsed > 0 else 0.0
    left = (1 - newest) / speed if speed > 0 else None
    return EvaluationProgress(newest, left, attempt[-1]["point"])


def recall_progress(folder: Path, steps: int) -> EvaluationProgress:
    """Returns where a recall model stands: training first, then the questions at every length.

    Args:
        folder: The job's folder.
        steps: Of training.
    """
    training = training_progress(folder)
    if not training.train_curve:
        return EvaluationProgress(0.0, None, "")
    tokens = sum(record.eval_length for record in recall_points(folder))
    # The cost of an answer grows with the window.
    asked = RECALL_ASKED * tokens / sum(RECALL_LENGTHS)
    trained = RECALL_STEP * steps * training.fraction
    whole = RECALL_STEP * steps + RECALL_ASKED
    doing = (
        f"loss {training.train_curve[-1][1]:.2f} nats per question"
        if training.fraction < 1
        else "asking it in ever longer windows"
    )
    speed = training.tokens_per_second
    step_seconds = training.tokens / (steps * training.fraction) / speed if speed else 0.0
    left = (whole - trained - asked) * step_seconds / RECALL_STEP
    return EvaluationProgress((trained + asked) / whole, left if speed else None, doing)


def recall_points(folder: Path) -> tuple[RecallRecord, ...]:
    """Returns what a recall job has measured so far, by length; none where there is no file.

    Args:
        folder: The job's folder.

    Raises:
        ValueError: The file is damaged.
    """
    records = known_records(RecallRecord, folder / RECALL_RECORDS)
    return tuple(sorted(records, key=lambda record: record.eval_length))


def measured_points(path: Path) -> tuple[Record, ...]:
    """Returns the records of a results file, by checkpoint and length; none where there is no file.

    Raises:
        ValueError: The file is damaged.
    """
    records = known_records(Record, path)
    return tuple(sorted(records, key=lambda record: (record.checkpoint, record.eval_length)))


def _curves(folder: Path, reports: list[dict[str, Any]]) -> tuple[Curve, Curve]:
    """The curves of the finished model where there is one, else what the reports say so far."""
    finished = own_model_folder(folder) / "curve.json"
    if finished.is_file():
        stored = read_json(finished)
        train, validation = (
            tuple((int(tokens), float(loss)) for tokens, loss in stored[name])
            for name in ("train", "validation")
        )
        return train, validation
    points, before = [], None
    for report in reports:
        # Every report repeats the newest validation loss.
        if report["validation_loss"] not in (None, before):
            before = report["validation_loss"]
            points.append((report["tokens"], before))
    return tuple((report["tokens"], report["loss"]) for report in reports), tuple(points)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the JSON lines of a file that somebody may be writing to."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            # The last line before a kill, or the one being written now.
            continue
