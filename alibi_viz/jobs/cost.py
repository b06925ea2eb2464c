"""How long a training run takes: a line in the model's sizes for each method, and this machine.

The lines were fitted by `python -m benchmarks.steps` in units of `probe`, a fixed piece of work
that is timed here again, so that they hold on a machine of another speed.
"""

import json
import time
from functools import cache
from typing import Any

import numpy as np

from alibi_viz.jobs import limits
from alibi_viz.paths import RESULTS

STEP_COSTS = RESULTS / "step_cost.json"
# What a run costs before its first step, in probes: libraries, corpus, tokens.
_START = 1500.0
# A forward pass over a batch costs a third of a step.
_FORWARD = 1 / 3
_VALIDATIONS, _VALIDATION_TOKENS = 16, 16_384
# Of a recall model, timed as `benchmarks.steps` does: 3.2 to 4.4 a step and 650 to 1,090 for all
# questions, by method; the libraries alone before that.
RECALL_STEP, RECALL_ASKED, _RECALL_START = 4.2, 900.0, 600.0


def features(heads: int, layers: int, width: int, length: int) -> tuple[float, ...]:
    """Returns what the cost of one step of `BATCH_TOKENS` is linear in.

    In order: a constant, a layer's constant, its activations, its matrices, its causal maps, the
    products with them, and its biases, which are the same for all windows of a batch; and the
    vocabulary's logits.

    Args:
        heads: Attention heads.
        layers: Blocks.
        width: Width of the residual stream.
        length: Tokens in a window.
    """
    return (
        1.0,
        layers,
        layers * width / 100,
        layers * (width / 100) ** 2,
        layers * heads * length / 1000,
        layers * width * length / 10_000,
        layers * heads * (length / 100) ** 2,
        width / 100,
    )


def step_probes(method: str, heads: int, layers: int, width: int, length: int) -> float:
    """Returns the cost of one step of training, in probes.

    A method that was not measured is taken to cost what the dearest one does.

    Args:
        method: Key of the position method; "alibi learned" for ALiBi with learned slopes.
        heads: Attention heads.
        layers: Blocks.
        width: Width of the residual stream.
        length: Tokens in a window.
    """
    lines = _lines()
    size = features(heads, layers, width, length)
    wanted = [lines[method]] if method in lines else lines.values()
    return max(float(np.dot(line, size)) for line in wanted)


def run_probes(tokens: int, step: float) -> float:
    """Returns the cost of a whole run, its validations included, in probes.

    Args:
        tokens: Training tokens.
        step: Cost of one step.
    """
    validations = _FORWARD * _VALIDATIONS * _VALIDATION_TOKENS / limits.BATCH_TOKENS
    return _START + step * (tokens / limits.BATCH_TOKENS + validations)


def recall_probes(steps: int) -> float:
    """Returns the cost of training a recall model and asking it at every length, in probes.

    Args:
        steps: Of training.
    """
    return _RECALL_START + steps * RECALL_STEP + RECALL_ASKED


def fixed_work() -> None:
    """Does a fixed piece of work: matrix products and exponentials, as a step of training does.

    The matrices are so small that one thread multiplies them: threads that wait for each other on a
    busy machine take processor time as if they worked, ten times as much as the work.
    """
    matrices = np.full((36, 64, 64), 0.01, np.float32)
    for _ in range(4):
        for _ in range(5):
            products = matrices @ matrices
        matrices = np.exp(products * np.float32(-1e-3))


@cache
def probe_seconds() -> float:
    """Returns how long a probe takes on one core of this machine now: the fastest of some."""
    fixed_work()
    return min(_timed() for _ in range(9))


def _timed() -> float:
    # The processor's time: what else the machine does now, it may not do later.
    started = time.process_time()
    for _ in range(3):
        fixed_work()
    return (time.process_time() - started) / 3


@cache
def _lines() -> dict[str, list[float]]:
    content: dict[str, Any] = json.loads(STEP_COSTS.read_text(encoding="utf-8"))
    return content["methods"]  # type: ignore[no-any-return]
