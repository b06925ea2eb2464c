import math

import numpy as np
import torch

from alibi_viz.positions import build_position
from alibi_viz.positions.base import EMBEDDING_STD, PositionConfig
from alibi_viz.positions.sinusoidal import sinusoidal_embedding


def reference_sinusoids(length, d_model):
    """Section 3.5, word for word, in float64."""
    rows = []
    for pos in range(length):
        row = []
        for i in range(d_model // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float64)


def test_sinusoids_are_the_papers():
    np.testing.assert_allclose(
        sinusoidal_embedding(13, 22), reference_sinusoids(13, 22), atol=1e-7, rtol=0
    )


def test_position_zero_is_zeros_and_ones():
    assert sinusoidal_embedding(1, 6).tolist() == [[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]]


def test_far_positions_lose_no_digits():
    far = sinusoidal_embedding(16_384, 2)[-1, 0].item()
    # Rounding the result to float32 is the only error.
    assert abs(far - math.sin(16_383)) < 1e-7


def test_sinusoids_are_added_at_the_size_of_a_token_embedding():
    position = build_position("sinusoidal", PositionConfig(n_head=1, d_model=22))
    x = torch.randn(3, 13, 22)
    torch.testing.assert_close(
        position.embed(x) - x,
        (EMBEDDING_STD * reference_sinusoids(13, 22)).float().expand(3, 13, 22),
        # Adding to numbers of size 1 and subtracting them again costs half a unit of float32.
        atol=3e-7,
        rtol=0,
    )
