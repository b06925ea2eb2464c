"""`python -m alibi_viz experiment`: the sweep, every run and every measurement, resumable.

Each run is a command of its own, so that one that is killed costs no other, and running the same
experiment again goes on where it stopped: finished runs and measured points are left out.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from alibi_viz.data.corpus import NAMED_TEXTS
from alibi_viz.evaluation.score import PROTOCOLS
from alibi_viz.evaluation.store import known_records
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.device import add_device_options
from alibi_viz.paths import FIRST_TEXT, PROJECT, RUNS, relative_to_project
from alibi_viz.positions import METHODS
from alibi_viz.training.plan import LEARNED_SLOPES_FACTOR, OTHER_LENGTHS, PlannedRun, plan_runs
from alibi_viz.training.sizes import SIZES
from alibi_viz.training.trials import Trial, best_trial_of

NONOVERLAPPING_LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
SLIDING_LENGTHS = (64, 128, 256, 512, 2048)
# What the pair at other training lengths, and slopes otherwise than published, are asked for.
PAIR_LENGTHS = (64, 128, 256, 512)
VARIANT_LENGTHS = (128, 512, 2048, 4096)
PYTHON = ("python", "-m", "alibi_viz")


def training_command(
    run: PlannedRun, size_name: str, device: str, threads: int | None
) -> list[str]:
    """Returns the command that trains a run, as one would type it.

    The learning rates are those that the sweep chose at the size's own training length.
    """
    size, model = SIZES[size_name], run.model
    best = best_trial_of(model.position)
    is_learned = model.learned_slopes
    factor = LEARNED_SLOPES_FACTOR if is_learned else best.position_learning_rate_factor
    usual = ModelConfig(model.position)
    options: dict[str, object] = {
        "--size": size_name,
        "--position": model.position,
        "--train-length": model.train_length,
        # Equal tokens in a batch at every training length.
        "--batch-size": size.batch_size * size.train_length // model.train_length,
        "--seed": run.seed,
        "--tokens": run.tokens,
        "--learning-rate": best.learning_rate,
        "--position-factor": factor,
        "--sinusoid-amplitude": best.sinusoid_amplitude,
        "--output": relative_to_project(run.checkpoint),
    }
    otherwise = {
        "--text": (run.text, FIRST_TEXT),
        "--heads": (model.n_head, size.heads),
        "--width": (model.d_model, size.width),
        "--max-exponent": (f"{model.max_exponent:g}", f"{usual.max_exponent:g}"),
        "--slope-rule": (model.slope_rule, usual.slope_rule),
        "--free-heads": (model.free_heads, usual.free_heads),
    }
    options |= {name: value for name, (value, default) in otherwise.items() if value != default}
    words = [str(word) for option in options.items() for word in option]
    words += ["--learned-slopes"] if is_learned else []
    return [*PYTHON, "train", *words, *_machine(device, threads)]


def _machine(device: str, threads: int | None) -> list[str]:
    return ["--device", device, *(["--threads", str(threads)] if threads else [])]


def sweep_command(methods: list[str], device: str, threads: int | None) -> list[str]:
    """Returns the command that tries rates for methods of which no trial is known."""
    return [*PYTHON, "sweep", "--methods", *methods, *_machine(device, threads)]


def _untried(methods: list[str]) -> list[str]:
    known = {trial.method for trial in known_records(Trial)}
    return [key for key in methods if key not in known]


def evaluation_commands(
    runs: Sequence[PlannedRun], device: str, threads: int | None
) -> list[list[str]]:
    """Returns the commands that measure the checkpoints of finished runs by both protocols.

    Args:
        runs: Of the whole plan; those without a checkpoint are left out.
        device: Where to compute.
        threads: Of the processor.
    """
    groups: dict[tuple[int, ...], list[str]] = {}
    for run in (run for run in runs if run.is_done()):
        lengths: tuple[int, ...] = NONOVERLAPPING_LENGTHS
        if run.model.train_length in OTHER_LENGTHS:
            lengths = PAIR_LENGTHS
        elif run.is_variant:
            lengths = VARIANT_LENGTHS
        groups.setdefault(lengths, []).append(relative_to_project(run.checkpoint))
    commands = []
    for lengths, folders in groups.items():
        sliding = tuple(length for length in lengths if length in SLIDING_LENGTHS)
        for protocol, asked in zip(PROTOCOLS, (lengths, sliding), strict=True):
            words = ["--lengths", *map(str, asked), "--protocol", protocol]
            commands.append([*PYTHON, "evaluate", *folders, *words, *_machine(device, threads)])
    return commands


def _execute(command: list[str], log: Path | None = None) -> int:
    """Runs a command of this project, its output in a file if one is named; returns its status."""
    arguments = [sys.executable, *command[1:]]
    if log is None:
        print(" ".join(command), flush=True)
        return subprocess.run(arguments, cwd=PROJECT, check=False).returncode
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        return subprocess.run(
            arguments, cwd=PROJECT, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `experiment` to the command line."""
    parser = subparsers.add_parser(
        "experiment",
        help="train and measure everything",
        description="Try rates where none was tried, train every method and seed, then measure; "
        "the same command goes on where it stopped.",
    )
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--texts", nargs="+", choices=NAMED_TEXTS, default=list(NAMED_TEXTS))
    parser.add_argument("--seeds", nargs="+", type=int, help="those of the plan if left out")
    parser.add_argument("--workers", type=int, default=1, help="runs at a time")
    add_device_options(parser)
    parser.add_argument("--only-evaluate", action="store_true", help="train nothing")
    parser.set_defaults(action=run_experiment)


def run_experiment(args: argparse.Namespace) -> int:
    """Trains what is missing, measures what is missing; returns the exit status."""
    plan = plan_runs(args.methods, args.texts, SIZES[args.size], args.seeds)
    runs = [] if args.only_evaluate else [run for run in plan if not run.is_done()]
    if untried := _untried([run.model.position for run in runs]):
        command = sweep_command(list(dict.fromkeys(untried)), args.device, args.threads)
        if status := _execute(command):
            return status
    if not _train_all(runs, args):
        return 1
    for command in evaluation_commands(plan, args.device, args.threads):
        if status := _execute(command):
            return status
    return 0


def _train_all(runs: list[PlannedRun], args: argparse.Namespace) -> bool:
    """Trains runs, a few at a time; returns whether all of them ended well."""
    started, statuses = time.monotonic(), []
    with ThreadPoolExecutor(args.workers) as pool:
        running = {
            pool.submit(
                _execute,
                training_command(run, args.size, args.device, args.threads),
                RUNS / f"{run.name}.log",
            ): run
            for run in runs
        }
        for done, future in enumerate(as_completed(running), 1):
            run, status = running[future], future.result()
            statuses.append(status)
            left = (time.monotonic() - started) / 60 / done * (len(runs) - done)
            log = relative_to_project(RUNS / f"{run.name}.log")
            outcome = "done" if status == 0 else f"failed with status {status}, see {log}"
            print(
                f"{done} of {len(runs)}: {run.name} {outcome}; about {left:.0f} min left",
                flush=True,
            )
    return not any(statuses)
