import numpy as np

from alibi_viz.ui.canvas.grid import FAINTEST, as_bytes


def test_weights_stand_on_the_ramp_by_their_logarithm():
    weights = np.array([1, FAINTEST**0.25, FAINTEST, FAINTEST / 2, 0], np.float32)
    assert as_bytes(weights).tolist() == [255, 191, 0, 0, 0]
