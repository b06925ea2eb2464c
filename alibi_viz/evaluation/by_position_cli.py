"""`python -m alibi_viz by-position`: measures loss by position and adds it to a results file."""

import argparse
import time
from pathlib import Path

from alibi_viz.data.prepared import describe_tokenizer
from alibi_viz.data.tokenizer import load_tokenizer
from alibi_viz.evaluation.by_position import WINDOWS, measure_by_position
from alibi_viz.evaluation.position_records import PositionRecord
from alibi_viz.evaluation.store import add_records, known_records
from alibi_viz.evaluation.stretch import read_stretch
from alibi_viz.model.checkpoint import (
    check_tokenizer,
    find_checkpoints,
    load_checkpoint,
    read_about,
)
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.device import add_device_options, device_of
from alibi_viz.model.provenance import command_line
from alibi_viz.paths import relative_to_project


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `by-position` to the command line."""
    parser = subparsers.add_parser(
        "by-position",
        help="measure loss by position in a window",
        description="Measure loss by position; checkpoints that are there are left out.",
    )
    parser.add_argument(
        "checkpoints", nargs="*", type=Path, help="folders; all in assets/checkpoints if left out"
    )
    parser.add_argument(
        "--windows",
        nargs="+",
        type=int,
        default=WINDOWS,
        metavar="TOKENS",
        help="rising: each measures the positions that the one before does not hold",
    )
    parser.add_argument("--tokens", type=int, default=65_536, help="tokens to score")
    parser.add_argument("--output", type=Path, default=PositionRecord.file, help="results file")
    add_device_options(parser)
    parser.set_defaults(action=run_by_position)


def run_by_position(args: argparse.Namespace) -> int:
    """Measures what is not measured yet; returns the exit status."""
    device, windows = device_of(args), tuple(sorted(args.windows))
    stretch, corpus = read_stretch(None, args.tokens, list(windows), "nonoverlapping")
    ours = describe_tokenizer(load_tokenizer())
    known = known_records(PositionRecord, args.output)
    for folder in find_checkpoints(args.checkpoints):
        about, started = read_about(folder), time.perf_counter()
        check_tokenizer(about, folder, ours)
        longest = ModelConfig(**about["model"]).longest or windows[-1]
        window = min(longest, windows[-1])
        wanted = (relative_to_project(folder), window, corpus, stretch.count)
        if any((r.checkpoint, r.window, r.corpus, r.tokens_scored) == wanted for r in known):
            continue
        record = PositionRecord(
            method=about["model"]["position"],
            seed=about["seed"],
            train_length=about["model"]["train_length"],
            window=window,
            tokens_scored=stretch.count,
            bands=measure_by_position(load_checkpoint(folder, device)[0], stretch, windows),
            checkpoint=relative_to_project(folder),
            corpus=corpus,
            command=command_line(),
        )
        add_records([record], args.output)
        print(
            f"{folder.name}  loss {record.bands[0].nll:.3f} with 1 token of context, "
            f"{record.bands[-1].nll:.3f} with {record.bands[-1].first:,} and more  "
            f"{time.perf_counter() - started:.1f} s",
            flush=True,
        )
    return 0
