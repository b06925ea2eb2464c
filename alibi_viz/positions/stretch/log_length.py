"""Attention logits that grow with the logarithm of the window, for any position method.

Overcoming a Theoretical Limitation of Self-Attention (Chiang and Cholak, 2022),
https://arxiv.org/abs/2202.12172

    softmax(log n  q . k / sqrt(d))

The paper writes n for the length of the input. A softmax over more keys spreads thinner unless the
logits grow; here the factor is 1 up to the training length: ln T / ln L. It multiplies the content,
not a bias, which counts nats of its own.
"""

import math


def log_length_factor(scale: float, train_length: int) -> float:
    """Returns ln(scale * train_length) / ln(train_length), by which content logits are multiplied.

    >>> log_length_factor(16.0, 16)
    2.0

    Args:
        scale: Length of the window over the training length, at least 1.
        train_length: Tokens in a training window, at least 2.
    """
    return 1 + math.log(scale) / math.log(train_length)
