"""ALiBi attention by torch's FlexAttention: one kernel, with the windows in its block mask.

The same keys are skipped as in `alibi_attention`, which calls this on CUDA. Compiled by torch on
first use for each kind of input; that takes seconds to minutes, once.
"""

from functools import cache
from typing import Any

import torch
from einops import rearrange
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, flex_attention


@cache
def _compiled() -> Any:
    return torch.compile(flex_attention)


def flex_alibi_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    slopes: Tensor,
    first: Tensor,
    end: Tensor,
    *,
    block: int,
    is_causal: bool,
    scale: float,
    is_compiled: bool = True,
) -> Tensor:
    """Returns attention with the bias -slope * |query_pos - key_pos| over the keys to be read.

    Args:
        q: (batch, head, query, d_head), the last ones of the keys.
        k: (batch, head, key, d_head).
        v: (batch, head, key, d_head).
        slopes: (head,), in nats per token.
        first: (head, block) first key that a block of queries reads.
        end: (head, block) end of those keys.
        block: Queries, and keys, in a block.
        is_causal: Whether keys in the query's future are masked.
        scale: Of the content.
        is_compiled: Whether to use the fused kernel; else FlexAttention's own plain form, which
            holds head x query x key, for tests.

    Returns:
        (batch, head, query, d_head).
    """
    offset = k.shape[-2] - q.shape[-2]
    slopes = slopes.float()

    def linear_bias(score: Tensor, batch: Tensor, head: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return score - slopes[head] * (i + offset - j).abs()

    mask = window_mask(first, end, q.shape[-2], k.shape[-2], block=block, is_causal=is_causal)
    run = _compiled() if is_compiled else flex_attention
    output: Tensor = run(q, k, v, score_mod=linear_bias, block_mask=mask, scale=scale)
    return output


def window_mask(
    first: Tensor, end: Tensor, n_query: int, n_key: int, *, block: int, is_causal: bool
) -> BlockMask:
    """Returns the block mask of windows, built from blocks: never query x key.

    Args:
        first: (head, block) first key that a block of queries reads.
        end: (head, block) end of those keys.
        n_query: Queries, the last ones of the keys.
        n_key: Keys.
        block: Queries, and keys, in a block.
        is_causal: Whether keys in the query's future are masked.
    """
    offset = n_key - n_query
    n_block = -(-n_key // block)
    key_block = torch.arange(n_block, device=first.device)
    is_read = (key_block >= first[:, :, None] // block) & (key_block * block < end[:, :, None])
    query_first = offset + torch.arange(first.shape[1], device=first.device) * block
    key_last = (key_block + 1) * block - 1
    is_past = key_last <= rearrange(query_first, "query -> query 1")
    # A block that is wholly in the past of its queries needs no mask.
    is_whole = is_read & is_past if is_causal else is_read
    partial, whole = _listed(is_read & ~is_whole), _listed(is_whole)

    def in_the_past(batch: Tensor, head: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return i + offset >= j

    return BlockMask.from_kv_blocks(
        *partial,
        *whole,
        BLOCK_SIZE=block,
        mask_mod=in_the_past if is_causal else None,
        seq_lengths=(n_query, n_key),
    )


def _listed(is_read: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks each row reads, and which, those first: (1, head, query), (..., key)."""
    order = is_read.int().argsort(dim=-1, descending=True, stable=True)
    return is_read.sum(-1, dtype=torch.int32)[None], order.to(torch.int32)[None].contiguous()
