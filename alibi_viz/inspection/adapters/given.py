"""Weights as a model itself computes them, where its queries and keys are not known.

All layers of 2,048 tokens, 24 layers and 16 heads are 6.4 GB. So only some layers are kept at a
time, and the model runs again, up to the layer that is looked at, when another one is.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from alibi_viz.inspection.adapters.records import HeadAttention

# Layers are kept while they take no more bytes together; one is always kept.
KEPT_BYTES = 300_000_000


@dataclass
class GivenWeights:
    """The weights of one text, a few layers at a time."""

    run: Callable[[range], list[Tensor]]
    """Runs the model and returns the (head, query, key) float32 weights of consecutive layers."""
    n_layer: int
    n_head: int
    length: int
    """Tokens."""
    lock: AbstractContextManager[object]
    """Held while layers are exchanged: one run at a time."""
    kept: dict[int, Tensor] = field(default_factory=dict)
    """Layers at hand."""

    @property
    def n_at_once(self) -> int:
        """Layers that are kept together."""
        return max(1, KEPT_BYTES // (4 * self.n_head * self.length**2))

    @property
    def n_bytes(self) -> int:
        """What one layer takes in memory while all that are kept are spread over all layers."""
        kept = min(self.n_at_once, self.n_layer)
        return kept * 4 * self.n_head * self.length**2 // self.n_layer

    def layers_from(self, start: int) -> range:
        """Returns the layers that are computed together, beginning with one of them."""
        return range(start, min(start + self.n_at_once, self.n_layer))

    def layer(self, index: int) -> Tensor:
        """Returns (head, query, key) float32 weights of a layer, computed if not at hand."""
        with self.lock:
            if index not in self.kept:
                chosen = self.layers_from(index)
                self.kept.clear()
                self.kept.update(zip(chosen, self.run(chosen), strict=True))
            return self.kept[index]


@dataclass(frozen=True)
class GivenLayer:
    """One layer's weights; what makes them is not known."""

    given: GivenWeights
    index: int
    """Layer, counted from 0."""

    @property
    def n_head(self) -> int:
        """Query heads."""
        return self.given.n_head

    @property
    def n_bytes(self) -> int:
        """What the layer takes in memory."""
        return self.given.n_bytes

    @property
    def weights(self) -> Tensor:
        """(head, query, key) float32."""
        return self.given.layer(self.index)

    def attention(self, head: int, queries: Tensor) -> HeadAttention:
        """Returns one head's attention for (query,) positions.

        A key with a weight of exactly 0 counts as masked: nothing tells it from one.
        """
        weights = self.weights[head][queries]
        return HeadAttention(queries.numpy(), (weights > 0).numpy(), weights.numpy(), None)

    def weight_block(self, start: int, stop: int) -> Tensor:
        """Returns (head, query, key) weights of queries start .. stop - 1, over their keys."""
        return self.weights[:, start:stop, :stop]

    def told_apart(self) -> float:
        """Returns how far weights on one and the same token differ, as a share of the largest."""
        last = self.weights[:, -1]
        largest = last.amax(-1, keepdim=True)
        smallest = torch.where(last > 0, last, largest).amin(-1, keepdim=True)
        return float((1 - smallest / largest).max())
