import math
import operator

import numpy as np
import pytest
import torch

from alibi_viz.maths.bias import alibi_bias, bias_by_distance
from alibi_viz.maths.decay import softmax
from alibi_viz.maths.slopes import alibi_slopes

INF = math.inf


def reference_bias(slopes, query_length, key_length, direction):
    """The paper's definition with loops, positions counted from 0."""
    bias = np.empty((len(slopes), query_length, key_length))
    for head, query, key in np.ndindex(bias.shape):
        distance = (key_length - query_length + query) - key
        if direction == "symmetric":
            bias[head, query, key] = -slopes[head] * abs(distance)
        else:
            bias[head, query, key] = -slopes[head] * distance if distance >= 0 else -INF
    return bias


def test_one_head_of_three_tokens_by_hand():
    expected = [[0, -INF, -INF], [-0.25, 0, -INF], [-0.5, -0.25, 0]]
    np.testing.assert_array_equal(alibi_bias(np.array([0.25]), 3)[0], expected)


def test_the_last_row_of_five_tokens_after_the_softmax():
    weights = softmax(alibi_bias(np.array([0.5]), 5))[0]
    np.testing.assert_allclose(weights[-1], [0.0580, 0.0956, 0.1577, 0.2600, 0.4287], atol=5e-5)


def test_the_first_row_sees_only_itself():
    # A bias clamped to 0 above the diagonal, without the mask, would give .25 four times.
    weights = softmax(alibi_bias(np.array([0.5]), 4))[0]
    np.testing.assert_array_equal(weights[0], [1, 0, 0, 0])
    np.testing.assert_allclose(weights[-1], [0.1015, 0.1674, 0.2760, 0.4551], atol=5e-5)


def test_symmetric_bias_looks_both_ways():
    weights = softmax(alibi_bias(np.array([0.5]), 4, direction="symmetric"))[0]
    np.testing.assert_allclose(weights[1], [0.2350, 0.3875, 0.2350, 0.1425], atol=5e-5)


def test_one_query_over_five_keys_is_the_last_row():
    slopes = alibi_slopes(3)
    np.testing.assert_array_equal(alibi_bias(slopes, 1, 5)[:, 0], alibi_bias(slopes, 5)[:, -1])


def test_a_chunk_of_queries_knows_its_offset():
    # Queries 2 and 3 of four keys: distances [[2 1] [3 2]] to the first two keys.
    chunk = alibi_bias(np.array([1.0]), 2, 4)[0]
    np.testing.assert_array_equal(-chunk[:, :2], [[2, 1], [3, 2]])


@pytest.mark.parametrize("direction", ["causal", "symmetric"])
def test_equals_the_definition_written_with_loops(direction):
    slopes = alibi_slopes(3, rule="interleaved")
    ours = alibi_bias(slopes, 5, 7, direction=direction)
    assert ours.shape == (3, 5, 7)
    np.testing.assert_array_equal(ours, reference_bias(slopes, 5, 7, direction))


def test_a_second_call_with_another_shape_gets_its_own_bias():
    alibi_bias(alibi_slopes(8), 4)
    second = alibi_bias(alibi_slopes(4), 6)
    assert second.shape == (4, 6, 6)
    assert second[0, 1, 0] == -0.25


def test_by_distance_holds_the_last_row_backwards():
    slopes = alibi_slopes(3)
    np.testing.assert_array_equal(bias_by_distance(slopes, 7), alibi_bias(slopes, 7)[:, -1, ::-1])


def test_zero_bias_prints_without_a_minus_sign():
    assert not np.signbit(bias_by_distance(alibi_slopes(3), 2)[:, 0]).any()
    assert not np.signbit(alibi_bias(alibi_slopes(3), 2)[0].diagonal()).any()


@pytest.mark.parametrize("form", ["distance", "key position"])
def test_both_published_forms_agree_after_the_causal_softmax(form):
    slopes, length = alibi_slopes(5), 11
    causal = alibi_bias(slopes, length)
    by_key = slopes[:, None, None] * np.arange(length) + np.where(np.isinf(causal), -INF, 0)
    shift = 0 if form == "key position" else length - 1
    np.testing.assert_allclose(softmax(by_key - shift), softmax(causal), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_torch_tensor_gives_the_same_numbers_as_a_tensor(dtype):
    slopes = alibi_slopes(3)
    ours = alibi_bias(torch.tensor(slopes, dtype=dtype), 5, 7)
    assert ours.dtype == dtype
    # The slopes of three heads are rounded in float32, and so are their multiples.
    np.testing.assert_allclose(ours.numpy(), alibi_bias(slopes, 5, 7), rtol=2e-7)
    by_distance = bias_by_distance(torch.tensor(slopes, dtype=dtype), 7)
    np.testing.assert_allclose(by_distance.numpy(), bias_by_distance(slopes, 7), rtol=2e-7)


def test_learned_slopes_get_their_gradient():
    slopes = torch.tensor([0.5, 0.25], requires_grad=True)
    weights = softmax(alibi_bias(slopes, 3))
    weights[:, -1, 0].sum().backward()
    # d/dm of exp(-2m) / (1 + exp(-m) + exp(-2m)), by hand.
    expected = []
    for slope in (0.5, 0.25):
        x = math.exp(-slope)
        expected.append(-(2 * x**2 + x**3) / (1 + x + x**2) ** 2)
    np.testing.assert_allclose(slopes.grad, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alibi_bias([], 3), r"at least one head, got shape \(0,\)"),
        (lambda: alibi_bias([[0.5]], 3), r"at least one head, got shape \(1, 1\)"),
        (lambda: alibi_bias([math.nan], 3), r"slopes must be finite, got \[nan\]"),
        (
            lambda: bias_by_distance(np.array([0.5], np.float16), 600),
            r"float32 or float64, got float16, .* convert them with \.float\(\)",
        ),
        (
            lambda: bias_by_distance(torch.tensor([0.5], dtype=torch.bfloat16), 600),
            r"float32 or float64, got torch\.bfloat16",
        ),
        (lambda: alibi_bias([0.5], 0), "query_length must be a whole number of at least 1, got 0"),
        (lambda: alibi_bias([0.5], 5, 3), "key_length must be a whole number of at least 5, got 3"),
        (
            lambda: alibi_bias([0.5], 3, direction="left"),
            "direction must be one of causal, symmetric, got 'left'",
        ),
        (lambda: bias_by_distance([0.5], 0), "length must be a whole number of at least 1, got 0"),
        (
            lambda: bias_by_distance([0.5], 2.5),
            r"length must be a whole number of at least 1, got 2\.5",
        ),
    ],
)
def test_bad_arguments_are_named_with_what_is_allowed(call, message):
    with pytest.raises(ValueError, match=message):
        operator.call(call)
