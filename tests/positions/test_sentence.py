import numpy as np
import pytest

from alibi_viz.positions.sentence import FIXED_METHODS, word_attention


@pytest.mark.parametrize("method", FIXED_METHODS)
@pytest.mark.parametrize("causal", [True, False])
def test_each_query_shares_out_all_of_its_attention(method, causal):
    weights = word_attention(method, "dog first", causal).attn_weights
    assert weights.sum(axis=1) == pytest.approx(np.ones(6), abs=1e-12)
    assert (np.triu(weights, 1) == 0).all() == causal


def test_without_a_method_equal_words_have_equal_weights():
    weights = word_attention("nope", "dog first", causal=False).attn_weights
    assert weights[:, 0] == pytest.approx(weights[:, 3], abs=1e-15)


@pytest.mark.parametrize("method", ["sinusoidal", "rope", "alibi"])
def test_every_method_parts_equal_words(method):
    weights = word_attention(method, "dog first").attn_weights[-1]
    assert abs(weights[0] - weights[3]) > 0.01


def test_alibi_parts_equal_words_by_the_slope_alone():
    # The two "the" are 3 tokens apart: their logits differ by 3 slopes, 1/2 each.
    weights = word_attention("alibi", "dog first").attn_weights[-1]
    assert np.log(weights[3] / weights[0]) == pytest.approx(3 * 0.5, abs=1e-12)


def test_a_method_that_would_need_training_is_refused():
    with pytest.raises(ValueError, match=r"method must be one of .*, got 'learned'"):
        word_attention("learned", "dog first")
