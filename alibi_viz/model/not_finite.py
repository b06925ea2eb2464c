"""Attention over numbers that are not all finite: NaN just where the definition has it.

Fused kernels multiply a hidden key's value with a weight of 0, which leaves NaN where no query
looks, and skipping far keys leaves it out where one does. So nothing is skipped here, and what a
query does not see is no part of its sum.
"""

from collections.abc import Callable

import torch
from torch import Tensor

# Queries whose logits are held at once.
BLOCK = 64


@torch.no_grad()
def are_finite(*values: Tensor) -> bool:
    """Returns whether all numbers are finite, and so is their sum, which is what is looked at."""
    total = torch.stack([x.sum(dtype=torch.float32) for x in values]).sum()
    return bool(torch.isfinite(total))


def plain_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    bias: Callable[[int, int], Tensor | float],
    *,
    scale: float,
    is_causal: bool,
) -> Tensor:
    """Returns attention by its definition, a block of queries at a time, keys never skipped.

    Args:
        q: (batch, head, query, d_head), the last ones of the keys.
        k: (batch, head, key, d_head).
        v: (batch, head, key, d_value).
        bias: Takes the first query and the end of some; returns what is added to their logits on
            all keys, (head, query, key) in nats.
        scale: Of the content.
        is_causal: Whether keys in the query's future are masked.

    Returns:
        (batch, head, query, d_value).
    """
    n_query, n_key = q.shape[-2], k.shape[-2]
    outputs = []
    for start in range(0, n_query, BLOCK):
        end = min(start + BLOCK, n_query)
        query_pos = torch.arange(start, end, device=q.device)[:, None] + n_key - n_query
        seen = torch.arange(n_key, device=q.device) <= (query_pos if is_causal else n_key)
        logits = (q[..., start:end, :] @ k.mT).float() * scale + bias(start, end)
        weights = logits.masked_fill(~seen, float("-inf")).softmax(-1)
        outputs.append(_summed(weights, v.float(), seen.expand_as(weights)).to(q.dtype))
    return torch.cat(outputs, dim=-2)


def _summed(weights: Tensor, v: Tensor, seen: Tensor) -> Tensor:
    """Returns the sum of weight * value over the keys that are seen, by the rules of NaN and inf.

    Args:
        weights: (batch, head, query, key).
        v: (batch, head, key, d_value).
        seen: (batch, head, query, key).
    """

    def meets(some: Tensor, values: Tensor) -> Tensor:
        """Whether a query has such a key with such a value: (batch, head, query, d_value)."""
        return some.float() @ values.float() > 0

    has_weight, above, below = weights > 0, v == float("inf"), v == float("-inf")
    is_up, is_down = meets(has_weight, above), meets(has_weight, below)
    # 0 times infinity is no number, nor is infinity minus infinity.
    is_none = meets(seen & (weights == 0), above | below) | (is_up & is_down)
    is_none |= meets(seen, v.isnan())
    extra = torch.zeros_like(is_none, dtype=v.dtype)
    extra = extra.masked_fill(is_up, float("inf")).masked_fill(is_down, float("-inf"))
    extra = extra.masked_fill(is_none, float("nan"))
    return weights @ v.where(v.isfinite(), 0.0) + extra
