"""Exact causal attention with a bias by distance, never holding head x length x length.

attn_logits(query, key) = q . k / sqrt(d_head) + bias(head, query_pos - key_pos)

The bias is a Toeplitz matrix: any two blocks of as many queries see the same numbers, shifted. So
one matrix of (head, block, length) serves every block of queries in every layer:
`causal_attention`, for any bias.

A linear bias allows more: its cost grows with length, not with its square, since a key far enough
away cannot matter. How far that is follows from the inputs themselves. For a block of queries and
all keys from some distance on,

    logit(query, key) <= |query| |key| scale - slope * distance          (Cauchy-Schwarz)
    log-sum-exp(query) >= the query's logit with its own position's key  (one term of the sum)
    log-sum-exp(query) >= ln n + the mean logit of its n nearest keys    (Jensen)

so keys whose bounds sum to less than eps = 2^-24 of the row are not seen by float32.
`alibi_attention` skips them, and attends to the others exactly.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from einops import reduce
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from alibi_viz.maths.arrays import Array, require_counting
from alibi_viz.model.bands import banded_attention, consecutive
from alibi_viz.model.flex import flex_alibi_attention
from alibi_viz.model.not_finite import are_finite, plain_attention

# Queries (and keys that are skipped together) in a block. At train length one block holds all,
# which is plain fused attention.
BLOCK = 256
# What float32 cannot see beside 1.
NEGLIGIBLE = 2.0**-24
# Nats per token; a head with more sees little more than a block of keys.
STEEP = 0.04


@dataclass(frozen=True)
class LinearBias:
    """The bias -slope * distance, told by its slopes alone: attention may skip far keys."""

    slopes: Array
    """(head,) array or tensor, in nats per token."""


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

    Queries are the last ones of the keys: with a cache there are fewer of them. Blocks are counted
    from the end, so that the first one is the short one and every block reads the bottom right
    corner of the bias.

    Args:
        q: (batch, head, query, d_head).
        k: (batch, head, key, d_head).
        v: (batch, head, key, d_value).
        bias: What `bias_for_blocks` returns for all keys, or slopes, or None for no bias.

    Returns:
        (batch, head, query, d_value). NaN where a query sees one.

    Raises:
        ValueError: Shapes that do not fit, or more queries than keys.
    """
    if isinstance(bias, LinearBias):
        return alibi_attention(q, k, v, bias.slopes)
    _check(q, k, v)
    n_query, n_key = q.shape[-2], k.shape[-2]
    if bias is not None and (bias.ndim != 3 or bias.shape[::2] != (q.shape[1], n_key)):
        raise ValueError(
            f"the bias must be ({q.shape[1]}, block, {n_key}), for all keys, got "
            f"{tuple(bias.shape)}"
        )
    if not q.shape[0]:
        return _empty(q, k, v)
    if not are_finite(q, k, v):
        scale = q.shape[-1] ** -0.5
        return plain_attention(q, k, v, _rows_of(bias, n_query), scale=scale, is_causal=True)
    if bias is None:
        if n_query in (1, n_key):
            return scaled_dot_product_attention(q, k, v, is_causal=n_query == n_key)
        seen = torch.ones(n_query, n_key, dtype=torch.bool, device=q.device).tril(n_key - n_query)
        return scaled_dot_product_attention(q, k, v, attn_mask=seen)
    block, before = bias.shape[-2], n_key - n_query
    bias = bias.to(q.dtype)[None]
    outputs = []
    for end in range(n_query, 0, -block):
        start = max(0, end - block)
        block_bias = bias[..., block - (end - start) :, n_query - end :]
        keys = slice(before + end)
        outputs.append(
            scaled_dot_product_attention(
                q[..., start:end, :], k[..., keys, :], v[..., keys, :], attn_mask=block_bias
            )
        )
    return torch.cat(outputs[::-1], dim=-2)


def _rows_of(bias: Tensor | None, n_query: int) -> Callable[[int, int], Tensor | float]:
    """Returns what makes the rows of some queries, (head, query, key), from the bias of a block."""

    def rows(start: int, end: int) -> Tensor | float:
        if bias is None:
            return 0.0
        by_distance, later = bias[:, -1].float().flip(-1), n_query - end
        made = toeplitz_bias(by_distance, end - start, bias.shape[-1] - later)
        return pad(made, (0, later))

    return rows


def _empty(*parts: Tensor) -> Tensor:
    """Returns attention of no text at all, with gradients that are zero."""
    queries, *others = parts
    zero = sum(part.sum() * 0 for part in others)
    return queries[..., :1].expand(*queries.shape[:-1], others[-1].shape[-1]) + zero


def alibi_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    slopes: Array,
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
        slopes: (head,) array or tensor of float32 or float64, in nats per token; any sign, but only
            positive ones let keys be skipped. No half precision: see `alibi_viz.maths`.
        is_causal: Whether keys in the query's future are masked.
        scale: Of the content; 1 / sqrt(d_head) if left out.

    Returns:
        (batch, head, query, d_head), with gradients to q, k, v and slopes. NaN where a query sees
        one, be it in a key that is too far away to weigh anything.

    Raises:
        ValueError: Shapes that do not fit, more queries than keys, or slopes in half precision.
    """
    _check(q, k, v)
    slopes = _as_slopes(slopes, q)
    if v.shape[-1] != q.shape[-1]:
        raise ValueError(f"v must have d_head {q.shape[-1]} as q and k, got {v.shape[-1]}")
    if not q.shape[0]:
        return _empty(q, slopes, k, v)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    if not are_finite(q, k, v):
        linear = _linear_rows(slopes.float(), q.shape[-2], k.shape[-2])
        return plain_attention(q, k, v, linear, scale=scale, is_causal=is_causal)
    if q.is_cuda:
        first, end = kept_keys(q, k, slopes, scale, is_causal)
        return flex_alibi_attention(
            q, k, v, slopes, first, end, block=BLOCK, is_causal=is_causal, scale=scale
        )
    return _by_steepness(q, k, v, slopes, is_causal=is_causal, scale=scale)


def _by_steepness(
    q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, *, is_causal: bool, scale: float
) -> Tensor:
    """Returns attention by bands: heads that look near gain by small blocks, others by large."""
    is_steep = slopes.detach() > STEEP * 256 / BLOCK
    outputs: list[Tensor] = [q] * q.shape[1]
    for heads, block in ((is_steep, BLOCK // 4), (~is_steep, BLOCK)):
        index = heads.nonzero()[:, 0].tolist()
        if not index:
            continue
        rows = consecutive(index)
        parts, slope = (q[:, rows], k[:, rows], v[:, rows]), slopes[rows]
        first, end = kept_keys(*parts[:2], slope, scale, is_causal, block)
        made = banded_attention(
            *parts, slope, first, end, block=block, is_causal=is_causal, scale=scale
        )
        for head, output in zip(index, made, strict=True):
            outputs[head] = output
    return torch.stack(outputs, dim=1)


def _check(q: Tensor, k: Tensor, v: Tensor) -> None:
    fits = q.ndim == k.ndim == v.ndim == 4 and k.shape[:3] == v.shape[:3]
    if not fits or q.shape[:2] != k.shape[:2] or q.shape[3] != k.shape[3]:
        raise ValueError(
            "q must be (batch, head, query, d_head) and k, v (batch, head, key, d_head), got "
            f"{tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}"
        )
    if not (q.shape[1] and q.shape[3] and v.shape[3]):
        raise ValueError(f"at least one head and one channel are needed, got {tuple(q.shape)}")
    if not 1 <= q.shape[2] <= k.shape[2]:
        raise ValueError(
            f"queries are the last ones of the keys: got {q.shape[2]} queries and {k.shape[2]} keys"
        )


def _as_slopes(slopes: Array, q: Tensor) -> Tensor:
    """Returns (head,) slopes as a tensor beside the queries, a tensor with its gradient."""
    held = slopes if isinstance(slopes, Tensor) else torch.as_tensor(slopes, device=q.device)
    if held.shape != q.shape[1:2]:
        raise ValueError(f"slopes must be ({q.shape[1]},), got {tuple(held.shape)}")
    if not held.is_floating_point():
        held = held.float()
    require_counting(held)
    return held if isinstance(slopes, Tensor) else held.float()


def _linear_rows(slopes: Tensor, n_query: int, n_key: int) -> Callable[[int, int], Tensor]:
    """Returns what makes the linear bias of some queries on all keys, (head, query, key)."""

    def rows(start: int, end: int) -> Tensor:
        query = torch.arange(start, end, device=slopes.device) + n_key - n_query
        distance = query[:, None] - torch.arange(n_key, device=slopes.device)
        return -slopes[:, None, None] * distance.abs()

    return rows


def _by_block(x: Tensor, block: int, reduction: Literal["max", "min"]) -> Tensor:
    """Largest or smallest of each block's numbers, over the whole batch: (head, block)."""
    fill = math.inf if reduction == "min" else 0.0
    padded = pad(x, (0, -x.shape[-1] % block), value=fill)
    return reduce(padded, "batch head (block token) -> head block", reduction, token=block)


def _least_log_sum_exp(q: Tensor, k: Tensor, slopes: Tensor, scale: float) -> Tensor:
    """What each query's log-sum-exp is at least: (batch, head, query), in nats.

    A sum is at least any of its terms, here that of the query's own position; and the mean of
    exponentials at least the exponential of the mean, here over the 2 / slope nearest keys, where
    ln(number) - slope * mean distance is largest.
    """
    n_query, n_key = q.shape[-2], k.shape[-2]
    least = (q.float() * k[..., -n_query:, :].float()).sum(-1) * scale
    for head, slope in enumerate(slopes.tolist()):
        # Beside a steep slope the mean gains less than it costs to compute.
        number = round(2 / slope) if STEEP > slope > 0 else n_key
        start = max(number - 1, n_key - n_query)
        if start >= n_key:
            continue
        # The sum over a query's `number` nearest keys, for every query that has as many.
        sums = pad(k[:, head].double().cumsum(-2), (0, 0, 1, 0))  # (batch, key + 1, d_head)
        nearest = sums[:, start + 1 :] - sums[:, start + 1 - number : n_key + 1 - number]
        queries = q[:, head, start - n_key :].double()
        content = (queries * nearest).sum(-1) * scale / number
        mean = content + math.log(number) - slope * (number - 1) / 2
        least[:, head, start - n_key :] = least[:, head, start - n_key :].maximum(mean.float())
    return least


@torch.no_grad()
def kept_keys(
    q: Tensor, k: Tensor, slopes: Tensor, scale: float, is_causal: bool, block: int | None = None
) -> tuple[Tensor, Tensor]:
    """Returns which keys each block of queries has to read; the others weigh nothing in float32.

    Args:
        q: (batch, head, query, d_head).
        k: (batch, head, key, d_head).
        slopes: (head,), in nats per token.
        scale: Of the content.
        is_causal: Whether keys in the query's future are masked.
        block: Queries in a block, and keys that are kept or skipped together; `BLOCK` if left out.

    Returns:
        The first key and the end, each (head, block).
    """
    block = block or BLOCK
    n_key, device = k.shape[-2], q.device
    query_start = n_key - q.shape[-2] + torch.arange(0, q.shape[-2], block, device=device)
    query_last = (query_start + block - 1).clamp(max=n_key - 1)
    key_start = torch.arange(0, n_key, block, device=device)
    key_last = (key_start + block - 1).clamp(max=n_key - 1)
    slope = slopes.detach().float().to(device)
    least = _by_block(_least_log_sum_exp(q, k, slope, scale), block, "min")
    longest = _by_block(q.float().norm(dim=-1), block, "max") * abs(scale)
    norms = _by_block(k.float().norm(dim=-1), block, "max")
    # Keys ever farther away weigh exp(-slope) less each: together, a geometric series at most.
    needed = -math.log(NEGLIGIBLE) - torch.log1p(-torch.exp(-slope.clamp(min=1e-6)))
    needed += 0.0 if is_causal else math.log(2)

    def is_negligible(norms: Tensor, distance: Tensor) -> Tensor:
        """Of each block of keys, with all that are farther away: (head, query block, key block)."""
        reach = longest[:, :, None] * norms[:, None]
        excess = reach * (1 + 1e-6) - least[:, :, None] - slope[:, None, None] * distance
        # The bound itself is computed in float32. Not true of NaN, which has to show.
        return (excess <= -needed[:, None, None]) & (distance > 0) & (slope[:, None, None] > 0)

    before = is_negligible(norms.cummax(-1).values, query_start[:, None] - key_last)
    first = before.sum(-1) * block
    if is_causal:
        return first, (query_last + 1).expand_as(first)
    farther = norms.flip(-1).cummax(-1).values.flip(-1)
    behind = is_negligible(farther, key_start - query_last[:, None])
    return first, ((~behind).sum(-1) * block).clamp(max=n_key)
