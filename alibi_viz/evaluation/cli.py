"""`python -m alibi_viz evaluate`: measures perplexities and adds them to a results file."""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path
from typing import Any

from alibi_viz.data.prepared import describe_tokenizer
from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation.perplexity import evaluate
from alibi_viz.evaluation.records import Record, score_fields
from alibi_viz.evaluation.score import PROTOCOLS, Protocol, Score
from alibi_viz.evaluation.store import add_records, known_records
from alibi_viz.evaluation.stretch import read_stretch
from alibi_viz.model.checkpoint import (
    check_tokenizer,
    find_checkpoints,
    load_checkpoint,
    read_about,
)
from alibi_viz.model.device import add_device_options, device_of
from alibi_viz.model.provenance import command_line
from alibi_viz.paths import relative_to_project
from alibi_viz.positions import find_method

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
        help="tokens scored in each sliding window; a quarter of the training length if left out",
    )
    parser.add_argument("--tokens", type=int, default=65_536, help="tokens to score")
    parser.add_argument("--text", type=Path, help="a text file in place of the validation part")
    parser.add_argument("--output", type=Path, default=Record.file, help="results file")
    parser.add_argument("--progress", type=Path, help="file for progress as JSON lines")
    add_device_options(parser)
    parser.set_defaults(action=run_evaluate)


@dataclass(frozen=True)
class _Point:
    """One measurement to make."""

    folder: Path
    about: dict[str, Any]
    eval_length: int
    protocol: Protocol
    stride: int | None
    corpus: str
    tokens: int

    def record(self, score: Score) -> Record:
        model = self.about["model"]
        return Record(
            method=model["position"],
            seed=self.about["seed"],
            train_length=model["train_length"],
            eval_length=self.eval_length,
            protocol=self.protocol,
            stride=self.stride,
            checkpoint=relative_to_project(self.folder),
            corpus=self.corpus,
            command=command_line(),
            **score_fields(score),
        )

    def is_in(self, records: list[Record]) -> bool:
        wanted = self.record(Score(0.0, self.tokens, 1)).key
        return any(record.key == wanted for record in records)


def _lengths_for(about: dict[str, Any], lengths: list[int], name: str) -> list[int]:
    """The lengths that a model can be asked for; says which it cannot."""
    longest = about["model"]["train_length"]
    ends = find_method(about["model"]["position"]).ends_at_train_length
    if not ends or max(lengths) <= longest:
        return lengths
    beyond = ", ".join(f"{length:,}" for length in lengths if length > longest)
    print(f"{name}: learned positions end at {longest} tokens, left out: {beyond}")
    return [length for length in lengths if length <= longest]


def stride_for(train_length: int, eval_length: int) -> int:
    """Returns how far a sliding window moves unless asked otherwise, in tokens.

    A quarter of the training length, so that models are compared at tokens that all have context;
    half of a window that is shorter than that.

    >>> [stride_for(128, length) for length in (64, 128, 2048)], stride_for(256, 64)
    ([32, 32, 32], 32)
    """
    return max(1, min(train_length // 4, eval_length // 2))


def _plan(args: argparse.Namespace, corpus: str, tokens: int, ours: dict[str, Any]) -> list[_Point]:
    """The points that are not measured yet, checkpoint by checkpoint."""
    known = known_records(Record, args.output)
    points = []
    for folder in find_checkpoints(args.checkpoints):
        about = read_about(folder)
        check_tokenizer(about, folder, ours)
        for length in _lengths_for(about, list(args.lengths), folder.name):
            stride = args.stride
            if stride is None and args.protocol == "sliding_window":
                stride = stride_for(about["model"]["train_length"], length)
            point = _Point(folder, about, length, args.protocol, stride, corpus, tokens)
            if not point.is_in(known):
                points.append(point)
    return points


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
    tokenizer = load_tokenizer()
    stretch, corpus = read_stretch(args.text, args.tokens, list(args.lengths), args.protocol)
    points = _plan(args, corpus, stretch.count, describe_tokenizer(tokenizer))
    done = count()
    for folder, of_model in groupby(points, key=lambda point: point.folder):
        model, _ = load_checkpoint(folder, device)
        for point in of_model:
            started = time.perf_counter()
            label = f"{folder.name}, {point.eval_length} tokens"
            score = evaluate(
                model,
                stretch,
                token_bytes(tokenizer),
                eval_length=point.eval_length,
                protocol=point.protocol,
                stride=point.stride,
                on_progress=_reporter(args.progress, label, next(done), len(points)),
            )
            add_records([point.record(score)], args.output)
            print(
                f"{folder.name}  {point.eval_length:>6,} tokens  {point.protocol}  perplexity "
                f"{score.perplexity:.3f}  {time.perf_counter() - started:.1f} s",
                flush=True,
            )
    return 0
