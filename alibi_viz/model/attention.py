"""Exact causal attention with a bias by distance, never holding head x length x length.

attn_logits(query, key) = q . k / sqrt(d_head) + bias(head, query_pos - key_pos)

The bias is a Toeplitz matrix: any two blocks of as many queries see the same numbers, shifted. So
one matrix of (head, block, length) serves every block of queries in every layer:
`causal_attention`, for any bias.

A linear bias allows more: its cost grows with length, not with its square, since a key far enough
away cannot matter. How far that is follows from the inputs themselves. For a block of queries and a
block of keys,

    logit(query, key) <= |query| |key| scale - slope * distance          (Cauchy-Schwarz)
    log-sum-exp(query) >= the query's logit with its own position's key  (one term of the sum)

so a block of keys whose bound lies ln(1/eps) below the row's own logit, and a little more for the
number of keys, weighs less than eps = 2^-24 of the row: float32 does not see it. `alibi_attention`
skips all keys beyond the last block that may matter, and attends to the others exactly.
"""

import math
from dataclasses import dataclass

import torch
from einops import rearrange, reduce, repeat
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from alibi_viz.model.flex import flex_alibi_attention

# Queries (and keys that are skipped together) in a block. At train length one block holds all,
# which is plain fused attention.
BLOCK = 256
# What float32 cannot see beside 1.
NEGLIGIBLE = 2.0**-24


@dataclass(frozen=True)
class LinearBias:
    """The bias -slope * distance, told by its slopes alone: attention may skip far keys."""

    slopes: Tensor
    """(head,), in nats per token."""


# What is added to the logits: `bias_for_blocks` of any bias, slopes, or nothing.
AttentionBias = Tensor | LinearBias | None


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


def bias_for_blocks(bias_by_distance: Tensor, length: int, block: int = BLOCK) -> Tensor:
    """Returns the bias that `causal_attention` reads for every block of queries.

    Args:
        bias_by_distance: (head, distance), in nats; at least `length` distances.
        length: Tokens in the window.
        block: Queries in a block.

    Returns:
        (head, min(block, length), length), in nats.
    """
    return toeplitz_bias(bias_by_distance, min(block, length), length)


def causal_attention(q: Tensor, k: Tensor, v: Tensor, bias: AttentionBias = None) -> Tensor:
    """Returns attention's output, exact, with gradients where they are wanted.

    Blocks are counted from the end, so that the first one is the short one and every block reads
    the bottom right corner of the bias.

    Args:
        q: (batch, head, length, d_head).
        k: (batch, head, length, d_head).
        v: (batch, head, length, d_head).
        bias: What `bias_for_blocks` returns, or slopes, or None for no bias.

    Returns:
        (batch, head, length, d_head).
    """
    if isinstance(bias, LinearBias):
        return alibi_attention(q, k, v, bias.slopes)
    if bias is None:
        return scaled_dot_product_attention(q, k, v, is_causal=True)
    length, block = q.shape[-2], bias.shape[-2]
    bias = bias.to(q.dtype)[None]
    outputs = []
    for end in range(length, 0, -block):
        start = max(0, end - block)
        block_bias = bias[..., block - (end - start) :, length - end :]
        outputs.append(
            scaled_dot_product_attention(
                q[..., start:end, :], k[..., :end, :], v[..., :end, :], attn_mask=block_bias
            )
        )
    return torch.cat(outputs[::-1], dim=-2)


def alibi_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    slopes: Tensor,
    *,
    is_causal: bool = True,
    scale: float | None = None,
) -> Tensor:
    """Returns attention with the bias -slope * |query_pos - key_pos|, exact to float32.

    attn_logits(query, key) = scale * q . k - slope * |query_pos - key_pos|

    Queries are the last ones of the keys (bottom-right aligned). Causal attention masks keys in
    the query's future.

    Args:
        q: (batch, head, query, d_head).
        k: (batch, head, key, d_head).
        v: (batch, head, key, d_head).
        slopes: (head,), in nats per token; any sign, but only positive ones let keys be skipped.
        is_causal: Whether keys in the query's future are masked.
        scale: Of the content; 1 / sqrt(d_head) if left out.

    Returns:
        (batch, head, query, d_head), with gradients to q, k, v and slopes.

    Raises:
        ValueError: Shapes that do not fit, or more queries than keys.
    """
    _check(q, k, v, slopes)
    if not q.shape[0]:
        return torch.empty_like(q)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    first, end = kept_keys(q, k, slopes, scale, is_causal)
    if q.is_cuda:
        return flex_alibi_attention(
            q, k, v, slopes, first, end, block=BLOCK, is_causal=is_causal, scale=scale
        )
    outputs = []
    for head, spans in enumerate(zip(first.tolist(), end.tolist(), strict=True)):
        rows = slice(head, head + 1)
        bands = list(zip(*spans, strict=True))
        outputs.append(
            _one_head(
                q[:, rows],
                k[:, rows],
                v[:, rows],
                slopes[head],
                bands,
                is_causal=is_causal,
                scale=scale,
            )
        )
    return torch.cat(outputs, dim=1)


def _check(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> None:
    if q.ndim != 4 or k.shape != v.shape or q.shape[:2] != k.shape[:2] or q.shape[3] != k.shape[3]:
        raise ValueError(
            "q must be (batch, head, query, d_head) and k, v (batch, head, key, d_head), got "
            f"{tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}"
        )
    if slopes.shape != q.shape[1:2]:
        raise ValueError(f"slopes must be ({q.shape[1]},), got {tuple(slopes.shape)}")
    if not 1 <= q.shape[2] <= k.shape[2]:
        raise ValueError(
            f"queries are the last ones of the keys: got {q.shape[2]} queries and {k.shape[2]} keys"
        )


def _norms_by_block(x: Tensor) -> Tensor:
    """Largest length of a vector in each block: (head, block), over the whole batch."""
    norms = x.float().norm(dim=-1)
    norms = pad(norms, (0, -norms.shape[-1] % BLOCK))
    return reduce(norms, "batch head (block token) -> head block", "max", token=BLOCK)


def _own_logits_by_block(q: Tensor, k: Tensor, scale: float) -> Tensor:
    """Smallest logit of a query with its own position's key in each block: (head, block)."""
    own = (q.float() * k[..., -q.shape[-2] :, :].float()).sum(-1) * scale
    own = pad(own, (0, -own.shape[-1] % BLOCK), value=math.inf)
    return reduce(own, "batch head (block token) -> head block", "min", token=BLOCK)


@torch.no_grad()
def kept_keys(
    q: Tensor, k: Tensor, slopes: Tensor, scale: float, is_causal: bool
) -> tuple[Tensor, Tensor]:
    """Returns which keys each block of queries has to read; the others weigh nothing in float32.

    Args:
        q: (batch, head, query, d_head).
        k: (batch, head, key, d_head).
        slopes: (head,), in nats per token.
        scale: Of the content.
        is_causal: Whether keys in the query's future are masked.

    Returns:
        The first key and the end, each (head, block) with BLOCK queries in a block.
    """
    offset = k.shape[-2] - q.shape[-2]
    n_key = k.shape[-2]
    device = q.device
    query_start = offset + torch.arange(0, q.shape[-2], BLOCK, device=device)
    query_last = (query_start + BLOCK - 1).clamp(max=n_key - 1)
    key_start = torch.arange(0, n_key, BLOCK, device=device)
    key_last = (key_start + BLOCK - 1).clamp(max=n_key - 1)
    nearest = torch.maximum(query_start[:, None] - key_last, key_start - query_last[:, None]).clamp(
        min=0
    )
    reach = _norms_by_block(q)[:, :, None] * _norms_by_block(k)[:, None, :] * abs(scale)
    excess = reach - _own_logits_by_block(q, k, scale)[:, :, None]
    slope = slopes.detach().float().to(device)[:, None, None]
    # Of a block's keys each one farther weighs exp(-slope) less: a geometric series at most.
    series = -torch.log1p(-torch.exp(-slope.clamp(min=1e-6)))
    needed = math.log(len(key_start) / NEGLIGIBLE) + series
    # 1e-6 relative: the bound itself is computed in float32. Not true of NaN, which has to show.
    negligible = excess + 1e-6 * reach - slope * nearest <= -needed
    kept = ~negligible | (slope <= 0) | (nearest == 0)
    index = repeat(torch.arange(len(key_start), device=device), "key -> 1 1 key")
    first = torch.where(kept, index, len(key_start)).amin(-1) * BLOCK
    end = (torch.where(kept, index, -1).amax(-1) + 1) * BLOCK
    end = torch.minimum(end, query_last + 1) if is_causal else end.clamp(max=n_key)
    return first, end


def _one_head(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    slope: Tensor,
    bands: list[tuple[int, int]],
    *,
    is_causal: bool,
    scale: float,
) -> Tensor:
    """Attention of one head, a block of queries at a time, each over its band of keys."""
    offset = k.shape[-2] - q.shape[-2]
    starts = [offset + n * BLOCK for n in range(len(bands))]
    # One bias serves all blocks: it depends on where a key stands relative to the block.
    left = max(start - first for start, (first, _) in zip(starts, bands, strict=True))
    right = max(end - start for start, (_, end) in zip(starts, bands, strict=True))
    bias = _relative_bias(slope, left, right, is_causal).to(q.dtype)
    outputs = []
    for start, (first, end) in zip(starts, bands, strict=True):
        rows = q[..., start - offset : start - offset + BLOCK, :]
        columns = slice(left + first - start, left + end - start)
        outputs.append(
            scaled_dot_product_attention(
                rows,
                k[..., first:end, :],
                v[..., first:end, :],
                attn_mask=bias[: rows.shape[-2], columns][None, None],
                scale=scale,
            )
        )
    return torch.cat(outputs, dim=-2)


def _relative_bias(slope: Tensor, left: int, right: int, is_causal: bool) -> Tensor:
    """Bias of a block on keys from `left` before its start to `right` after it: (query, key)."""
    query_pos = torch.arange(BLOCK, device=slope.device)
    key_pos = torch.arange(-left, right, device=slope.device)
    distance = rearrange(query_pos, "query -> query 1") - key_pos
    bias = -slope.float() * distance.abs()
    return bias.masked_fill(distance < 0, -math.inf) if is_causal else bias
