"""`python -m alibi_viz evaluate`: measures perplexities and adds them to a results file."""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alibi_viz.data.prepared import describe_tokenizer, load_validation
from alibi_viz.data.text import encode_text_file
from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation.perplexity import Stretch, evaluate
from alibi_viz.evaluation.records import (
    EXTRAPOLATION_FILE,
    Record,
    add_records,
    describe_corpus,
    load_records,
    score_fields,
)
from alibi_viz.evaluation.score import PROTOCOLS, Protocol, Score
from alibi_viz.model.checkpoint import load_checkpoint, read_about
from alibi_viz.model.device import add_device_options, device_of
from alibi_viz.model.provenance import command_line
from alibi_viz.model.transformer import Transformer
from alibi_viz.paths import CHECKPOINTS, relative_to_project

LENGTHS = (64, 128, 192, 256, 512, 1024, 2048, 4096)

# Context before the first target: enough for the first sliding window of 2,048 tokens. The same
# for both protocols, so that both score the same targets.
FIRST_TARGET = 2048


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
    parser.add_argument("--output", type=Path, default=EXTRAPOLATION_FILE, help="results file")
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


def read_stretch(
    text: Path | None, count: int, lengths: list[int], protocol: Protocol
) -> tuple[Stretch, str]:
    """Returns the text to score and its description.

    The committed validation tokens are always scored from the same target on. Another text is
    scored as far as it goes, up to `count` tokens.

    Args:
        text: A text file, or None for the validation tokens.
        count: Tokens to score.
        lengths: Windows that will be measured, in tokens.
        protocol: How they will be measured.

    Raises:
        ValueError: Not a text, or too short for the longest window.
    """
    if text is None:
        tokens, corpus = load_validation()
        return Stretch(tokens, FIRST_TARGET, count), describe_corpus(corpus)
    tokens, corpus = encode_text_file(text, load_tokenizer())
    first = 1 if protocol == "nonoverlapping" else max(lengths)
    needed = first + (max(lengths) if protocol == "nonoverlapping" else 1)
    if len(tokens) < needed:
        raise ValueError(
            f"{text} has {len(tokens)} tokens, a window of {max(lengths)} needs {needed}"
        )
    return Stretch(tokens, first, min(count, len(tokens) - first)), describe_corpus(corpus)


def check_tokenizer(about: dict[str, Any], folder: Path, ours: dict[str, Any]) -> None:
    """Raises ValueError if a checkpoint's token ids mean something else than ours."""
    theirs = about.get("tokenizer", {}).get("fingerprint")
    if theirs != ours["fingerprint"]:
        raise ValueError(
            f"{folder} was trained with another tokenizer ({str(theirs)[:12]}, "
            f"here {ours['fingerprint'][:12]}): its token ids mean something else"
        )


def find_checkpoints(folders: list[Path]) -> list[Path]:
    """Returns `folders`, or every committed checkpoint if there are none.

    Raises:
        ValueError: Nothing to evaluate.
    """
    found = folders or sorted(path.parent for path in CHECKPOINTS.glob("*/config.json"))
    if not found:
        raise ValueError(f"no checkpoints in {CHECKPOINTS}")
    return found


def _lengths_for(about: dict[str, Any], lengths: list[int], name: str) -> list[int]:
    """The lengths that a model can be asked for; says which it cannot."""
    longest = about["model"]["train_length"]
    if about["model"]["position"] != "learned" or max(lengths) <= longest:
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
    known = load_records(args.output) if args.output.is_file() else []
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


def _reporter(path: Path | None, point: str, done: int, count: int) -> Callable[[float], None]:
    """Writes progress as JSON lines, at most one a half second."""
    last = [0.0]

    def report(fraction: float) -> None:
        if path and (fraction == 1 or time.monotonic() - last[0] > 0.5):
            last[0] = time.monotonic()
            line = {"fraction": (done + fraction) / count, "point": point}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    return report


def run_evaluate(args: argparse.Namespace) -> int:
    """Measures what is not measured yet; returns the exit status."""
    device = device_of(args)
    tokenizer = load_tokenizer()
    stretch, corpus = read_stretch(args.text, args.tokens, list(args.lengths), args.protocol)
    points = _plan(args, corpus, stretch.count, describe_tokenizer(tokenizer))
    loaded: tuple[Path, Transformer] | None = None
    for done, point in enumerate(points):
        if loaded is None or loaded[0] != point.folder:
            loaded = point.folder, load_checkpoint(point.folder, device)[0]
        started = time.perf_counter()
        label = f"{point.folder.name}, {point.eval_length} tokens"
        score = evaluate(
            loaded[1],
            stretch,
            token_bytes(tokenizer),
            eval_length=point.eval_length,
            protocol=point.protocol,
            stride=point.stride,
            on_progress=_reporter(args.progress, label, done, len(points)),
        )
        add_records([point.record(score)], args.output)
        print(
            f"{point.folder.name}  {point.eval_length:>6,} tokens  {point.protocol}  perplexity "
            f"{score.perplexity:.3f}  {time.perf_counter() - started:.1f} s",
            flush=True,
        )
    return 0
