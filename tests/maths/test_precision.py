import math

import numpy as np
import pytest
import torch

from alibi_viz.maths.precision import (
    BIAS_FORMS,
    NUMBER_TYPES,
    distinct_biases,
    first_collision,
    last_row_bias,
    moved_attention,
    rounded,
    total_variation,
    weights_in,
)
from alibi_viz.maths.slopes import alibi_slopes

FIRST_OF_32 = alibi_slopes(32)[:1]
FLATTEST = np.array([1 / 256])


@pytest.mark.parametrize("number_type", NUMBER_TYPES)
def test_rounding_is_that_of_torch(number_type):
    # Sizes across many exponents, signs, ties (odd halves) and zeros.
    values = np.random.default_rng(7).normal(size=4001) * np.exp2(np.arange(4001) % 29 - 14)
    values = np.concatenate([values, np.arange(-515, 515) * 0.5, [0.0, 2.0**-14, 257.0, 2049.0]])
    theirs = torch.as_tensor(values, dtype=torch.float32).to(getattr(torch, number_type))
    np.testing.assert_array_equal(
        rounded(values.astype(np.float32).astype(np.float64), number_type),
        theirs.double().numpy(),
    )


@pytest.mark.parametrize(
    ("number_type", "whole"), [("bfloat16", 256), ("float16", 2048), ("float32", 2**24)]
)
def test_whole_numbers_are_exact_up_to_two_to_the_significant_bits(number_type, whole):
    held = rounded(np.array([whole - 1.0, whole, whole + 1.0]), number_type)
    assert held.tolist() == [whole - 1, whole, whole]


@pytest.mark.parametrize(("number_type", "left"), [("bfloat16", 769), ("float16", 3073)])
def test_slope_1_256_keeps_so_many_of_4096_biases(number_type, left):
    assert distinct_biases(FLATTEST, 4096, number_type).tolist() == [left]
    assert distinct_biases(FLATTEST, 4096, "float32").tolist() == [4096]


@pytest.mark.parametrize(
    ("number_type", "form", "moved"),
    [
        ("bfloat16", "key", 0.53),
        ("float16", "key", 0.11),
        ("bfloat16", "distance", 0.0006),
        ("float16", "distance", 0.00005),
    ],
)
def test_the_first_of_32_heads_moves_so_much_attention(number_type, form, moved):
    [share] = moved_attention(FIRST_OF_32, 2048, number_type, form)
    digits = 2 if form == "key" else (4 if number_type == "bfloat16" else 5)
    assert round(float(share), digits) == moved


@pytest.mark.parametrize("form", BIAS_FORMS)
def test_both_forms_are_the_same_softmax_in_exact_arithmetic(form):
    slopes = alibi_slopes(3)
    unnormalised = [[math.exp(-slope * distance) for distance in range(11)] for slope in slopes]
    expected = [[term / sum(row) for term in row] for row in unnormalised]
    np.testing.assert_allclose(weights_in(slopes, 11, "float32", form), expected, rtol=2e-6)


def test_the_key_form_counts_from_the_other_end():
    assert last_row_bias(np.array([0.5]), 4, "distance").tolist() == [[0.0, -0.5, -1.0, -1.5]]
    assert last_row_bias(np.array([0.5]), 4, "key").tolist() == [[1.5, 1.0, 0.5, 0.0]]


def test_total_variation_of_disjoint_weights_is_one_and_of_equal_ones_zero():
    left, right = np.array([[1.0, 0.0], [0.3, 0.7]]), np.array([[0.0, 1.0], [0.3, 0.7]])
    assert total_variation(left, right).tolist() == [1.0, 0.0]


def test_neighbours_collide_just_past_the_exact_whole_numbers():
    # Slope 1: bfloat16 holds 0 .. 256; 257 is rounded to 256.
    assert first_collision(np.array([1.0]), 300, "bfloat16").tolist() == [257]
    assert first_collision(np.array([1.0, 0.5]), 200, "bfloat16").tolist() == [200, 200]


def test_unknown_types_and_forms_are_named():
    with pytest.raises(ValueError, match="float32, bfloat16, float16, got 'float8'"):
        rounded(np.ones(2), "float8")
    with pytest.raises(ValueError, match="distance, key, got 'row'"):
        last_row_bias(FLATTEST, 5, "row")
    with pytest.raises(ValueError, match="length must be a whole number of at least 1, got 0"):
        last_row_bias(FLATTEST, 0, "key")
