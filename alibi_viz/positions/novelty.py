"""What is new to a model past its training length, per method: as numbers.

A method hands the model numbers that depend on position or distance. In training it saw some range
of each; past its training length it meets others, or meets the same again, or nothing at all.

alibi:       each head's penalty, in nats, grows with distance: all beyond is below every seen bias
kerple:      the same, ever more slowly
sinusoidal:  each pair of channels is a point on a circle: new until it has been once around
rope:        the same for the angle between query and key
learned:     rows of a table that past the training length do not exist
t5:          buckets of distance: beyond 128 tokens all share the last one
nope:        nothing
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.frequencies import turns_per_token
from alibi_viz.positions.alibi import ALiBi
from alibi_viz.positions.base import PositionMethod
from alibi_viz.positions.kerple import KERPLE
from alibi_viz.positions.learned import Learned
from alibi_viz.positions.nope import NoPE
from alibi_viz.positions.rope import RoPE
from alibi_viz.positions.sinusoidal import Sinusoidal
from alibi_viz.positions.t5 import T5Bias, t5_bucket

Part = Literal["head", "pair", "row", "bucket", "nothing"]


@dataclass(frozen=True)
class Novelty:
    """Per part of a method, how far training reached and how far the longer input reaches."""

    part: Part
    """What is counted: heads, pairs of channels, rows or buckets of a table."""
    seen: Floats
    """(part,) the largest value in training."""
    met: Floats
    """(part,) the largest value in the longer input; NaN where the method has none."""
    least: Floats
    """(part,) the smallest penalty above 0, that of one token back; 0 where no penalty is met."""
    limit: float
    """No value can be above this: 1 turn of a circle, the last bucket; infinite if none."""

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """(part,) whether the longer input brings values that training never had."""
        return ~(self.met <= self.seen)


def novelty(position: PositionMethod, train_length: int, eval_length: int) -> Novelty:
    """Returns what an input of `eval_length` brings that training on `train_length` did not.

    Args:
        position: The method.
        train_length: Tokens in a training window, at least 1.
        eval_length: Tokens in the longer input, at least `train_length`.

    Returns:
        Largest values seen and met: ALiBi's penalty in nats, turns of a circle up to 1, rows of a
        table, or buckets.

    Raises:
        ValueError: A training length below 1, or a shorter evaluation length.
    """
    if not 1 <= train_length <= eval_length:
        raise ValueError(
            "train_length must be at least 1 and eval_length at least as much, got "
            f"{train_length} and {eval_length}"
        )
    # The largest distance in a window, and its last position, is one less than its length.
    last = np.array([train_length - 1, eval_length - 1])
    if isinstance(position, ALiBi | KERPLE):
        penalty = 0 - position.bias_by_distance(max(eval_length, 2)).detach().double().numpy()
        return _novelty("head", penalty[:, last], math.inf, least=penalty[:, 1])
    if isinstance(position, Sinusoidal | RoPE):
        width = position.config.d_head if isinstance(position, RoPE) else position.config.d_model
        return _novelty("pair", np.minimum(turns_per_token(width)[:, None] * last, 1.0), 1.0)
    if isinstance(position, Learned):
        rows = position.table.shape[0]
        met = float(last[1]) if eval_length <= rows else math.nan
        return _novelty("row", np.array([[min(last[0], rows - 1), met]]), rows - 1)
    if isinstance(position, T5Bias):
        # A window meets the bucket of every distance up to its last; buckets never go down.
        reached = t5_bucket(torch.as_tensor(last)).double().numpy()
        return _novelty("bucket", reached[None], position.table.shape[1] - 1)
    if isinstance(position, NoPE):
        return _novelty("nothing", np.zeros((0, 2)), 0.0)
    raise ValueError(f"nobody has said what a longer input brings {type(position).__name__}")


def _novelty(part: Part, reached: Floats, limit: float, least: Floats | None = None) -> Novelty:
    seen, met = reached.T
    return Novelty(part, seen, met, np.zeros(len(seen)) if least is None else least, limit)
