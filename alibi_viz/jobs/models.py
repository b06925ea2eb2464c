"""Which trained models there are: those that come with the project, and those trained here."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from alibi_viz.files import last_written, read_json
from alibi_viz.jobs.registry import Job
from alibi_viz.jobs.requests import read_request
from alibi_viz.jobs.store import JOBS, JobFolder
from alibi_viz.jobs.train_request import TrainRequest, own_model_folder
from alibi_viz.paths import CHECKPOINTS
from alibi_viz.positions import find_method
from alibi_viz.words import plain_text


@dataclass(frozen=True)
class TrainedModel:
    """A checkpoint and what tells it from others."""

    name: str
    """"bundled:<folder>" or "own:<id of the training job>", as an `EvaluateRequest` names it."""
    folder: Path
    """Where `model.safetensors` and `config.json` lie."""
    label: str
    """What a visitor reads, e.g. "ALiBi, trained on 128 tokens, seed 0"."""
    position: str
    """Key of the position method."""
    train_length: int
    """Tokens in a training window."""

    @property
    def origin(self) -> Literal["bundled", "own"]:
        """Whether it came with the project or was trained here."""
        return "own" if self.name.startswith("own:") else "bundled"


def trained_models(jobs: Path = JOBS, bundled: Path = CHECKPOINTS) -> list[TrainedModel]:
    """Returns all models that can be evaluated and inspected: the bundled ones, then own ones.

    Args:
        jobs: Folder of the jobs.
        bundled: Folder of the checkpoints that come with the project.
    """
    readable = [found for found in _bundled_models(bundled) if isinstance(found, TrainedModel)]
    return [*readable, *own_models(jobs)]


def damaged_models(bundled: Path = CHECKPOINTS) -> list[str]:
    """Returns why bundled models are not among the trained ones, a reason each.

    Args:
        bundled: Folder of the checkpoints that come with the project.
    """
    damaged = [found for found in _bundled_models(bundled) if isinstance(found, ValueError)]
    # Where they lie on this disk is nobody's business.
    return [plain_text(str(found).replace(f"{bundled}{os.sep}", "")) for found in damaged]


def own_models(jobs: Path = JOBS) -> list[TrainedModel]:
    """Returns the models that visitors trained here, the newest first.

    Args:
        jobs: Folder of the jobs.
    """
    complete = sorted(jobs.glob("*/own-*/config.json"), key=lambda path: -path.stat().st_mtime)
    found = []
    for path in complete:
        folder = JobFolder(path.parent.parent)
        try:
            folder.path.name.encode()
            request = read_request(folder.read_request())
        except ValueError:
            # Left by another version, or under no name: it can neither be described nor resumed.
            continue
        if isinstance(request, TrainRequest):
            found.append(own_model(folder.path, request))
    return found


def own_model(folder: Path, request: TrainRequest) -> TrainedModel:
    """Returns the model that a training job makes.

    Args:
        folder: The job's folder.
        request: What was asked for.
    """
    return TrainedModel(
        name=f"own:{folder.name}",
        folder=own_model_folder(folder),
        label=describe(request),
        position=request.position,
        train_length=request.train_length,
    )


def model_of_job(job: Job) -> TrainedModel | None:
    """Returns the finished model of a training job, or None where there is none."""
    if job.state == "finished" and isinstance(job.request, TrainRequest):
        return own_model(job.folder, job.request)
    return None


def describe(request: TrainRequest) -> str:
    """Returns a model in words, with all that departs from the bundled models.

    >>> describe(TrainRequest(heads=4, tokens=250_000, learned_slopes=True))
    'ALiBi, own, 4 heads, learned slopes, trained on 128 tokens, 0.25 M tokens, seed 0'
    """
    usual = TrainRequest()
    parts = [find_method(request.position).label, "own"]
    if request.heads != usual.heads:
        parts.append(f"{request.heads} head{'s' if request.heads > 1 else ''}")
    if request.layers != usual.layers:
        parts.append(f"{request.layers} layer{'s' if request.layers > 1 else ''}")
    if request.width != usual.width:
        parts.append(f"width {request.width}")
    if request.max_exponent != usual.max_exponent:
        parts.append(f"exponent {request.max_exponent:g}")
    if request.learned_slopes:
        parts.append("learned slopes")
    if request.text != usual.text:
        parts.append(f"own text {request.text[:4]}")
    parts.append(f"trained on {request.train_length} tokens")
    parts.append(f"{request.tokens / 1e6:g} M tokens")
    return ", ".join([*parts, f"seed {request.seed}"])


def _bundled_models(folder: Path) -> Iterator[TrainedModel | ValueError]:
    """Yields each bundled model, or why it cannot be described: one hides no other."""
    for path in sorted(folder.glob("*/config.json")):
        try:
            yield _bundled_model(path, last_written(path))
        except ValueError as error:
            yield error


# Pages ask for all of them with every rerun.
@lru_cache(maxsize=256)
def _bundled_model(path: Path, changed: int) -> TrainedModel:
    about = read_json(path)
    try:
        path.parent.name.encode()
        model = about["model"]
        label = find_method(model["position"]).label
        return TrainedModel(
            name=f"bundled:{path.parent.name}",
            folder=path.parent,
            label=f"{label}, trained on {model['train_length']} tokens, seed {about['seed']}",
            position=model["position"],
            train_length=model["train_length"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} describes no model of this version: {error}") from None
