import math

import numpy as np
import pytest
import torch

from alibi_viz.positions import build_position
from alibi_viz.positions.base import PositionConfig
from alibi_viz.positions.t5 import t5_bucket


# By hand: 16 + floor(16 * ln(d / 16) / ln 8), and 31 at most. 16 ln(20/16) / ln 8 = 1.72 and so on.
@pytest.mark.parametrize(
    ("distance", "bucket"),
    [
        (0, 0),
        (1, 1),
        (15, 15),
        (16, 16),
        (18, 16),
        (19, 17),
        (20, 17),
        (21, 18),
        (32, 21),
        (64, 26),
        (91, 29),
        (112, 30),
        (113, 31),
        (128, 31),
        (129, 31),
        (16_383, 31),
    ],
)
def test_buckets_by_hand(distance, bucket):
    assert t5_bucket(np.array([distance])).item() == bucket


def reference_bucket(n):
    """The authors' code for causal attention, with Python's floats."""
    if n < 16:
        return n
    return min(31, 16 + int(math.log(n / 16) / math.log(128 / 16) * 16))


def test_buckets_are_the_authors_at_every_distance():
    distances = np.arange(3000)
    assert t5_bucket(distances).tolist() == [reference_bucket(n) for n in range(3000)]


def test_buckets_never_fall_and_use_all_32():
    buckets = t5_bucket(np.arange(200))
    assert (np.diff(buckets) >= 0).all()
    assert np.unique(buckets).tolist() == list(range(32))


def test_bias_reads_the_heads_own_row():
    position = build_position("t5", PositionConfig(n_head=3, d_model=6))
    position.table.data = torch.arange(96.0).view(3, 32)
    bias = position.bias_by_distance(150)
    assert bias.shape == (3, 150)
    assert bias[0, [0, 5, 149]].tolist() == [0.0, 5.0, 31.0]
    assert bias[2, [0, 5, 149]].tolist() == [64.0, 69.0, 95.0]


def test_gradients_count_the_distances_in_a_bucket():
    position = build_position("t5", PositionConfig(n_head=1, d_model=2))
    position.bias_by_distance(21).sum().backward()
    # Distances 16, 17, 18 share bucket 16; 19 and 20 are in bucket 17.
    assert position.table.grad[0, 15:19].tolist() == [1.0, 3.0, 2.0, 0.0]
