"""`python -m alibi_viz stretch` and `tune`: models stretched, at once or after a short training."""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from alibi_viz.data.prepared import prepare_corpus
from alibi_viz.evaluation.points import Asked, MeasuredModel, Point
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.evaluation.score import Protocol
from alibi_viz.evaluation.store import add_records, known_records
from alibi_viz.evaluation.stretch import SAMPLE_TOKENS
from alibi_viz.model.checkpoint import find_checkpoints, load_checkpoint
from alibi_viz.model.device import add_device_options, device_of
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer
from alibi_viz.positions.stretch import AS_TRAINED, parse_stretching
from alibi_viz.retrieval.copying_cli import measure_copying
from alibi_viz.retrieval.language_models import describe_model, is_stretched
from alibi_viz.retrieval.plan import language_stretchings_of
from alibi_viz.retrieval.records import StretchedRecord
from alibi_viz.retrieval.tuning import tuned, tuning_recipe

LENGTHS = (128, 256, 512, 1024, 2048, 4096)
# A sliding window costs about eight tokens a target: few lengths, and the stretchings that count.
SLIDING_LENGTHS = (128, 512)
MAIN = ("pi", "ntk", "yarn-coded", "slopes-pi", "slopes-ntk")
# One scale for every window: what a fixed scale costs below its length, and gains beyond.
FIXED_SCALES = {"rope": (("pi", "ntk", "yarn-coded"), (2, 4, 8))}

FIXED_LENGTHS = (128, 512, 1024)

TUNED_LENGTH = 512
TUNED_LENGTHS = (128, 512, 1024, 2048)
# Windows a little shorter than 256, 512 and 1,024 tokens.
TUNED_DISTANCES = (224, 480, 992)
# Of every seed; of the first one more, and a control that is trained on at the old length.
TUNED = {"rope": (AS_TRAINED, "yarn-coded@4"), "alibi": (AS_TRAINED, "slopes-ntk@4")}
TUNED_ONCE = {"rope": ("pi@4", "ntk@4"), "t5": (AS_TRAINED,)}


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `stretch` and `tune` to the command line."""
    commands: tuple[tuple[str, str, Callable[[argparse.Namespace], int]], ...] = (
        ("stretch", "measure stretched models", run_stretch),
        ("tune", "train stretched models for a moment and measure them", run_tune),
    )
    for name, does, action in commands:
        parser = subparsers.add_parser(
            name, help=does, description=f"{does.capitalize()}; what is there is left out."
        )
        parser.add_argument(
            "checkpoints", nargs="*", type=Path, help="all in assets/checkpoints if left out"
        )
        parser.add_argument("--tokens", type=int, default=SAMPLE_TOKENS, help="tokens to score")
        parser.add_argument("--output", type=Path, default=StretchedRecord.file)
        add_device_options(parser)
        parser.set_defaults(action=action)


@dataclass(frozen=True)
class _Curve:
    """One way to stretch one model, at several lengths."""

    folder: Path
    stretching: str
    protocol: Protocol
    lengths: tuple[int, ...]


def _models(folders: list[Path]) -> Iterator[MeasuredModel]:
    """The checkpoints that are measured stretched."""
    for folder in find_checkpoints(folders):
        model = MeasuredModel(folder, Asked((), "nonoverlapping", None, None, None))
        if is_stretched(model.config, model.text):
            yield model


def _plan(folders: list[Path]) -> Iterator[_Curve]:
    """What counts of every seed, then what else there is of the first, then of the others.

    Models are measured as trained here too: every curve has the same targets.
    """
    models = sorted(_models(folders), key=lambda model: int(model.about["seed"]))
    every = {
        model: language_stretchings_of(model.config.position, 0, all_seeds=True) for model in models
    }
    counting = {model: [name for name in every[model] if name in MAIN] for model in models}
    lengths_by: dict[Protocol, tuple[int, ...]] = {
        "nonoverlapping": LENGTHS,
        "sliding_window": SLIDING_LENGTHS,
    }
    for protocol, lengths in lengths_by.items():
        for model in models:
            for name in (AS_TRAINED, *counting[model]) if counting[model] else ():
                yield _Curve(model.folder, name, protocol, _changed(name, lengths))
    for model in models:
        position, seed = model.config.position, model.about["seed"]
        others = [n for n in language_stretchings_of(position, seed) if n not in counting[model]]
        for name in others if counting[model] or not others else (AS_TRAINED, *others):
            yield _Curve(model.folder, name, "nonoverlapping", _changed(name, LENGTHS))
        names, scales = FIXED_SCALES.get(position, ((), ()))
        for name in [f"{name}@{scale}" for name in names for scale in scales] if not seed else ():
            yield _Curve(model.folder, name, "nonoverlapping", FIXED_LENGTHS)


def _changed(name: str, lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the lengths to measure: at those where a stretching changes nothing it is not."""
    rule = parse_stretching(name).rule
    always = name == AS_TRAINED or (rule is not None and not rule.depends_on_scale)
    return tuple(length for length in lengths if always or length > TRAIN_LENGTH)


def _missing(args: argparse.Namespace, curve: _Curve, tuned_length: int = 0) -> list[Point]:
    """Returns what of a curve is not measured yet."""
    asked = Asked(curve.lengths, curve.protocol, None, args.tokens, None)
    known = {record.key for record in known_records(StretchedRecord, args.output)}
    points = MeasuredModel(curve.folder, asked).points()
    return [p for p in points if (*p.key, curve.stretching, tuned_length) not in known]


def _measure(
    model: Transformer, points: list[Point], stretching: str, tuned_length: int, output: Path
) -> None:
    """Measures points of one model and adds them to the results file."""
    for point in points:
        (record,) = point.measure(model, lambda fraction: None)
        measured = StretchedRecord(
            **asdict(record), stretching=stretching, tuned_length=tuned_length
        )
        add_records([measured], output)
        after = f", after {tuned_length}" if tuned_length else ""
        print(
            f"{point.label}, {stretching}{after}  {record.protocol}  "
            f"perplexity {record.perplexity:.3f}",
            flush=True,
        )


def run_stretch(args: argparse.Namespace) -> int:
    """Measures what is not measured yet; returns the exit status."""
    device = device_of(args)
    for curve in _plan(args.checkpoints):
        if points := _missing(args, curve):
            model = load_checkpoint(curve.folder, device)[0]
            twin = stretched(model, parse_stretching(curve.stretching))
            _measure(twin, points, curve.stretching, 0, args.output)
    return 0


def run_tune(args: argparse.Namespace) -> int:
    """Trains and measures what is not measured yet; returns the exit status."""
    device = device_of(args)
    models = sorted(_models(args.checkpoints), key=lambda model: int(model.about["seed"]))
    for model in models:
        ways = [(name, TUNED_LENGTH) for name in TUNED.get(model.config.position, ())]
        if not model.about["seed"]:
            ways += [(name, TUNED_LENGTH) for name in TUNED_ONCE.get(model.config.position, ())]
            if model.config.position in TUNED:
                ways.append((AS_TRAINED, TRAIN_LENGTH))
        for name, length in ways:
            curve = _Curve(model.folder, name, "nonoverlapping", TUNED_LENGTHS)
            if points := _missing(args, curve, length):
                twin = _tuned(model, name, length, device)
                of_model = describe_model(model.folder, model.about, name, length)
                add_records(measure_copying(twin, of_model, "real", TUNED_DISTANCES))
                _measure(twin, points, name, length, args.output)
    return 0


def _tuned(model: MeasuredModel, name: str, length: int, device: torch.device) -> Transformer:
    """Trains a stretched model for a moment."""
    start, about = load_checkpoint(model.folder, device)
    factor = about["training"]["position_learning_rate_factor"]
    recipe = tuning_recipe(start, length, seed=about["seed"], position_factor=factor)
    return tuned(start, parse_stretching(name), recipe, prepare_corpus(model.text).train)
