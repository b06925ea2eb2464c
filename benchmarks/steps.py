"""What a step of training costs for each method, as a line in the model's sizes.

    python -m benchmarks.steps --output assets/results/step_cost.json

Processor time on one thread, in units of `alibi_viz.jobs.cost.fixed_work`, timed beside each
step: what else the machine does then slows both. Two thirds of the sizes fit the line, the others
say how far it is off.
"""

import argparse
import itertools
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from alibi_viz.files import write_json
from alibi_viz.jobs import limits
from alibi_viz.jobs.cost import features, fixed_work
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.positions import METHODS
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import take_step
from alibi_viz.training.state import fresh_optimizer

STEPS = 2
LEARNED = "alibi learned"
# A step is linear in the layers, so that shallow models tell what deep ones cost.
SIZES = tuple(
    (heads, layers, width, length)
    for heads, (layers, width), length in itertools.product(
        (1, 4, 16), ((1, 32), (1, 96), (1, 256), (3, 96)), (32, 128, 512)
    )
)

Size = tuple[int, int, int, int]


def step_probes(method: str, size: Size) -> float:
    """Returns the cost of a step, in probes: the least of some."""
    heads, layers, width, length = size
    model = ModelConfig(
        position=method.split()[0],
        learned_slopes=method == LEARNED,
        n_head=heads,
        n_layer=layers,
        d_model=width,
        train_length=length,
    )
    config = TrainingConfig(model=model, batch_size=limits.BATCH_TOKENS // length)
    built = Transformer(model)
    initialise(built, 0)
    optimizer = fresh_optimizer(built, config)
    tokens = torch.randint(model.vocab_size, (config.batch_size, length + 1))
    costs = []
    for step in range(STEPS + 1):
        before = _seconds(fixed_work)
        took = _seconds(lambda: take_step(built, optimizer, config, tokens[:, :-1], tokens[:, 1:]))
        unit = min(before, _seconds(fixed_work))
        # The first one allocates.
        if step:
            costs.append(took / unit)
    return float(min(costs))


def _seconds(work: Any) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def fit(sizes: Sequence[Size], costs: Sequence[float]) -> list[float]:
    """Returns the line, no part of it negative, with the least squares of relative errors."""
    rows = np.array([features(*size) for size in sizes]) / np.array(costs)[:, None]
    line = np.zeros(rows.shape[1])
    squares = (rows**2).sum(0)
    for _ in range(20_000):
        for place in range(len(line)):
            rest = 1 - rows @ line + rows[:, place] * line[place]
            line[place] = max(0.0, rest @ rows[:, place] / squares[place])
    return [round(float(part), 6) for part in line]


def main() -> None:
    """Measures, fits, says how far off the line is, and writes it down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--methods", nargs="+", default=[*METHODS, LEARNED])
    args = parser.parse_args()
    torch.set_num_threads(1)
    content: dict[str, Any] = {"schema": 1, "methods": {}}
    if args.output.is_file():
        content = json.loads(args.output.read_text())
    for method in args.methods:
        sizes = list(SIZES)
        random.Random(0).shuffle(sizes)
        costs = [step_probes(method, size) for size in sizes]
        kept = 2 * len(sizes) // 3
        line = fit(sizes[:kept], costs[:kept])
        off = [
            np.dot(line, features(*size)) / cost
            for size, cost in zip(sizes[kept:], costs[kept:], strict=True)
        ]
        print(f"{method:<14} off by {min(off):.2f} to {max(off):.2f}  {line}", flush=True)
        content["methods"][method] = fit(sizes, costs)
        content["command"] = f"python -m benchmarks.steps --output {args.output}"
        write_json(args.output, content)


if __name__ == "__main__":
    main()
