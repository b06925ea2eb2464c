import numpy as np
import pytest
import torch

from alibi_viz.maths.decay import attention_by_distance, softmax
from alibi_viz.maths.slopes import alibi_slopes


def reference_attention(slope, query, content):
    """Softmax of one query with loops in float64, nearest key first."""
    unnormalised = [np.exp(content[d] - slope * d) for d in range(query + 1)]
    return np.array(unnormalised) / sum(unnormalised)


def test_four_tokens_at_slope_one_half_by_hand():
    weights = attention_by_distance(np.array([0.5]), 4)
    np.testing.assert_allclose(weights[0], [0.4551, 0.2760, 0.1674, 0.1015], atol=5e-5)


def test_zero_content_loses_the_same_factor_with_every_token():
    slopes = alibi_slopes(3)
    weights = attention_by_distance(slopes, 17)
    ratio = weights[:, 1:] / weights[:, :-1]
    np.testing.assert_allclose(ratio, np.exp(-slopes)[:, None] * np.ones((1, 16)), rtol=1e-12)


def test_an_earlier_query_has_only_its_own_past():
    slopes = alibi_slopes(3)
    early = attention_by_distance(slopes, 17, query=4)
    np.testing.assert_array_equal(early, attention_by_distance(slopes, 5))


def test_the_first_query_has_one_key():
    np.testing.assert_array_equal(attention_by_distance(alibi_slopes(2), 7, query=0), [[1.0]] * 2)


@pytest.mark.parametrize("per_head", [True, False])
def test_content_is_added_to_the_logits(per_head):
    slopes = alibi_slopes(3)
    content = np.random.default_rng(5).normal(size=(3, 11) if per_head else 11)
    ours = attention_by_distance(slopes, 13, query=10, content=content)
    for head in range(3):
        row = content[head] if per_head else content
        np.testing.assert_allclose(
            ours[head], reference_attention(slopes[head], 10, row), rtol=1e-12
        )


def test_content_beats_distance_by_the_nats_that_the_distance_costs():
    content = np.zeros(9)
    content[8] = 8 * 0.25
    weights = attention_by_distance(np.array([0.25]), 9, content=content)[0]
    assert weights[8] == pytest.approx(weights[0], rel=1e-12)


def test_every_head_sums_to_one_at_the_largest_length_that_the_app_offers():
    weights = attention_by_distance(alibi_slopes(64, 16.0), 16_384)
    assert weights.shape == (64, 16_384)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-12)


def test_a_torch_tensor_gives_the_same_numbers_as_a_tensor():
    slopes = alibi_slopes(5)
    ours = attention_by_distance(torch.from_numpy(slopes), 13)
    assert isinstance(ours, torch.Tensor)
    np.testing.assert_allclose(ours.numpy(), attention_by_distance(slopes, 13), rtol=1e-14)


def test_softmax_survives_logits_that_overflow_the_exponential():
    np.testing.assert_allclose(softmax(np.array([1000.0, 1000.0, -np.inf])), [0.5, 0.5, 0.0])


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"length": 0}, "length must be a whole number of at least 1, got 0"),
        ({"length": 7, "query": 7}, "query must be a position from 0 to 6, got 7"),
        ({"length": 7, "query": -1}, "query must be a position from 0 to 6, got -1"),
        (
            {"length": 7, "content": np.zeros(6)},
            r"content must have shape \(7,\) or \(2, 7\), got \(6,\)",
        ),
    ],
)
def test_bad_arguments_are_named_with_what_is_allowed(keywords, message):
    with pytest.raises(ValueError, match=message):
        attention_by_distance(alibi_slopes(2), **keywords)
