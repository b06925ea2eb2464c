"""Extending Context Window via Positional Interpolation (Chen et al., 2023), section 3.2.

https://arxiv.org/abs/2306.15595

    f'(x, m) = f(x, m L / L')

The paper writes m for a position, L for the training length and L' for the longer one; here the
scale is s = L' / L. Turning by a position divided by s is turning at a frequency divided by s, so
that no pair of channels turns farther than it did in training.
"""

from alibi_viz.maths.arrays import Floats


def interpolated(frequencies: Floats, scale: float, train_length: int) -> Floats:
    """Returns frequency / scale, the same for every pair.

    Args:
        frequencies: (pair,) radians per token.
        scale: How much longer windows get, at least 1.
        train_length: Of no influence here.

    Returns:
        (pair,) radians per token.
    """
    return frequencies / scale
