"""`python -m alibi_viz experiment`: the sweep, every run and every measurement, resumable.

Each run is a command of its own, so that one that is killed costs no other, and running the same
experiment again goes on where it stopped: finished runs and measured points are left out.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from alibi_viz.evaluation.store import known_records
from alibi_viz.model.checkpoint import read_about
from alibi_viz.model.device import add_device_options
from alibi_viz.paths import CHECKPOINTS, PROJECT, RUNS, relative_to_project, run_name
from alibi_viz.positions import METHODS
from alibi_viz.training.sizes import SIZES, Size
from alibi_viz.training.trials import Trial, best_trial_of

# Trained at other lengths too, so that "train on L, test on 2 L" can be asked.
OTHER_LENGTHS = (64, 256)
OTHER_METHODS = ("alibi", "sinusoidal")

NONOVERLAPPING_LENGTHS = (64, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16_384)
SLIDING_LENGTHS = (64, 128, 256, 512, 1024, 2048)
NONOVERLAPPING_TOKENS = 65_536
SLIDING_TOKENS = 8192
PYTHON = ("python", "-m", "alibi_viz")


@dataclass(frozen=True)
class PlannedRun:
    """One model to train."""

    method: str
    """Key of the position method."""
    train_length: int
    """Tokens in a training window."""
    seed: int
    """Of parameters and batches."""
    tokens: int
    """Training tokens in all."""

    @property
    def name(self) -> str:
        """The run's name, as in `TrainingConfig.name_on`."""
        return run_name(self.method, self.train_length, self.seed)

    @property
    def checkpoint(self) -> Path:
        """The folder of its checkpoint."""
        return CHECKPOINTS / self.name

    def is_done(self) -> bool:
        """Whether the checkpoint is there, trained on the whole budget."""
        if not (self.checkpoint / "config.json").is_file():
            return False
        return int(read_about(self.checkpoint)["training"]["tokens"]) == self.tokens


def plan_runs(methods: list[str], seeds: list[int], size: Size) -> list[PlannedRun]:
    """Returns all runs, those of the first seed first, and the pair at other lengths last."""
    runs = [
        PlannedRun(method, size.train_length, seed, size.tokens)
        for seed in seeds
        for method in methods
    ]
    if size == SIZES["small"]:
        runs += [
            PlannedRun(method, length, seeds[0], size.tokens)
            for length in OTHER_LENGTHS
            for method in OTHER_METHODS
            if method in methods
        ]
    return runs


def training_command(
    run: PlannedRun, size_name: str, device: str, threads: int | None
) -> list[str]:
    """Returns the command that trains a run, as one would type it.

    The learning rates are those that the sweep chose at the size's own training length.
    """
    size = SIZES[size_name]
    best = best_trial_of(run.method)
    # Equal tokens in a batch at every training length.
    batch_size = size.batch_size * size.train_length // run.train_length
    options: dict[str, object] = {
        "--size": size_name,
        "--position": run.method,
        "--train-length": run.train_length,
        "--batch-size": batch_size,
        "--seed": run.seed,
        "--tokens": run.tokens,
        "--learning-rate": best.learning_rate,
        "--position-factor": best.position_learning_rate_factor,
        "--sinusoid-amplitude": best.sinusoid_amplitude,
        "--output": relative_to_project(run.checkpoint),
    }
    words = [str(word) for option in options.items() for word in option]
    return [*PYTHON, "train", *words, *_machine(device, threads)]


def _machine(device: str, threads: int | None) -> list[str]:
    return ["--device", device, *(["--threads", str(threads)] if threads else [])]


def sweep_command(methods: list[str], device: str, threads: int | None) -> list[str]:
    """Returns the command that tries rates for methods of which no trial is known."""
    return [*PYTHON, "sweep", "--methods", *methods, *_machine(device, threads)]


def _untried(methods: list[str]) -> list[str]:
    known = {trial.method for trial in known_records(Trial)}
    return [key for key in methods if key not in known]


def evaluation_commands(device: str, threads: int | None) -> list[list[str]]:
    """Returns the commands that measure every committed checkpoint: both protocols, by position."""
    machine = _machine(device, threads)
    nonoverlapping = ["--lengths", *map(str, NONOVERLAPPING_LENGTHS)]
    short = ["--lengths", *map(str, SLIDING_LENGTHS), "--tokens", str(SLIDING_TOKENS)]
    return [
        [*PYTHON, "evaluate", *nonoverlapping, "--tokens", str(NONOVERLAPPING_TOKENS), *machine],
        [*PYTHON, "evaluate", "--protocol", "sliding_window", *short, *machine],
        # The same tokens by the other protocol: two texts would not compare.
        [*PYTHON, "evaluate", *short, *machine],
        [*PYTHON, "by-position", "--tokens", str(NONOVERLAPPING_TOKENS), *machine],
    ]


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
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--workers", type=int, default=1, help="runs at a time")
    add_device_options(parser)
    parser.add_argument("--only-evaluate", action="store_true", help="train nothing")
    parser.set_defaults(action=run_experiment)


def run_experiment(args: argparse.Namespace) -> int:
    """Trains what is missing, measures what is missing; returns the exit status."""
    runs = [] if args.only_evaluate else plan_runs(args.methods, args.seeds, SIZES[args.size])
    runs = [run for run in runs if not run.is_done()]
    if untried := _untried([run.method for run in runs]):
        command = sweep_command(list(dict.fromkeys(untried)), args.device, args.threads)
        if status := _execute(command):
            return status
    if not _train_all(runs, args):
        return 1
    for command in evaluation_commands(args.device, args.threads):
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
