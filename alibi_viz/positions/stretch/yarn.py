"""YaRN's temperature (Peng et al., 2023), section 3.4, https://arxiv.org/abs/2309.00071.

    softmax(q . k / (t sqrt(|D|))),    sqrt(1 / t) = 0.1 ln s + 1

YaRN is NTK-by-parts and this temperature together. The paper writes |D| for the width of a head.
It multiplies queries and keys by sqrt(1 / t) each (its code: cosines and sines), so that a logit
grows by the square. The coefficient was fitted on Llama; DeepSeek's models use another.
"""

import math


def yarn_logit_factor(scale: float) -> float:
    """Returns 1 / t = (0.1 ln scale + 1)^2, by which content logits are multiplied.

    >>> yarn_logit_factor(1.0), round(yarn_logit_factor(32.0), 4)
    (1.0, 1.8133)

    Args:
        scale: How much longer windows get, at least 1.
    """
    return (0.1 * math.log(scale) + 1) ** 2
