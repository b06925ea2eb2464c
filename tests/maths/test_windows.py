import math

import numpy as np
import pytest
import torch

from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.maths.windows import (
    closed_form_window,
    effective_keys,
    effective_window,
    half_life,
)


def reference_window(weights, mass):
    held = 0.0
    for count, weight in enumerate(weights, start=1):
        held += weight
        if held >= mass:
            return count
    return len(weights)


def test_the_own_key_counts_as_the_first():
    assert effective_window(np.array([[0.96, 0.04]]), 0.95).tolist() == [1]


def test_a_mass_that_is_reached_exactly_needs_no_further_key():
    weights = np.array([[0.5, 0.25, 0.25]])
    assert effective_window(weights, 0.75).tolist() == [2]
    assert effective_window(weights, 0.7501).tolist() == [3]


def test_the_papers_steepest_and_flattest_of_eight_heads():
    windows = effective_window(attention_by_distance(alibi_slopes(8), 16_384), 0.95)
    assert windows.tolist() == [6, 12, 24, 48, 96, 192, 384, 767]


def test_a_short_context_cuts_the_window_of_flat_heads_only():
    windows = effective_window(attention_by_distance(alibi_slopes(8), 512), 0.95)
    assert windows.tolist() == [6, 12, 24, 48, 96, 192, 346, 442]


def test_flat_weights_need_their_share_of_the_keys():
    assert effective_window(np.full((1, 20), 0.05), 0.5).tolist() == [10]


@pytest.mark.parametrize("mass", [0.5, 0.9, 0.95, 0.99])
def test_equals_counting_with_a_loop_and_the_closed_form(mass):
    slopes = alibi_slopes(7, 6.0)
    weights = attention_by_distance(slopes, 4_099)
    counted = [reference_window(row, mass) for row in weights]
    assert effective_window(weights, mass).tolist() == counted
    assert closed_form_window(slopes, mass).tolist() == counted


def test_rounding_never_makes_the_window_longer_than_the_context():
    assert effective_window(np.full((1, 3), 1 / 3 - 1e-9), 1 - 1e-12).tolist() == [3]


def test_half_the_weight_is_lost_over_one_half_life():
    assert half_life(np.array([0.5, 1 / 256])) == pytest.approx([1.3863, 177.446], rel=1e-4)


def test_effective_keys_of_even_and_of_single_minded_heads():
    weights = np.array([[0.25, 0.25, 0.25, 0.25], [0.0, 1.0, 0.0, 0.0]])
    np.testing.assert_allclose(effective_keys(weights), [4, 1], rtol=1e-14)


def test_effective_keys_of_a_long_geometric_decay():
    # Entropy of the geometric distribution with ratio x: -ln(1 - x) - x ln(x) / (1 - x).
    x = math.exp(-0.125)
    expected = math.exp(-math.log1p(-x) - x * math.log(x) / (1 - x))
    keys = effective_keys(attention_by_distance(np.array([0.125]), 997))
    assert keys[0] == pytest.approx(expected, rel=1e-12)


def test_the_window_holds_its_mass_and_one_key_less_does_not():
    weights = attention_by_distance(alibi_slopes(5), 1_009)
    windows = effective_window(weights, 0.9)
    for head, window in enumerate(windows):
        assert weights[head, :window].sum() >= 0.9
        assert weights[head, : window - 1].sum() < 0.9


def test_torch_tensors_give_the_same_numbers():
    slopes = alibi_slopes(5)
    weights = attention_by_distance(slopes, 101)
    tensors = attention_by_distance(torch.from_numpy(slopes), 101)
    assert effective_window(tensors, 0.9).tolist() == effective_window(weights, 0.9).tolist()
    np.testing.assert_allclose(effective_keys(tensors), effective_keys(weights), rtol=1e-13)
    torch_slopes = torch.from_numpy(slopes)
    assert (
        closed_form_window(torch_slopes, 0.9).tolist() == closed_form_window(slopes, 0.9).tolist()
    )
    np.testing.assert_allclose(half_life(torch_slopes), half_life(slopes), rtol=1e-15)


@pytest.mark.parametrize("mass", [0, 1, -0.1, 1.5, math.nan])
def test_a_mass_outside_zero_to_one_is_named(mass):
    with pytest.raises(ValueError, match=f"mass must be above 0 and below 1, got {mass}"):
        effective_window(np.ones((1, 1)), mass)
    with pytest.raises(ValueError, match=f"mass must be above 0 and below 1, got {mass}"):
        closed_form_window(np.ones(1), mass)


def test_a_slope_of_zero_has_no_half_life():
    with pytest.raises(ValueError, match=r"slopes must be above 0, got \[0\.5, 0\.0\]"):
        half_life(np.array([0.5, 0.0]))
