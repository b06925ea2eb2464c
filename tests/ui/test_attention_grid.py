import numpy as np

from alibi_viz.ui.attention_grid import FAINTEST, as_bytes, round_slope


def test_weights_stand_on_the_ramp_by_their_logarithm():
    weights = np.array([1, FAINTEST**0.25, FAINTEST, FAINTEST / 2, 0], np.float32)
    assert as_bytes(weights).tolist() == [255, 191, 0, 0, 0]


def test_slopes_that_rounding_moved_off_a_power_of_two_are_named_by_it():
    assert round_slope(0.125 * (1 + 3e-5)) == 0.125
    assert round_slope(2**-0.5) == 0.707107
    assert round_slope(0.0) == 0.0
    assert round_slope(-0.25) == -0.25
