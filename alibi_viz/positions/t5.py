"""Exploring the Limits of Transfer Learning (Raffel et al., 2020), https://arxiv.org/abs/1910.10683.

Section 2.1: bias(head, distance) = a trained number for the head and the distance's bucket. 16
buckets hold one distance each, 16 more grow logarithmically, and the last holds all from 113 on.
The table serves all layers. Unlike in T5 itself, logits are divided by sqrt(d_head) before it is
added.
"""

import math

import torch
from torch import Tensor, nn

from alibi_viz.positions.base import PositionConfig, PositionMethod

N_BUCKET = 32
MAX_DISTANCE = 128


def t5_bucket(distance: Tensor) -> Tensor:
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
    ratio = (distance.clamp(min=exact).double() / exact).log() / math.log(MAX_DISTANCE / exact)
    logarithmic = exact + (ratio * (N_BUCKET - exact) + 1e-9).long()
    return torch.where(distance < exact, distance, logarithmic.clamp(max=N_BUCKET - 1))


class T5Bias(PositionMethod):
    """Trained biases by bucket of distance; acts on the logits."""

    def __init__(self, config: PositionConfig) -> None:
        super().__init__(config)
        self.table = nn.Parameter(torch.zeros(config.n_head, N_BUCKET))

    def bias_by_distance(self, length: int, device: torch.device | None = None) -> Tensor:
        """Returns the table's entry for each distance as (head, distance) float32."""
        bucket = t5_bucket(torch.arange(length)).to(self.table.device)
        return self.table.float()[:, bucket].to(device)
