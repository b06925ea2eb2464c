import math

import numpy as np
import pytest

from alibi_viz.model.worked import WORDS, worked_example
from alibi_viz.positions import METHODS

TWICE = [index for index, word in enumerate(WORDS) if word == "the"]


def reference_weights(logits):
    """Causal softmax with loops."""
    weights = np.zeros_like(logits)
    for head in range(len(logits)):
        for query in range(len(WORDS)):
            terms = [math.exp(logits[head, query, key]) for key in range(query + 1)]
            weights[head, query, : query + 1] = np.array(terms) / sum(terms)
    return weights


@pytest.mark.parametrize("method", METHODS)
def test_every_stage_follows_from_the_one_before(method):
    made = worked_example(method)
    assert made.q.shape == (2, 6, 4)
    products = np.array([made.q[h] @ made.k[h].T for h in range(2)]) / 2
    bias = made.logits - products
    np.testing.assert_allclose(made.weights, reference_weights(made.logits), atol=1e-12)
    np.testing.assert_allclose(made.weights.sum(axis=-1), 1, rtol=1e-12)
    output = [[made.weights[h, q] @ made.v[h] for q in range(6)] for h in range(2)]
    np.testing.assert_allclose(made.output, output, atol=1e-12)
    has_bias = METHODS[method].acts_on == "logit"
    assert bool(np.allclose(bias, 0, atol=1e-12)) is not has_bias


def test_alibis_bias_has_the_slopes_of_the_first_two_of_eight_heads():
    made = worked_example("alibi")
    distance = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    np.testing.assert_allclose(made.added[0], -0.5 * distance, atol=1e-12)
    np.testing.assert_allclose(made.added[1], -0.25 * distance, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_only_position_tells_the_two_equal_words_apart(method):
    made = worked_example(method)
    first, second = TWICE
    np.testing.assert_array_equal(made.token_embedding[first], made.token_embedding[second])
    last = made.weights[:, -1]
    same = np.allclose(last[:, first], last[:, second], atol=1e-12)
    assert same is (method == "nope")


@pytest.mark.parametrize("method", METHODS)
def test_content_is_the_same_for_every_method(method):
    np.testing.assert_array_equal(
        worked_example(method).plain_logits, worked_example("nope").logits
    )


def test_position_acts_where_the_registry_says():
    plain = worked_example("nope")
    for key, method in METHODS.items():
        made = worked_example(key)
        assert np.allclose(made.embedding, plain.embedding) is (method.acts_on != "embedding")
        in_queries = not np.allclose(made.q, plain.q)
        assert in_queries is (method.acts_on in ("embedding", "query_key"))
        assert np.allclose(made.v, plain.v) is (method.acts_on != "embedding")
