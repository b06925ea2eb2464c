"""Attention of ALiBi's heads on the CPU: each block of queries over the band of keys that matters.

Every call costs the processor's threads a meeting, so few and large ones are made: heads whose
bands are about as wide go side by side, and blocks of queries whose bands lie inside the text go
together, each over its own view of the same keys. What stays alone are blocks whose band the text's
start or end cuts off, and the last one, which may be shorter.

Queries are taken from the last to the first: then the bias of a block is a view of one short line,
which stays in the processor's cache, where the matrix would have to come from memory.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from einops import rearrange
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

# Blocks of queries in one call. Their bands become one width: more blocks, more keys in vain.
TOGETHER = 16
# How much wider than its own band a head's or a block's may be made.
WIDER = 1.25
# Pairs of query and key below which a call costs more for being made than for what it computes.
SMALL = 2**21

Band = tuple[int, int]
"""Blocks of keys to the left of a block of queries and to the right of it."""


@dataclass(frozen=True)
class _Heads:
    """Heads side by side, and the bands of their blocks of queries."""

    index: list[int]
    first: list[int]
    """Of each block, the first key that a head of them reads."""
    end: list[int]
    """And the end of its keys."""


def banded_attention(
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
) -> list[Tensor]:
    """Returns attention with the bias -slope * |query_pos - key_pos| over bands of keys.

    Args:
        q: (batch, head, query, d_head).
        k: (batch, head, key, d_head).
        v: (batch, head, key, d_head).
        slopes: (head,), in nats per token.
        first: (head, block) first key that each block of queries reads.
        end: (head, block) end of its keys.
        block: Queries in a block.
        is_causal: Whether keys in the query's future are masked.
        scale: Of the content.

    Returns:
        Of each head (batch, query, d_head).
    """
    outputs: dict[int, Tensor] = {}
    for heads in _side_by_side(first, end, block):
        rows = consecutive(heads.index)
        made = _Bands(
            q[:, rows].flip(-2),
            k[:, rows],
            v[:, rows],
            slopes[rows],
            heads,
            block,
            is_causal,
            scale,
        ).attend()
        outputs.update(zip(heads.index, made.unbind(1), strict=True))
    return [outputs[head] for head in range(q.shape[1])]


def consecutive(index: list[int]) -> slice | list[int]:
    """Returns what picks heads: without a copy where they are neighbours."""
    low, high = index[0], index[-1] + 1
    return slice(low, high) if index == list(range(low, high)) else index


def _side_by_side(first: Tensor, end: Tensor, block: int) -> Iterator[_Heads]:
    """Yields heads whose bands are about as wide, or small; each group's in the order of heads."""
    widths, n_key = (end - first).sum(-1), int(end.max())

    def fits(group: list[int], head: int) -> bool:
        widest = int((end[head] - first[head]).max())
        blocks = TOGETHER if 2 * widest < n_key else 1
        is_small = (len(group) + 1) * blocks * block * widest <= SMALL
        return is_small or bool(widths[head] <= WIDER * widths[group[0]])

    group: list[int] = []
    for head in [*torch.argsort(widths).tolist(), None]:
        if group and not (head is not None and fits(group, head)):
            index = sorted(group)
            yield _Heads(index, first[index].amin(0).tolist(), end[index].amax(0).tolist())
            group = []
        if head is not None:
            group.append(head)


@dataclass(frozen=True)
class _Bands:
    """Attention of heads side by side."""

    mirrored: Tensor
    """(batch, head, query, d_head), the last query first."""
    k: Tensor
    v: Tensor
    slopes: Tensor
    heads: _Heads
    block: int
    is_causal: bool
    scale: float

    def attend(self) -> Tensor:
        """Returns (batch, head, query, d_head)."""
        bands = [self._band(number) for number in range(len(self.heads.first))]
        left, right = (max(band[side] for band in bands) * self.block for side in (0, 1))
        bias = mirrored_bias(self.slopes, self.block, left, right, self.is_causal)
        outputs = []
        for numbers in self._runs(bands):
            if len(numbers) == 1:
                outputs.append(self._alone(numbers.start, bias, left))
            else:
                outputs.append(self._together(numbers, bands, bias, left))
        return torch.cat(outputs[::-1], dim=-2).flip(-2)

    def _start(self, number: int) -> int:
        """Returns the position of the first query of a block among the keys."""
        return self.k.shape[-2] - self.mirrored.shape[-2] + number * self.block

    def _queries(self, numbers: range) -> Tensor:
        """Returns the queries of blocks, the last one first."""
        n_query = self.mirrored.shape[-2]
        stop = min(numbers.stop * self.block, n_query)
        return self.mirrored[..., n_query - stop : n_query - numbers.start * self.block, :]

    def _band(self, number: int) -> Band:
        start = self._start(number)
        left = -(-(start - self.heads.first[number]) // self.block)
        right = -(-(self.heads.end[number] - start - self.block) // self.block)
        return max(left, 0), max(right, 0)

    def _runs(self, bands: list[Band]) -> Iterator[range]:
        """Yields all blocks of queries, in order: runs that go together, and single ones."""
        number = 0
        while number < len(bands):
            length = TOGETHER
            while length > 1 and not self._goes_together(number, length, bands):
                length //= 2
            yield range(number, number + length)
            number += length

    def _goes_together(self, number: int, length: int, bands: list[Band]) -> bool:
        """Returns whether the text holds a run's widest band everywhere, and at little cost."""
        run = bands[number : number + length]
        last = self._start(number + length)
        if len(run) < length or last > self.k.shape[-2]:
            return False
        left, right = (max(band[side] for band in run) for side in (0, 1))
        if left * self.block > self._start(number) or last + right * self.block > self.k.shape[-2]:
            return False
        return length * (left + right + 1) <= WIDER * sum(sum(band) + 1 for band in run)

    def _alone(self, number: int, bias: Tensor, left: int) -> Tensor:
        """One block of queries over its own band."""
        start, first, end = self._start(number), self.heads.first[number], self.heads.end[number]
        q = self._queries(range(number, number + 1))
        columns = slice(left + first - start, left + end - start)
        return scaled_dot_product_attention(
            q,
            self.k[..., first:end, :],
            self.v[..., first:end, :],
            attn_mask=bias[None, :, self.block - q.shape[-2] :, columns],
            scale=self.scale,
        )

    def _together(self, numbers: range, bands: list[Band], bias: Tensor, left: int) -> Tensor:
        """A run of blocks in one call, each over its own view of the keys."""
        run = bands[numbers.start : numbers.stop]
        reach = [max(band[side] for band in run) * self.block for side in (0, 1)]
        start, stop = self._start(numbers.start), self._start(numbers.stop)
        mask = bias[None, :, :, left - reach[0] : left + self.block + reach[1]]
        outputs = []
        for q, k, v in zip(self._queries(numbers), self.k, self.v, strict=True):
            keys, values = (
                # unfold: (head, block, d_head, key), all views of the same numbers.
                x[:, start - reach[0] : stop + reach[1]]
                .unfold(1, self.block + sum(reach), self.block)
                .permute(1, 0, 3, 2)
                for x in (k, v)
            )
            blocks = rearrange(q, "head (block query) d -> block head query d", query=self.block)
            # In the order of the windows: flipping those would copy them.
            blocks = blocks.flip(0)
            made = scaled_dot_product_attention(
                blocks, keys, values, attn_mask=mask, scale=self.scale
            )
            outputs.append(rearrange(made.flip(0), "block head query d -> head (block query) d"))
        return torch.stack(outputs)


def mirrored_bias(slopes: Tensor, block: int, left: int, right: int, is_causal: bool) -> Tensor:
    """Returns the bias of a block of queries on the keys around it, the last query first.

    Args:
        slopes: (head,), in nats per token.
        block: Queries in it.
        left: Keys before its start.
        right: Keys after its end.
        is_causal: Whether keys in the query's future are masked.

    Returns:
        (head, query from the last to the first, left + block + right), in nats: a view of one line
        a head, of which each query sees a part that begins one place further on.
    """
    offset = torch.arange(1 - left - block, block + right, device=slopes.device)
    line = -slopes.float()[:, None] * offset.abs()
    line = line.masked_fill(offset > 0, -math.inf) if is_causal else line
    return line.unfold(1, left + block + right, 1)
