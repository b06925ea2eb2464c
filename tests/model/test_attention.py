import math

import pytest
import torch

from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.model.attention import bias_for_blocks, causal_attention, toeplitz_bias


def reference_attention(q, k, v, bias):
    """One query at a time, in float64."""
    batch, head, length, d_head = q.shape
    q, k, v = q.double(), k.double(), v.double()
    output = torch.zeros_like(q)
    for b in range(batch):
        for h in range(head):
            for i in range(length):
                logits = k[b, h, : i + 1] @ q[b, h, i] / math.sqrt(d_head)
                if bias is not None:
                    logits = logits + bias[h, : i + 1].flip(0).double()
                output[b, h, i] = logits.softmax(0) @ v[b, h, : i + 1]
    return output


def inputs(length=23, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(2, 3, length, 5, generator=generator) for _ in range(3)]


@pytest.mark.parametrize("block", [1, 4, 7, 22, 23, 64])
def test_blocks_of_any_size_equal_the_reference(block):
    q, k, v = inputs()
    bias = torch.randn(3, 23, generator=torch.Generator().manual_seed(1))
    output = causal_attention(q, k, v, bias_for_blocks(bias, 23, block))
    # float32 sums of 23 terms of size 1.
    torch.testing.assert_close(
        output.double(), reference_attention(q, k, v, bias), atol=1e-5, rtol=0
    )


def test_without_a_bias_attention_is_plain_causal():
    q, k, v = inputs()
    torch.testing.assert_close(
        causal_attention(q, k, v).double(), reference_attention(q, k, v, None), atol=1e-5, rtol=0
    )


def test_zero_content_gives_the_softmax_of_the_bias():
    # Slope 1/2, five keys: alibi.md's last row.
    _, _, v = inputs(5)
    zero = torch.zeros_like(v)
    bias = bias_by_distance(torch.full((3,), 0.5), 5)
    output = causal_attention(zero, zero, torch.eye(5).expand(2, 3, 5, 5), bias_for_blocks(bias, 5))
    expected = torch.tensor([0.0580, 0.0956, 0.1577, 0.2600, 0.4287])
    torch.testing.assert_close(output[1, 2, -1], expected, atol=5e-5, rtol=0)


def test_gradients_through_blocks_equal_those_through_one_matrix():
    gradients = []
    for block in (4, 23):
        q, k, v = (x.requires_grad_() for x in inputs())
        bias = torch.zeros(3, 23, requires_grad=True)
        causal_attention(q, k, v, bias_for_blocks(bias, 23, block)).square().sum().backward()
        gradients.append([x.grad for x in (q, k, v, bias)])
    for blocked, whole in zip(*gradients, strict=True):
        torch.testing.assert_close(blocked, whole, atol=1e-4, rtol=1e-4)


def test_toeplitz_bias_aligns_queries_with_the_last_keys():
    bias = toeplitz_bias(torch.tensor([[0.0, 1.0, 2.0, 3.0]]), 2, 4)
    inf = float("inf")
    assert bias.tolist() == [[[2.0, 1.0, 0.0, -inf], [3.0, 2.0, 1.0, 0.0]]]


def test_no_more_than_a_block_of_rows_is_ever_held():
    assert bias_for_blocks(torch.zeros(3, 5000), 5000).shape == (3, 256, 5000)


@pytest.mark.parametrize("n_query", [1, 2, 5, 23])
@pytest.mark.parametrize("block", [None, 4, 64])
def test_with_a_cache_queries_are_the_last_ones_of_the_keys(n_query, block):
    q, k, v = inputs()
    by_distance = torch.randn(3, 23, generator=torch.Generator().manual_seed(1))
    bias = None if block is None else bias_for_blocks(by_distance, 23, block)
    output = causal_attention(q[:, :, -n_query:], k, v, bias).double()
    expected = reference_attention(q, k, v, None if block is None else by_distance)
    torch.testing.assert_close(output, expected[:, :, -n_query:], atol=1e-5, rtol=0)


def test_one_query_over_five_equal_keys_sees_all_of_them():
    output = causal_attention(
        torch.zeros(1, 1, 1, 5), torch.zeros(1, 1, 5, 5), torch.eye(5)[None, None]
    )
    torch.testing.assert_close(output, torch.full((1, 1, 1, 5), 0.2))


@pytest.mark.parametrize(
    ("shapes", "bias", "message"),
    [
        (((1, 2, 5, 3), (1, 2, 4, 3), (1, 2, 4, 3)), None, "got 5 queries and 4 keys"),
        (((1, 2, 0, 3), (1, 2, 4, 3), (1, 2, 4, 3)), None, "got 0 queries and 4 keys"),
        (((1, 2, 4, 3), (1, 2, 4, 3), (1, 2, 5, 3)), None, r"q must be \(batch, head, query"),
        (((1, 0, 4, 3), (1, 0, 4, 3), (1, 0, 4, 3)), None, "at least one head and one channel"),
        (((1, 2, 4, 0), (1, 2, 4, 0), (1, 2, 4, 0)), None, "at least one head and one channel"),
        (((1, 2, 4, 3), (1, 2, 7, 3), (1, 2, 7, 3)), (2, 4, 4), r"must be \(2, block, 7\)"),
        (((1, 2, 4, 3), (1, 2, 4, 3), (1, 2, 4, 3)), (3, 4, 4), r"must be \(2, block, 4\)"),
    ],
)
def test_what_does_not_fit_is_named(shapes, bias, message):
    given = None if bias is None else torch.zeros(bias)
    with pytest.raises(ValueError, match=message):
        causal_attention(*(torch.zeros(shape) for shape in shapes), given)


@pytest.mark.parametrize("is_biased", [True, False])
def test_an_empty_batch_has_gradients(is_biased):
    q, k, v = (torch.zeros(0, 3, 7, 5, requires_grad=True) for _ in range(3))
    by_distance = torch.zeros(3, 7, requires_grad=True)
    output = causal_attention(q, k, v, bias_for_blocks(by_distance, 7) if is_biased else None)
    assert output.shape == (0, 3, 7, 5)
    output.sum().backward()
    assert q.grad.shape == (0, 3, 7, 5)


@pytest.mark.parametrize("is_biased", [True, False])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("which", [0, 1, 2], ids=["query", "key", "value"])
@pytest.mark.parametrize("n_query", [23, 6])
def test_what_is_no_number_shows_where_the_definition_has_it(is_biased, value, which, n_query):
    given = inputs()
    given[which][1, 2, 19, 3] = value
    by_distance = -torch.arange(23.0).repeat(3, 1)
    bias = bias_for_blocks(by_distance, 23) if is_biased else None
    expected = reference_attention(*given, by_distance if is_biased else None)
    output = causal_attention(given[0][:, :, -n_query:], *given[1:], bias).double()
    torch.testing.assert_close(output, expected[:, :, -n_query:], atol=1e-5, rtol=0, equal_nan=True)
