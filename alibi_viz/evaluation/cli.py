"""`python -m alibi_viz evaluate`: measures perplexities and adds them to a results file."""

import argparse
import json
import time
from collections.abc import Callable
from itertools import count, groupby
from pathlib import Path

from alibi_viz.data.corpus import NAMED_TEXTS
from alibi_viz.evaluation.points import Asked, MeasuredModel
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import PROTOCOLS
from alibi_viz.evaluation.store import add_records, known_records
from alibi_viz.evaluation.stretch import SAMPLE_TOKENS
from alibi_viz.model.checkpoint import find_checkpoints, load_checkpoint
from alibi_viz.model.device import add_device_options, device_of

LENGTHS = (64, 128, 192, 256, 512, 1024, 2048, 4096)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `evaluate` to the command line."""
    parser = subparsers.add_parser(
        "evaluate",
        help="measure perplexity",
        description="Measure the perplexity of checkpoints; points that are there are left out.",
    )
    parser.add_argument(
        "checkpoints", nargs="*", type=Path, help="folders; all in assets/checkpoints if left out"
    )
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS, metavar="TOKENS")
    parser.add_argument("--protocol", choices=PROTOCOLS, default="nonoverlapping")
    parser.add_argument(
        "--stride",
        type=int,
        help="tokens that a sliding window moves by; a quarter of its length if left out",
    )
    parser.add_argument(
        "--tokens",
        type=int,
        help="about how many tokens to score, evenly spread over all files; if left out, "
        f"{SAMPLE_TOKENS:,} with a sliding window and all with nonoverlapping ones",
    )
    parser.add_argument(
        "--text",
        help=f"{' or '.join(NAMED_TEXTS)}, or the path of a text file; each model's own text if "
        "left out",
    )
    parser.add_argument("--output", type=Path, default=Record.file, help="results file")
    parser.add_argument("--progress", type=Path, help="file for progress as JSON lines")
    add_device_options(parser)
    parser.set_defaults(action=run_evaluate)


def _reporter(path: Path | None, point: str, done: int, points: int) -> Callable[[float], None]:
    """Writes progress as JSON lines, at most one a half second."""
    last = 0.0

    def report(fraction: float) -> None:
        nonlocal last
        if path and (fraction == 1 or time.monotonic() - last > 0.5):
            last = time.monotonic()
            line = {"fraction": (done + fraction) / points, "point": point}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    return report


def run_evaluate(args: argparse.Namespace) -> int:
    """Measures what is not measured yet; returns the exit status."""
    device = device_of(args)
    asked = Asked(tuple(args.lengths), args.protocol, args.stride, args.tokens, args.text)
    models = [MeasuredModel(folder, asked) for folder in find_checkpoints(args.checkpoints)]
    known = {record.key for record in known_records(Record, args.output)}
    points = [point for model in models for point in model.points() if point.key not in known]
    done = count()
    for measured, of_model in groupby(points, key=lambda point: point.model):
        model, _ = load_checkpoint(measured.folder, device)
        for point in of_model:
            started = time.perf_counter()
            report = _reporter(args.progress, point.label, next(done), len(points))
            record, *rest = point.measure(model, report)
            add_records([record, *rest], args.output)
            print(
                f"{measured.folder.name}  {point.eval_length:>6,} tokens  {record.protocol}  "
                f"perplexity {record.perplexity:.3f}  {time.perf_counter() - started:.1f} s",
                flush=True,
            )
    return 0
