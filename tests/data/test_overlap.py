import numpy as np
import pytest

from alibi_viz.data.overlap import repeated


def reference_repeated(tokens, others, span):
    """Compares every span with every span."""
    tokens, others = tokens.tolist(), others.tolist()
    seen = {tuple(others[i : i + span]) for i in range(len(others) - span + 1)}
    inside = [False] * len(tokens)
    for i in range(len(tokens) - span + 1):
        if tuple(tokens[i : i + span]) in seen:
            inside[i : i + span] = [True] * span
    return inside


@pytest.mark.parametrize("span", [1, 2, 3, 5, 8, 13])
def test_tokens_within_a_common_span_are_found(span):
    random = np.random.default_rng(span)
    tokens, others = (random.integers(0, 3, n).astype(np.uint16) for n in (211, 97))
    others[30:60] = tokens[100:130]
    assert repeated(tokens, others, span).tolist() == reference_repeated(tokens, others, span)


def test_a_span_that_is_one_token_short_is_not_found():
    tokens = np.arange(1000, dtype=np.uint16)
    others = np.concatenate([tokens[300:363], [7], tokens[700:764]]).astype(np.uint16)
    assert np.nonzero(repeated(tokens, others))[0].tolist() == list(range(700, 764))


def test_order_matters():
    tokens = np.array([5, 6, 7, 8], np.uint16)
    assert not repeated(tokens, tokens[::-1].copy(), 4).any()
    assert not repeated(np.array([5, 5, 6], np.uint16), np.array([5, 6, 6], np.uint16), 3).any()


def test_texts_shorter_than_a_span_have_nothing_in_common():
    short = np.arange(5, dtype=np.uint16)
    assert repeated(short, short, 7).tolist() == [False] * 5
