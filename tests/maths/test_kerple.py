import math

import numpy as np
import pytest

from alibi_viz.maths.decay import softmax
from alibi_viz.maths.kerple import kerple_log_bias


def test_the_formula_with_loops():
    expected = [-1.5 * math.log(1 + 0.2 * distance) for distance in range(13)]
    np.testing.assert_allclose(kerple_log_bias(1.5, 0.2, 13), expected, rtol=1e-14)


def test_weights_fall_as_a_power_of_distance():
    weights = softmax(kerple_log_bias(3.0, 1.0, 8))
    np.testing.assert_allclose(weights[1:] / weights[0], [2.0**-3, 3.0**-3, 4.0**-3, 5.0**-3,
                                                          6.0**-3, 7.0**-3, 8.0**-3])  # fmt: skip


def test_the_own_token_has_no_penalty():
    first = kerple_log_bias(2.0, 5.0, 1)
    assert first.tolist() == [0.0]
    assert not np.signbit(first).any()


@pytest.mark.parametrize(("r1", "r2", "name"), [(0, 1, "r1"), (1, -2, "r2"), (math.inf, 1, "r1")])
def test_both_numbers_must_be_above_zero(r1, r2, name):
    with pytest.raises(ValueError, match=f"{name} must be above 0 and finite"):
        kerple_log_bias(r1, r2, 5)
