import math

import numpy as np
import pytest
import torch

from alibi_viz.maths.decay import softmax
from alibi_viz.maths.kerple import kerple_log_bias


def test_the_formula_with_loops():
    r1, r2 = (1.5, 0.3), (0.2, 4.0)
    expected = [
        [-a * math.log(1 + b * distance) for distance in range(13)]
        for a, b in zip(r1, r2, strict=True)
    ]
    np.testing.assert_allclose(kerple_log_bias(r1, r2, 13), expected, rtol=1e-14)


def test_a_tensor_gives_a_tensor_with_the_same_numbers():
    r1, r2 = torch.tensor([1.5, 0.3]).double(), torch.tensor([0.2, 4.0]).double()
    bias = kerple_log_bias(r1, r2, 13)
    assert isinstance(bias, torch.Tensor)
    np.testing.assert_allclose(bias, kerple_log_bias(r1.numpy(), r2.numpy(), 13), rtol=1e-14)


def test_weights_fall_as_a_power_of_distance():
    weights = softmax(kerple_log_bias([3.0], [1.0], 8))[0]
    np.testing.assert_allclose(weights[1:] / weights[0], [2.0**-3, 3.0**-3, 4.0**-3, 5.0**-3,
                                                          6.0**-3, 7.0**-3, 8.0**-3])  # fmt: skip


def test_the_own_token_has_no_penalty():
    first = kerple_log_bias([2.0], [5.0], 1)
    assert first.tolist() == [[0.0]]
    assert not np.signbit(first).any()


@pytest.mark.parametrize(("r1", "r2", "name"), [(0, 1, "r1"), (1, -2, "r2"), (math.inf, 1, "r1")])
def test_both_numbers_must_be_above_zero(r1, r2, name):
    with pytest.raises(ValueError, match=f"{name} must be above 0 and finite"):
        kerple_log_bias([r1], [r2], 5)
