"""NTK-by-parts interpolation: YaRN (Peng et al., 2023), section 3.2, https://arxiv.org/abs/2309.00071.

    h(theta_d) = (1 - gamma(r)) theta_d / s + gamma(r) theta_d,    r(d) = L / lambda_d
    gamma(r) = 0 below alpha, 1 above beta, (r - alpha) / (beta - alpha) between

The paper writes d for the pair (here k), lambda_d for its wavelength, so that r is how often the
pair goes round in training. Pairs that go round more than beta = 32 times are left alone; those
that do not go round once, alpha = 1, are interpolated. The two numbers were found for Llama
(d_head 128, 4,096 tokens); the paper says that others have to be tuned case by case.

The authors' code, and `transformers` after it, is another ramp: linear in k, not in r, between the
pairs at which r would be 32 and 1, rounded outwards to whole pairs. Both are here, by name.
"""

import math

import numpy as np

from alibi_viz.maths.arrays import Floats

SLOW_TURNS = 1.0
"""The paper's alpha: turns in training up to which a pair is interpolated."""
FAST_TURNS = 32.0
"""The paper's beta: turns in training from which a pair is left alone."""


def turns_in_training(frequencies: Floats, train_length: int) -> Floats:
    """Returns r, how often each pair goes round within the training length: (pair,) turns."""
    turns: Floats = train_length * frequencies / (2 * math.pi)
    return turns


def by_parts(frequencies: Floats, scale: float, train_length: int) -> Floats:
    """Returns the paper's mixture of frequency / scale and frequency, by turns in training.

    Args:
        frequencies: (pair,) radians per token.
        scale: How much longer windows get, at least 1.
        train_length: Tokens in a training window.

    Returns:
        (pair,) radians per token.
    """
    turns = turns_in_training(frequencies, train_length)
    kept = np.clip((turns - SLOW_TURNS) / (FAST_TURNS - SLOW_TURNS), 0, 1)
    return _mixed(frequencies, scale, kept)


def by_parts_as_coded(frequencies: Floats, scale: float, train_length: int) -> Floats:
    """Returns the same mixture by the ramp of the authors' code, linear in the number of the pair.

    Args:
        frequencies: (pair,) radians per token, a geometric sequence of at least two.
        scale: How much longer windows get, at least 1.
        train_length: Tokens in a training window.

    Returns:
        (pair,) radians per token.

    Source: `find_correction_range` in https://github.com/jquesnelle/yarn.
    """
    step = math.log(frequencies[0] / frequencies[1])
    turns = turns_in_training(frequencies, train_length)[0]
    first = max(math.floor(math.log(turns / FAST_TURNS) / step), 0)
    # The code's upper limit counts channels, not pairs; it never binds where the base is 10,000.
    last = min(math.ceil(math.log(turns / SLOW_TURNS) / step), 2 * len(frequencies) - 1)
    width = last - first if last != first else 0.001
    kept = 1 - np.clip((np.arange(len(frequencies)) - first) / width, 0, 1)
    return _mixed(frequencies, scale, kept)


def _mixed(frequencies: Floats, scale: float, kept: Floats) -> Floats:
    mixed: Floats = frequencies * ((1 - kept) / scale + kept)
    return mixed
