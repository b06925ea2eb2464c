"""What one forward pass leaves behind: queries, keys and position terms, never a cube of logits.

2,048 tokens, 24 layers and 16 heads of logits are 6.4 GB; the queries and keys that make them are
0.4 GB. So these are kept, and the logits of a head are made from them when they are looked at.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Floats32 = NDArray[np.float32]


@dataclass(frozen=True)
class HeadAttention:
    """One head's attention for some queries; all arrays (query, key), in nats or shares."""

    queries: NDArray[np.int64]
    """(query,) positions."""
    visible: NDArray[np.bool_]
    """True where a key may be seen. A row without any has no attention: to be greyed out."""
    weights: Floats32
    """What each query gives to each key; 0 throughout in a row without visible keys."""
    parts: "LogitParts | None"
    """What the weights are made of; None where only the weights are known."""

    @property
    def content(self) -> Floats32:
        """The content of the logits, see `LogitParts`."""
        return self._parts.content

    @property
    def position(self) -> Floats32:
        """What position adds to the logits, see `LogitParts`."""
        return self._parts.position

    @property
    def logits(self) -> Floats32:
        """The logits, see `LogitParts`."""
        return self._parts.logits

    @property
    def row_constant(self) -> Floats32:
        """What is added to a whole row, see `LogitParts`."""
        return self._parts.row_constant

    @property
    def _parts(self) -> "LogitParts":
        if self.parts is None:
            raise ValueError("of this model only the weights are known, not what makes them")
        return self.parts


@dataclass(frozen=True)
class LogitParts:
    """What one head's logits are made of; all arrays (query, key), in nats."""

    content: Floats32
    """q . k times the model's scale."""
    position: Floats32
    """What position adds, zero at the query's own key; 0 where position enters elsewhere."""
    logits: Floats32
    """content + position as the model rounds it, -inf where masked."""
    row_constant: Floats32
    """(query,) what the model adds to the whole row besides: the softmax does not see it."""


@dataclass(frozen=True)
class Arithmetic:
    """In which number types a model computes its attention logits: "as the checkpoint ran"."""

    product: torch.dtype
    """Type that q . k is rounded to."""
    total: torch.dtype
    """Type that scale * q . k + position is rounded to, before the mask."""
    softmax: torch.dtype
    """Type that the softmax computes in; its result is rounded to the model's own."""
    order: str
    """The order of the operations, in words."""


@dataclass(frozen=True)
class PositionTerm:
    """What position adds to the logits of one layer.

    Either by key, as libraries do that add +slope * key_pos (the same for every query), or by
    distance. Both are shown with the query's own key at zero: the softmax knows no difference.
    """

    by: Literal["key", "distance"]
    values: Tensor
    """(head, key) or (head, distance), float32, in nats, as added by the model."""

    def rows(self, head: int, queries: Tensor) -> Tensor:
        """Returns the term of some queries over all keys, as the model adds it.

        Args:
            head: Head, counted from 0.
            queries: (query,) positions.

        Returns:
            (query, key) in nats; what it says of future keys is masked anyway.
        """
        values = self.values[head]
        if self.by == "key":
            return values[None, :].expand(len(queries), -1)
        keys = torch.arange(len(values), device=queries.device)
        return values[(queries[:, None] - keys).clamp(min=0)]

    def block(self, start: int, stop: int, n_key: int) -> Tensor:
        """Returns the term of queries start .. stop - 1 over the first keys, for all heads at once.

        Args:
            start: First query's position.
            stop: One past the last query's position.
            n_key: Keys, at least `stop`.

        Returns:
            (head, query, key) in nats; what it says of future keys is masked anyway.
        """
        if self.by == "key":
            return self.values[:, None, :n_key]
        # Row i reads values[i - j]: each row is the one before, moved by one key.
        distance = torch.arange(stop - 1, start - n_key, -1).clamp(min=0)
        return self.values[:, distance].unfold(-1, n_key, 1).flip(1)

    def own_key(self, head: int, queries: Tensor) -> Tensor:
        """Returns (query,) the term at each query's own key: a constant of its row, in nats."""
        return self.values[head][queries if self.by == "key" else torch.zeros_like(queries)]


@dataclass(frozen=True)
class LayerRecord:
    """One layer's queries and keys, as they enter the product, and what is added to it."""

    q: Tensor
    """(head, query, d_head), after any rotation, in the model's own type."""
    k: Tensor
    """(key_head, key, d_head); heads share a key head where key_head is smaller."""
    scale: float
    """What q . k is multiplied with, usually 1 / sqrt(d_head)."""
    position: PositionTerm | None
    """None where position enters elsewhere: in the embedding, in q and k, or nowhere."""
    visible: Tensor | None
    """(query, key) of True where a key may be seen; None for the plain causal mask."""
    arithmetic: Arithmetic

    @property
    def n_head(self) -> int:
        """Query heads."""
        return len(self.q)

    @property
    def n_bytes(self) -> int:
        """What the record takes in memory."""
        return sum(part.numel() * part.element_size() for part in (self.q, self.k))

    def attention(self, head: int, queries: Tensor) -> HeadAttention:
        """Returns one head's attention for (query,) positions."""
        content = self.content_rows(head, queries)
        constant, position = torch.zeros(len(queries)), torch.zeros_like(content)
        if self.position is not None:
            constant = self.position.own_key(head, queries)
            position = self.position.rows(head, queries) - constant[:, None]
        visible = self.visible_rows(queries)
        parts = LogitParts(
            content.numpy(),
            position.masked_fill(~visible, 0).numpy(),
            (self.logit_rows(head, queries) - constant[:, None]).numpy(),
            constant.numpy(),
        )
        weights = self.weight_rows(head, queries).numpy()
        return HeadAttention(queries.numpy(), visible.numpy(), weights, parts)

    def told_apart(self) -> float:
        """Returns how far keys of one and the same token differ from place to place.

        The largest distance from the first one, in lengths of a key; about 1 for rotations.
        """
        keys = self.k.float()
        size = keys.norm(dim=-1).mean(-1).clamp(min=torch.finfo(torch.float32).tiny)
        return float(((keys - keys[:, :1]).norm(dim=-1).amax(-1) / size).max())

    def change_of_length(self) -> float:
        """Returns how far the lengths of keys of one and the same token differ, as a share.

        A rotation leaves them as they are.
        """
        lengths = self.k.float().norm(dim=-1)
        shortest, longest = lengths.amin(-1), lengths.amax(-1)
        return float((1 - shortest / longest.clamp(min=torch.finfo(torch.float32).tiny)).max())

    def keys_of(self, head: int) -> Tensor:
        """Returns (key, d_head), the keys that this head reads."""
        return self.k[head * len(self.k) // len(self.q)]

    def visible_rows(self, queries: Tensor) -> Tensor:
        """Returns (query, key) of True where a key may be seen."""
        if self.visible is not None:
            return self.visible[queries]
        keys = torch.arange(self.k.shape[-2], device=queries.device)
        return keys <= queries[:, None]

    def content_rows(self, head: int, queries: Tensor) -> Tensor:
        """Returns (query, key) scale * q . k in float32, nats."""
        q, k = self.q[head][queries], self.keys_of(head)
        kind = self.arithmetic.product
        return (q.to(kind) @ k.to(kind).T).float() * self.scale

    def logit_rows(self, head: int, queries: Tensor) -> Tensor:
        """Returns (query, key) attention logits as the model computes them, -inf where masked."""
        logits = self.content_rows(head, queries)
        if self.position is not None:
            logits = logits + self.position.rows(head, queries)
        logits = logits.to(self.arithmetic.total).float()
        return logits.masked_fill(~self.visible_rows(queries), float("-inf"))

    def weight_block(self, start: int, stop: int) -> Tensor:
        """Returns (head, query, key) weights of queries start .. stop - 1, for all heads at once.

        Keys end with the last one that a query of the block can see.
        """
        queries = torch.arange(start, stop)
        n_key = stop if self.visible is None else self.k.shape[-2]
        kind = self.arithmetic.product
        shared = len(self.q) // len(self.k)
        q = self.q[:, start:stop].to(kind).reshape(len(self.k), shared, stop - start, -1)
        logits = (q @ self.k[:, None, :n_key].to(kind).mT).float().flatten(0, 1) * self.scale
        if self.position is not None:
            logits = logits + self.position.block(start, stop, n_key)
        logits = logits.to(self.arithmetic.total).float()
        hidden = ~self.visible_rows(queries)[:, :n_key]
        logits = logits.masked_fill_(hidden, float("-inf")).to(self.arithmetic.softmax)
        weights = torch.softmax(logits, dim=-1).to(self.q.dtype).float()
        # Only a mask of its own can leave a row without a key.
        return weights if self.visible is None else torch.nan_to_num(weights, nan=0.0)

    def weight_rows(self, head: int, queries: Tensor) -> Tensor:
        """Returns (query, key) attention weights in float32; 0 throughout where a row sees no key.

        A row that is masked entirely has no weights to give: callers grey it out by
        `visible_rows`, and no NaN gets out of here.
        """
        logits = self.logit_rows(head, queries).to(self.arithmetic.softmax)
        weights = torch.softmax(logits, dim=-1).to(self.q.dtype).float()
        return torch.nan_to_num(weights, nan=0.0)
