"""Exact causal attention with any bias by distance, never holding head x length x length.

attn_logits(query, key) = q . k / sqrt(d_head) + bias(head, query_pos - key_pos)

The bias is a Toeplitz matrix: any two blocks of as many queries see the same numbers, shifted. So
one matrix of (head, block, length) serves every block of queries in every layer.
"""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

# Queries in a block. At train length one block holds all, which is plain fused attention.
QUERY_BLOCK = 256


def toeplitz_bias(bias_by_distance: Tensor, query_length: int, key_length: int) -> Tensor:
    """Returns the bias of the last queries over all keys, -inf where a key is in the future.

    Args:
        bias_by_distance: (head, distance), in nats; at least `key_length` distances.
        query_length: Number of queries, the last ones of the keys.
        key_length: Number of keys.

    Returns:
        (head, query, key), added to attention logits, in nats.
    """
    device = bias_by_distance.device
    query_pos = torch.arange(key_length - query_length, key_length, device=device)
    distance = query_pos[:, None] - torch.arange(key_length, device=device)
    bias = bias_by_distance[:, distance.clamp(min=0)]
    return bias.masked_fill(distance < 0, float("-inf"))


def bias_for_blocks(bias_by_distance: Tensor, length: int, block: int = QUERY_BLOCK) -> Tensor:
    """Returns the bias that `causal_attention` reads for every block of queries.

    Args:
        bias_by_distance: (head, distance), in nats; at least `length` distances.
        length: Tokens in the window.
        block: Queries in a block.

    Returns:
        (head, min(block, length), length), in nats.
    """
    return toeplitz_bias(bias_by_distance, min(block, length), length)


def causal_attention(q: Tensor, k: Tensor, v: Tensor, block_bias: Tensor | None = None) -> Tensor:
    """Returns attention's output, exact, with gradients where they are wanted.

    Blocks are counted from the end, so that the first one is the short one and every block reads
    the bottom right corner of `block_bias`.

    Args:
        q: (batch, head, length, d_head).
        k: (batch, head, length, d_head).
        v: (batch, head, length, d_head).
        block_bias: What `bias_for_blocks` returns, or None for no bias.

    Returns:
        (batch, head, length, d_head).
    """
    if block_bias is None:
        return scaled_dot_product_attention(q, k, v, is_causal=True)
    length, block = q.shape[-2], block_bias.shape[-2]
    block_bias = block_bias.to(q.dtype)[None]
    outputs = []
    for end in range(length, 0, -block):
        start = max(0, end - block)
        bias = block_bias[..., block - (end - start) :, length - end :]
        outputs.append(
            scaled_dot_product_attention(
                q[..., start:end, :], k[..., :end, :], v[..., :end, :], attn_mask=bias
            )
        )
    return torch.cat(outputs[::-1], dim=-2)
