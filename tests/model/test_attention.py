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
