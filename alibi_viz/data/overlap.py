"""Which tokens of a text lie in a span that stands word for word in another."""

import numpy as np
from numpy.typing import NDArray

from alibi_viz.data.tokenizer import Tokens

SPAN = 64
"""Tokens that must agree in a row; shorter agreement is language, not copying."""

Hashes = NDArray[np.uint64]


def repeated(tokens: Tokens, others: Tokens, span: int = SPAN) -> NDArray[np.bool_]:
    """Returns whether each token lies in some span of `tokens` that is found in `others`.

    Spans are compared by 64-bit hashes, of which two alike by chance are a matter of one in a
    million for texts of millions of tokens.

    >>> text, training = np.array([1, 2, 3, 4, 5], np.uint16), np.array([9, 2, 3, 4], np.uint16)
    >>> repeated(text, training, span=3).tolist()
    [False, True, True, True, False]

    Args:
        tokens: (token,) ids of the text.
        others: (other,) ids of the text that is searched.
        span: Tokens in a row, at least 1.

    Returns:
        (token,), True where a token was found within a span.
    """
    found = np.isin(_hashes(tokens, span), _hashes(others, span))
    change = np.zeros(len(tokens) + 1, np.int64)
    change[: len(found)] += found
    change[span : span + len(found)] -= found
    return np.cumsum(change)[:-1] > 0


def _hashes(tokens: Tokens, span: int) -> Hashes:
    """A hash of the span that begins at each token, (token - span + 1,)."""
    random = np.random.default_rng(0)
    hashes = random.integers(2**64, size=2**16, dtype=np.uint64)[tokens]
    width = 1
    while width < span:
        # The hash of a span is made of those of its first and last part, which may overlap.
        step = min(width, span - width)
        factor = random.integers(2**63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        first = hashes[: max(0, len(hashes) - step)]
        mixed = (first ^ (first >> np.uint64(29))) * factor
        hashes = mixed + hashes[step:]
        width += step
    return hashes
