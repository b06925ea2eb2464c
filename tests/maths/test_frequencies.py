import math

import numpy as np
import pytest
import torch

from alibi_viz.maths.frequencies import pair_frequencies, turns_per_token


# The widths of the committed models: 16 channels a head, 128 in the embedding.
@pytest.mark.parametrize("width", [16, 128])
def test_frequencies_are_to_the_bit_those_that_the_committed_models_were_measured_with(width):
    theirs = 10_000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    assert pair_frequencies(width).tolist() == theirs.tolist()


def test_the_papers_wavelengths_run_from_two_pi_to_almost_ten_thousand_times_two_pi():
    wavelengths = 2 * math.pi / pair_frequencies(6)
    expected = [2 * math.pi, 2 * math.pi * 10_000 ** (1 / 3), 2 * math.pi * 10_000 ** (2 / 3)]
    np.testing.assert_allclose(wavelengths, expected, rtol=1e-14)
    np.testing.assert_allclose(1 / turns_per_token(6), expected, rtol=1e-14)


@pytest.mark.parametrize("width", [0, 7])
def test_channels_come_in_pairs(width):
    with pytest.raises(ValueError, match=f"width must be even and at least 2, got {width}"):
        pair_frequencies(width)
