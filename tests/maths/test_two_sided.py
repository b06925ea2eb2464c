import numpy as np
import pytest

from alibi_viz.maths.bias import alibi_bias
from alibi_viz.maths.decay import softmax
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.maths.two_sided import SIDES, bias_by_offset, side_slopes


def as_matrix(by_offset, length):
    """Rebuilds (head, query, key) from (head, offset) with loops."""
    matrix = np.empty((len(by_offset), length, length))
    for query in range(length):
        for key in range(length):
            matrix[:, query, key] = by_offset[:, key - query + length - 1]
    return matrix


@pytest.mark.parametrize("sides", ["causal", "symmetric"])
def test_causal_and_symmetric_are_the_published_matrices(sides):
    expected = alibi_bias(alibi_slopes(3), 7, direction=sides)
    np.testing.assert_array_equal(as_matrix(bias_by_offset(3, 7, sides), 7), expected)


def test_symmetric_weights_by_hand():
    # L = 4, slope 1/2, query 1: the known row of an encoder.
    [head] = as_matrix(0.5 / 2**-8 * bias_by_offset(1, 4, "symmetric"), 4)
    np.testing.assert_allclose(softmax(head)[1], [0.2350, 0.3875, 0.2350, 0.1425], atol=5e-5)


def test_half_of_the_heads_look_left_and_half_right():
    bias = bias_by_offset(6, 5, "left_right")
    slopes = alibi_slopes(3)
    for head in range(3):
        left, right = bias[head], bias[3 + head]
        np.testing.assert_array_equal(left[5:], [-np.inf] * 4)
        np.testing.assert_array_equal(right[:4], [-np.inf] * 4)
        np.testing.assert_array_equal(left[:5], -slopes[head] * np.arange(4, -1, -1))
        np.testing.assert_array_equal(right, left[::-1])


def test_no_zero_is_negative():
    for sides in SIDES:
        assert not np.signbit(bias_by_offset(2, 3, sides)[:, 2]).any()


def test_left_right_needs_pairs_of_heads():
    with pytest.raises(ValueError, match="even number of heads, got 5"):
        side_slopes(5, "left_right")
    with pytest.raises(ValueError, match="causal, symmetric, left_right, got 'both'"):
        bias_by_offset(4, 3, "both")
    with pytest.raises(ValueError, match="length must be"):
        bias_by_offset(4, 0, "causal")
