"""One head of attention over a sentence of six words, small enough to follow by hand.

The head's matrices are drawn once, from a seed: it has learned nothing, so whatever it tells apart
it tells apart because of a position method, or of the causal mask.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.decay import softmax
from alibi_viz.positions import METHODS
from alibi_viz.positions.base import EMBEDDING_STD, PositionConfig

SENTENCES = {
    "dog first": ("the", "dog", "bit", "the", "man", "yesterday"),
    "man first": ("the", "man", "bit", "the", "dog", "yesterday"),
}
FIXED_METHODS = tuple(key for key, method in METHODS.items() if not method.learns)
"""The position methods that need no training, which is what this head has had."""

D_MODEL = 16
SEED = 6
N_HEAD = 8
"""Heads of which the first is shown: the flattest slope would not show in six words."""


@dataclass(frozen=True)
class WordAttention:
    """What one head does with one sentence."""

    words: tuple[str, ...]
    attn_weights: Floats
    """(query, key) attention weights; each row sums to 1."""
    outputs: Floats
    """(query, d_model) what the head passes on: the weighted sums of the words' values."""


@cache
def word_attention(method: str, order: str, causal: bool = True) -> WordAttention:
    """Returns the attention of one head over a sentence.

    Args:
        method: One of `FIXED_METHODS`.
        order: Key of `SENTENCES`.
        causal: Whether a query sees only itself and what stands before it.

    Returns:
        Weights and outputs of all six queries.

    Raises:
        ValueError: A method that would need training, or an unknown one.
    """
    if method not in FIXED_METHODS:
        raise ValueError(f"method must be one of {', '.join(FIXED_METHODS)}, got {method!r}")
    words = SENTENCES[order]
    logits, v = _logits(method, words)
    if causal:
        logits[np.triu(np.ones(logits.shape, dtype=bool), 1)] = -np.inf
    weights = softmax(logits)
    return WordAttention(words, weights, weights @ v)


def _logits(method: str, words: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Returns the logits as (query, key), and the values as (key, d_model)."""
    position = METHODS[method](PositionConfig(n_head=N_HEAD, d_model=D_MODEL))
    x = np.stack([_embedding(word) for word in words])
    matrices = np.random.default_rng(SEED).normal(size=(3, D_MODEL, D_MODEL), scale=D_MODEL**-0.5)
    # Methods expect embeddings of the model's size; its normalisation takes that away again.
    embedded = position.embed(EMBEDDING_STD * x[None])[0] / EMBEDDING_STD
    q, k, v = (embedded @ matrix for matrix in matrices)
    q, k = (part[0, 0] for part in position.rotate(q[None, None], k[None, None]))
    logits = q @ k.T / D_MODEL**0.5
    bias, place = position.bias_by_distance(len(words)), np.arange(len(words))
    if bias is not None:
        logits = logits + bias[0][abs(place[:, None] - place)]
    return logits, v


def _embedding(word: str) -> Floats:
    """Returns the word's vector, (d_model,): the same wherever it stands."""
    return np.random.default_rng(list(word.encode())).normal(size=D_MODEL)
