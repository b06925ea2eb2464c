"""`python -m alibi_viz recall` and `recall-own`: train recall models and ask them; resumable."""

import argparse
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import torch

from alibi_viz.errors import EXIT_STOPPED
from alibi_viz.evaluation.store import add_records, known_records
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT
from alibi_viz.model.checkpoint import load_checkpoint, save_checkpoint
from alibi_viz.model.provenance import command_line, versions
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer
from alibi_viz.paths import RECALL_MODELS, RUNS
from alibi_viz.positions.stretch import AS_TRAINED, parse_stretching
from alibi_viz.retrieval.heads import content_gaps, has_content_table, needle_attention_by_depth
from alibi_viz.retrieval.needles import N_DEPTH, N_QUESTION, depth_of, needle_windows
from alibi_viz.retrieval.plan import (
    RECALL_LENGTHS,
    RECALL_VARIANTS,
    RecallVariant,
    recall_variant,
    stretchings_of,
)
from alibi_viz.retrieval.recall import right_answers
from alibi_viz.retrieval.recall_training import STEPS, recall_config, recall_recipe, train_recall
from alibi_viz.retrieval.records import RecallHeads, RecallRecord
from alibi_viz.training.reporting import reporter, stop_when_asked

SEEDS = (0, 1, 2, 3, 4)
WINDOWS = 64
# Windows in which the weights of the heads are measured: eight times the training length.
HEADS_LENGTH = 1024
# The models of this seed are committed; the others stay where they were trained.
COMMITTED_SEED = 0


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `recall` and `recall-own` to the command line."""
    parser = subparsers.add_parser(
        "recall",
        help="train and measure models that recall needles",
        description="Train recall models and measure them; what is there is left out.",
    )
    parser.add_argument("--variants", nargs="+", choices=RECALL_VARIANTS, metavar="VARIANT")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--lengths", nargs="+", type=int, default=RECALL_LENGTHS, metavar="TOKENS")
    parser.add_argument("--windows", type=int, default=WINDOWS, help="windows of each length")
    parser.add_argument("--threads", type=int, help="of the CPU; torch's choice if left out")
    parser.set_defaults(action=run_recall)
    _add_own_parser(subparsers)


def _add_own_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "recall-own",
        help="train and measure one recall model of your own",
        description="Train one recall model and ask it; the same command goes on with it.",
    )
    methods = [key for key, variant in RECALL_VARIANTS.items() if key == variant.method]
    parser.add_argument("--position", choices=methods, default="alibi", help="the method")
    parser.add_argument(
        "--max-exponent", type=float, default=MAX_SLOPE_EXPONENT, help="of ALiBi's flattest slope"
    )
    parser.add_argument("--free-heads", type=int, default=0, help="ALiBi's last heads without bias")
    parser.add_argument("--learned-slopes", action="store_true", help="train ALiBi's slopes")
    parser.add_argument("--seed", type=int, default=0, help="of parameters and windows")
    parser.add_argument("--steps", type=int, default=STEPS, help="of training")
    parser.add_argument("--windows", type=int, default=WINDOWS, help="windows of each length")
    parser.add_argument(
        "--run", type=Path, help="folder of the run; in runs/recall-own if left out"
    )
    parser.add_argument("--output", type=Path, help="results file; <run>/records.json")
    parser.add_argument("--threads", type=int, help="of the CPU; torch's choice if left out")
    parser.set_defaults(action=run_recall_own)


def recall_folder(variant: str, seed: int) -> Path:
    """Returns where a recall model lies."""
    parent = RECALL_MODELS if seed == COMMITTED_SEED else RUNS / "recall"
    return parent / f"{variant}-s{seed}"


def run_recall(args: argparse.Namespace) -> int:
    """Trains and measures what is missing; returns the exit status."""
    if args.threads:
        torch.set_num_threads(args.threads)
    variants = [RECALL_VARIANTS[key] for key in args.variants or RECALL_VARIANTS]
    for seed, variant in product(args.seeds, variants):
        _measure(variant, seed, args.lengths, args.windows)
    return 0


def run_recall_own(args: argparse.Namespace) -> int:
    """Trains one recall model, asks it at every length; returns the exit status."""
    if args.threads:
        torch.set_num_threads(args.threads)
    should_stop = stop_when_asked()
    variant = recall_variant(
        args.position,
        max_exponent=args.max_exponent,
        free_heads=args.free_heads,
        learned_slopes=args.learned_slopes,
    )
    recipe = recall_recipe(
        recall_config(variant.method, **variant.settings), args.seed, steps=args.steps
    )
    name = f"{variant.key}-s{args.seed}-{args.steps}"
    folder = args.run or RUNS / "recall-own" / name
    folder.mkdir(parents=True, exist_ok=True)
    run = train_recall(recipe, folder, on_report=reporter(folder, name), should_stop=should_stop)
    output = args.output or folder / "records.json"
    if run.is_finished and _asked(run.model, variant.key, args, output, should_stop):
        return 0
    print(f"stopped at step {run.progress.step:,}; the same command goes on", file=sys.stderr)
    return EXIT_STOPPED


def _asked(
    model: Transformer,
    variant: str,
    args: argparse.Namespace,
    output: Path,
    should_stop: Callable[[], bool],
) -> bool:
    """Adds what is missing in a results file, length by length; returns whether all is there."""
    known = {record.eval_length for record in known_records(RecallRecord, output)}
    for length in RECALL_LENGTHS:
        if length not in known:
            if should_stop():
                return False
            record = _record(model, variant, AS_TRAINED, args.seed, length, args.windows)
            add_records([record], output)
            print(f"{length:>6,} tokens  {record.accuracy:.1%}", flush=True)
    return True


def _measure(variant: RecallVariant, seed: int, lengths: list[int], windows: int) -> None:
    """Measures one model as trained and, where the method's own settings act, stretched."""
    ways = stretchings_of(variant.method) if variant.key == variant.method else ()
    known = {record.key for record in known_records(RecallRecord)}
    missing = [
        (way, length)
        for way in (AS_TRAINED, *ways)
        for length in lengths
        if (variant.key, way, seed, length) not in known
    ]
    known_heads = {record.key for record in known_records(RecallHeads)}
    heads = (variant.key, seed, HEADS_LENGTH) not in known_heads
    if not missing and not heads:
        return
    model = _trained(variant, seed)
    if heads:
        add_records([_heads(model, variant.key, seed, windows)])
    for way in dict.fromkeys(way for way, _ in missing):
        reader = model if way == AS_TRAINED else stretched(model, parse_stretching(way))
        records = [
            _record(reader, variant.key, way, seed, length, windows)
            for missing_way, length in missing
            if missing_way == way
        ]
        add_records(records)
        shares = "  ".join(f"{record.accuracy:.1%}" for record in records)
        print(f"{variant.key}-s{seed}  {way}  {shares}", flush=True)


def _trained(variant: RecallVariant, seed: int) -> Transformer:
    """Loads a recall model, or trains it first."""
    folder = recall_folder(variant.key, seed)
    if not (folder / "config.json").is_file():
        recipe = recall_recipe(recall_config(variant.method, **variant.settings), seed)
        model = train_recall(recipe).model
        training = {key: value for key, value in recipe.to_json().items() if key != "model"}
        about = {"training": training, "seed": seed, "variant": variant.key}
        about |= {"versions": versions(), "command": command_line()}
        save_checkpoint(folder, model, about, dtype=torch.float32)
    return load_checkpoint(folder)[0]


def _record(
    model: Transformer, variant: str, way: str, seed: int, length: int, count: int
) -> RecallRecord:
    windows = needle_windows(length, count=count)
    right = right_answers(model, windows)
    depths = depth_of(windows.distances, length)
    return RecallRecord(
        variant=variant,
        seed=seed,
        stretching=way,
        eval_length=length,
        questions=N_QUESTION,
        right=tuple(right.sum(axis=1).tolist()),
        right_by_depth=tuple(np.bincount(depths[right], minlength=N_DEPTH).tolist()),
        asked_by_depth=tuple(np.bincount(depths.ravel(), minlength=N_DEPTH).tolist()),
        command=command_line(),
    )


def _heads(model: Transformer, variant: str, seed: int, count: int) -> RecallHeads:
    slopes = model.position.slopes()
    weights = needle_attention_by_depth(model, needle_windows(HEADS_LENGTH, count=count))
    gaps = content_gaps(model) if has_content_table(model) else None
    return RecallHeads(
        variant=variant,
        seed=seed,
        eval_length=HEADS_LENGTH,
        slopes=None if slopes is None else tuple(slopes.double().tolist()),
        gaps=None if gaps is None else tuple(gaps.round(4).tolist()),
        weights=tuple(tuple(row) for row in weights.round(5).tolist()),
        command=command_line(),
    )
