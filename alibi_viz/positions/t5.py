"""Exploring the Limits of Transfer Learning (Raffel et al., 2020), https://arxiv.org/abs/1910.10683.

Section 2.1: bias(head, distance) = a trained number for the head and the distance's bucket. 16
buckets hold one distance each, 16 more grow logarithmically, and the last holds all from 113 on.
The table serves all layers. Unlike in T5 itself, logits are divided by sqrt(d_head) before it is
added.
"""

import math

import numpy as np
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Array, as_float32
from alibi_viz.positions.base import EMBEDDING_STD, Draws, PositionMethod
from alibi_viz.positions.novelty import Novelty

N_BUCKET = 32
MAX_DISTANCE = 128


def t5_bucket(distance: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the bucket of each distance, for causal attention.

    bucket = distance                                                        below 16
    bucket = 16 + floor(16 * ln(distance / 16) / ln(128 / 16)), at most 31   from 16 on

    Args:
        distance: Whole numbers >= 0, in tokens, of any shape.

    Returns:
        Whole numbers 0 .. 31, of the same shape.

    Source: the authors' code, https://github.com/google-research/text-to-text-transfer-transformer;
        with bidirectional=False, num_buckets=32, max_distance=128.
    """
    exact = N_BUCKET // 2
    # Float64: a distance just below the edge of a bucket may be rounded past it in float32.
    ratio = np.log(np.maximum(distance, exact) / exact) / math.log(MAX_DISTANCE / exact)
    logarithmic = exact + (ratio * (N_BUCKET - exact) + 1e-9).astype(np.int64)
    return np.where(distance < exact, distance, np.minimum(logarithmic, N_BUCKET - 1))


class T5Bias(PositionMethod):
    """Trained biases by bucket of distance; acts on the logits."""

    key = "t5"
    label = "T5 bias"
    paper = "Raffel et al., 2020, https://arxiv.org/abs/1910.10683"
    acts_on = "logit"
    equation = r"\frac{q_i \cdot k_j}{\sqrt d} + b_{h,\,\mathrm{bucket}(i - j)}"
    formula = "q · k / √d  <b>+ b[bucket(i − j)]</b>"
    learns = "its table, n_head × 32"
    style = "pink"
    probed_as = "nonlinear"
    # A table's entries are used as they are, not multiplied by an input: they need larger steps.
    learning_rate_factor = 10.0

    def start(self, draws: Draws) -> dict[str, Array]:
        """Returns a table drawn as every matrix of a model is, (head, bucket)."""
        size = (self.config.n_head, N_BUCKET)
        return {"table": EMBEDDING_STD * draws.standard_normal(size)}

    def bias_by_distance(self, length: int) -> Array:
        """Returns the table's entry for each distance as (head, distance) float32."""
        return as_float32(self.learned["table"])[:, t5_bucket(np.arange(length))]

    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns the last bucket that each length meets; buckets never go down."""
        seen, met = t5_bucket(np.array([train_length - 1, eval_length - 1])).astype(float)
        is_new = met > seen
        return Novelty(
            part="table",
            unit="bucket of the table",
            seen=np.array([seen]),
            met=np.array([met]),
            lowest=np.zeros(1),
            ends=(0.0, 1.04 * (N_BUCKET - 1)),
            told=f"The largest bucket is {seen:.0f} in training and {met:.0f} here: it "
            f"{'is new' if is_new else 'was met in training'}. All distances far away share the "
            "last bucket, and so one bias.",
            news="a bucket is new" if is_new else "nothing is new: the last bucket takes them all",
        )
