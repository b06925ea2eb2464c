"""`python -m alibi_viz copying`: what a first copy is worth to the language models; resumable."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from alibi_viz.data.prepared import load_validation, measured_text
from alibi_viz.evaluation.store import add_records, known_records
from alibi_viz.model.checkpoint import (
    find_checkpoints,
    load_checkpoint,
    read_about,
)
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.device import add_device_options, device_of
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer
from alibi_viz.positions.stretch import AS_TRAINED, parse_stretching
from alibi_viz.retrieval.copying import LEAD, SNIPPET, SnippetKind, copy_losses, copy_trials
from alibi_viz.retrieval.language_models import describe_model, is_stretched
from alibi_viz.retrieval.plan import language_stretchings_of
from alibi_viz.retrieval.records import CopyRecord, OfModel

DISTANCES: dict[SnippetKind, tuple[int, ...]] = {
    "real": (24, 64, 96, 128, 256, 512, 1024, 2048),
    "random": (24, 512),
}
# Stretched models differ from the trained ones only in windows that are longer than in training.
STRETCHED_DISTANCES = (128, 256, 512, 1024)
TRIALS = 32


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `copying` to the command line."""
    parser = subparsers.add_parser(
        "copying",
        help="measure copying over distance",
        description="Measure what a first copy is worth; what is there is left out.",
    )
    parser.add_argument(
        "checkpoints", nargs="*", type=Path, help="folders; all in assets/checkpoints if left out"
    )
    parser.add_argument("--trials", type=int, default=TRIALS, help="of each distance")
    parser.add_argument("--output", type=Path, default=CopyRecord.file, help="results file")
    add_device_options(parser)
    parser.set_defaults(action=run_copying)


@dataclass(frozen=True)
class _Point:
    """One way to measure one model."""

    folder: Path
    about: dict[str, Any]
    stretching: str
    kind: SnippetKind
    distances: tuple[int, ...]


def _plan(folders: list[Path]) -> Iterator[_Point]:
    """Real snippets of every checkpoint, then of those that are stretched, then random ones."""
    abouts = [(folder, read_about(folder)) for folder in folders]
    for folder, about in abouts:
        yield _as_trained(folder, about, "real")
    for folder, about in abouts:
        config = ModelConfig(**about["model"])
        if is_stretched(config, measured_text(about, str(folder))):
            for name in language_stretchings_of(config.position, about["seed"], all_seeds=True):
                yield _Point(folder, about, name, "real", STRETCHED_DISTANCES)
    for folder, about in abouts:
        yield _as_trained(folder, about, "random")


def _as_trained(folder: Path, about: dict[str, Any], kind: SnippetKind) -> _Point:
    """The distances that a model can be asked for; the last token of a window is a target only."""
    longest = ModelConfig(**about["model"]).longest
    fitting = (d for d in DISTANCES[kind] if not longest or LEAD + d + SNIPPET - 1 <= longest)
    return _Point(folder, about, AS_TRAINED, kind, tuple(fitting))


def run_copying(args: argparse.Namespace) -> int:
    """Measures what is not measured yet; returns the exit status."""
    device = device_of(args)
    known = {record.key for record in known_records(CopyRecord, args.output)}
    for point in _plan(find_checkpoints(args.checkpoints)):
        of_model = describe_model(point.folder, point.about, point.stretching)
        missing = [
            distance
            for distance in point.distances
            if (*of_model.model_key, point.kind, distance) not in known
        ]
        if missing:
            model, _ = load_checkpoint(point.folder, device)
            model = stretched(model, parse_stretching(point.stretching))
            records = measure_copying(model, of_model, point.kind, missing, trials=args.trials)
            add_records(records, args.output)
            gains = "  ".join(f"{r.distance}: {r.mean_gain:.3f}" for r in records)
            print(f"{point.folder.name}  {point.stretching}  {point.kind}  {gains}", flush=True)
    return 0


def measure_copying(
    model: Transformer,
    of_model: OfModel,
    kind: SnippetKind,
    distances: Sequence[int],
    *,
    trials: int = TRIALS,
) -> list[CopyRecord]:
    """Returns what a first copy is worth at each distance.

    Args:
        model: Stretched as `of_model` says.
        of_model: What the records say of the model.
        kind: Of the snippets.
        distances: In tokens.
        trials: Of each distance.
    """
    tokens = load_validation(of_model.text).tokens
    records = []
    for distance in distances:
        windows = copy_trials(
            tokens, distance, kind=kind, count=trials, vocab_size=model.config.vocab_size
        )
        losses = copy_losses(model, windows)
        records.append(
            CopyRecord(
                **asdict(of_model),
                kind=kind,
                distance=distance,
                same=tuple(losses.same.round(4).tolist()),
                other=tuple(losses.other.round(4).tolist()),
            )
        )
    return records
