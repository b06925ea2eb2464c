import math

import numpy as np
import pytest

from alibi_viz.maths.sandwich import sandwich_bias


def reference_sandwich(n_head, length, width):
    """Inner products of sinusoidal position vectors, as the paper builds them, with loops."""

    def vector(position):
        angles = [position / 10000 ** (2 * k / width) for k in range(width // 2)]
        return [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]

    last = vector(length - 1)
    products = [
        sum(a * b for a, b in zip(last, vector(length - 1 - distance), strict=True))
        for distance in range(length)
    ]
    return [
        [product / (8 * head / n_head) for product in products] for head in range(1, n_head + 1)
    ]


def test_bias_is_the_inner_product_of_sinusoids_over_the_ratio():
    np.testing.assert_allclose(sandwich_bias(3, 11, 14), reference_sandwich(3, 11, 14), atol=1e-12)


def test_the_own_token_has_half_the_width_over_the_ratio():
    # The paper's width of 128 and ratios 8h/H: 64 / 1, 64 / 2 ... with eight heads.
    np.testing.assert_allclose(sandwich_bias(8, 2)[:, 0], 64 / np.arange(1, 9))


def test_the_own_token_has_the_largest_bias():
    bias = sandwich_bias(5, 301)
    assert (bias.argmax(axis=1) == 0).all()


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="n_head must be a whole number of at least 1, got 0"):
        sandwich_bias(0, 5)
    with pytest.raises(ValueError, match="width must be even and at least 2, got 7"):
        sandwich_bias(2, 5, 7)
    with pytest.raises(ValueError, match="length must be"):
        sandwich_bias(2, 0)
