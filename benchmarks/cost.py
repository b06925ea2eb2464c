"""What each position method costs: speed and memory of training and evaluation, side by side.

    python -m benchmarks.cost
    python -m benchmarks.cost --output assets/results/cost.json

Every measurement is a process of its own, one at a time, so that its peak memory is its own. The
methods take turns, several rounds, and the fastest round counts: what else the machine did then
slowed one of them least. Untrained models of the experiment's size: speed does not depend on what
was learned, except that exact pruning of ALiBi's far keys depends on the size of queries and keys;
evaluation therefore uses the committed checkpoints.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation.perplexity import evaluate
from alibi_viz.evaluation.records import CostRecord
from alibi_viz.evaluation.store import add_records
from alibi_viz.evaluation.stretch import named_stretch
from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.cost import position_cost
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.paths import CHECKPOINTS, FIRST_TEXT
from alibi_viz.positions import METHODS
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import take_step
from alibi_viz.training.state import fresh_optimizer

EVAL_LENGTHS = (128, 1024, 4096, 16_384)
EVAL_TOKENS = 65_536
TRAIN_STEPS = 40
# Steps that pass before the clock starts: the first ones allocate.
WARM_UP = 8

Tokens = int
Work = tuple[Callable[[], object], Tokens]


def training_work(method: str) -> Work:
    """Returns one step of the experiment's recipe, and its tokens."""
    config = TrainingConfig(model=ModelConfig(position=method))
    model = Transformer(config.model)
    initialise(model, 0)
    optimizer = fresh_optimizer(model, config)
    shape = config.batch_size, config.model.train_length + 1
    tokens = torch.randint(config.model.vocab_size, shape)
    step = partial(take_step, model, optimizer, config, tokens[:, :-1], tokens[:, 1:])
    return step, config.tokens_per_step


def evaluation_work(method: str, length: int) -> Work:
    """Returns an evaluation of the committed checkpoint in windows of `length`, and its tokens."""
    model, _ = load_checkpoint(CHECKPOINTS / f"{method}-L128-s0")
    stretch = named_stretch(FIRST_TEXT).beginning(EVAL_TOKENS)
    sizes = token_bytes(load_tokenizer())
    return partial(evaluate, model, stretch, sizes, eval_length=length), EVAL_TOKENS


def measure(method: str, length: int | None) -> dict[str, float]:
    """Returns tokens a second and peak memory on top of the model's, for one kind of work.

    Args:
        method: Key of the position method.
        length: Tokens in an evaluation window; None measures training.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work, tokens = training_work(method) if length is None else evaluation_work(method, length)
    repeats = 1
    if length is None:
        repeats = TRAIN_STEPS
        for _ in range(WARM_UP):
            work()
    started = time.perf_counter()
    for _ in range(repeats):
        work()
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # ru_maxrss is in kilobytes on Linux, in bytes on macOS.
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return {"tokens_per_second": tokens * repeats / seconds, "megabytes": peak / unit}


def _in_a_process(method: str, length: int | None) -> dict[str, float]:
    command = ["-m", "benchmarks.cost", "--one", method]
    if length is not None:
        command += ["--length", str(length)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def measure_all(rounds: int) -> list[dict[str, Any]]:
    """Returns a row for each method and kind of work: the fastest of some rounds."""
    rows: list[dict[str, Any]] = []
    for length in (None, *EVAL_LENGTHS):
        best: dict[str, dict[str, float]] = {}
        for _ in range(rounds):
            for method in METHODS:
                longest = ModelConfig(method).longest
                if length and longest and length > longest:
                    continue
                result = _in_a_process(method, length)
                known = best.get(method, result)
                best[method] = max(known, result, key=lambda r: r["tokens_per_second"])
        sinusoidal = best["sinusoidal"]["tokens_per_second"]
        for method, result in best.items():
            speed = result["tokens_per_second"]
            rows.append(
                {
                    "method": method,
                    "work": "training" if length is None else "evaluation",
                    "window": length or ModelConfig().train_length,
                    "tokens_per_second": round(speed),
                    "speed_over_sinusoidal": round(speed / sinusoidal, 4),
                    "megabytes": round(result["megabytes"], 1),
                    "parameters": position_cost(ModelConfig(position=method), 128).parameters,
                }
            )
            print(
                f"{rows[-1]['work']:<11}{rows[-1]['window']:>7,} tokens  {method:<11}"
                f"{speed:>9,.0f} tokens/s  {speed / sinusoidal:6.3f} of sinusoidal  "
                f"{result['megabytes']:7.0f} MB",
                flush=True,
            )
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Measures everything, or one thing in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, help="results file to write")
    parser.add_argument("--one", choices=METHODS, help="measure one method and print JSON")
    parser.add_argument("--length", type=int, help="with --one: evaluate in windows of this length")
    args = parser.parse_args(arguments)
    if args.one:
        print(json.dumps(measure(args.one, args.length)))
        return
    rows = measure_all(args.rounds)
    if args.output:
        machine = f"{platform.machine()}, {torch.get_num_threads()} threads, torch "
        machine += torch.__version__.split("+")[0]
        command = f"python -m benchmarks.cost --rounds {args.rounds} --output {args.output}"
        about = {"machine": machine, "command": command}
        add_records([CostRecord(**row, **about) for row in rows], args.output)


if __name__ == "__main__":
    main()
