"""NTK-aware interpolation (bloc97, 2023), as definition 1 of YaRN states it, and its dynamic form.

YaRN (Peng et al., 2023), section 3.1 and 3.3, https://arxiv.org/abs/2309.00071

    b' = b s^(|D| / (|D| - 2))        theta_d = b'^(-2 d / |D|)

The paper writes |D| for the width of a head, d for the pair (here k) and b for the base. Put into
theta the new base divides the frequency of pair k by s^(k / (|D| / 2 - 1)): the first pair keeps
its frequency, the last one loses exactly the factor s.

Dynamic NTK (emozilla, 2023) takes s from the window that comes, and in the form that code knows,
with a factor a of its own:

    b' = b (a T / L - (a - 1))^(|D| / (|D| - 2))

a = 1 is the formula above with s = T / L. Whoever caches keys has to cache them before they are
turned: every longer window turns them anew.
"""

import numpy as np

from alibi_viz.maths.arrays import Floats

DYNAMIC_FACTOR = 2.0
"""The factor a of this project's measurements; `transformers` lets every configuration choose."""


def ntk_aware(frequencies: Floats, scale: float, train_length: int) -> Floats:
    """Returns frequency(k) / scale^(k / (n_pair - 1)).

    Args:
        frequencies: (pair,) radians per token; at least two pairs.
        scale: How much longer windows get, at least 1.
        train_length: Of no influence here.

    Returns:
        (pair,) radians per token; the first as it was, the last divided by `scale`.

    Raises:
        ValueError: A single pair, which would be first and last at once.
    """
    if len(frequencies) < 2:
        raise ValueError(f"NTK-aware interpolation needs at least 2 pairs, got {len(frequencies)}")
    stretched: Floats = frequencies / scale ** np.linspace(0, 1, len(frequencies))
    return stretched


def dynamic_ntk(frequencies: Floats, scale: float, train_length: int) -> Floats:
    """Returns `ntk_aware` of the scale a * scale - (a - 1), with a = `DYNAMIC_FACTOR`.

    Args:
        frequencies: (pair,) radians per token; at least two pairs.
        scale: Length of the window over the training length, at least 1.
        train_length: Of no influence here.

    Returns:
        (pair,) radians per token.
    """
    return ntk_aware(frequencies, DYNAMIC_FACTOR * scale - (DYNAMIC_FACTOR - 1), train_length)
