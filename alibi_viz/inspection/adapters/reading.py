"""Hooks that read weights through the values: queries are zeroed, and values mark single keys."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from alibi_viz.inspection.errors import UnreadableModel


@dataclass
class Selector:
    """What the value reading writes: zero queries, and values that mark keys."""

    marks: Tensor
    """(position, d_head): 1 in the channel of a key to read."""
    queries: Tensor | None = None
    """Queries of the last pass to keep; None for all."""
    start: int = 0
    """Position of the first token of the current forward pass."""

    def rows(self, length: int) -> Tensor:
        """Returns (length, d_head): the values of the tokens of the current pass."""
        return self.marks[self.start : self.start + length]


def marks_for(keys: Tensor, length: int, d_head: int, like: Tensor) -> Tensor:
    """Returns (position, d_head) of the model's type with channel c marking key `keys[c]`."""
    if len(keys) > d_head:
        raise ValueError(f"at most d_head = {d_head} keys can be read at once, got {len(keys)}")
    marks = torch.zeros(length, d_head, dtype=like.dtype, device=like.device)
    marks[keys, torch.arange(len(keys))] = 1
    return marks


@contextmanager
def hooks(handles: list[Any]) -> Iterator[None]:
    """Removes the hooks when the block ends, however it ends."""
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


# What reads one layer: module whose output holds q, k and v; how to write into it; module whose
# input is the attention's output.
Edit = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class LayerParts:
    """The modules of one attention layer that hooks are put on."""

    attention: nn.Module
    """The whole attention layer."""
    projection: nn.Module
    """Makes queries, keys and values, fused."""
    output: nn.Module
    """Takes the weighted values of all heads."""


def put_reading_hooks(
    parts: list[LayerParts], edit: Edit, selector: Selector, seen: list[Tensor]
) -> list[Any]:
    """Puts the hooks of the value reading on every layer.

    Args:
        parts: The layers.
        edit: Takes the fused projection (batch, length, ...) and values (length, d_head); returns
            the projection with zero queries and those values in every head.
        selector: What to write.
        seen: Filled with one (batch, query, head * d_head) tensor a layer, of every pass.

    Returns:
        Handles to remove.
    """

    def write(module: nn.Module, args: Any, fused: Tensor) -> Tensor:
        return edit(fused.clone(), selector.rows(fused.shape[1]))

    def read(module: nn.Module, args: Any) -> None:
        output = args[0].detach()
        seen.append(output if selector.queries is None else output[:, selector.queries])

    handles: list[Any] = []
    for part in parts:
        handles.append(part.projection.register_forward_hook(write))
        handles.append(part.output.register_forward_pre_hook(read))
    return handles


# Takes a projection; returns its queries, keys and values.
Split = Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]


def put_attention_hooks(
    parts: list[LayerParts], split: Split, slopes: NDArray[np.float64], scale: float
) -> list[Any]:
    """Puts causal attention with ALiBi, computed here in float32, in the place of every layer's.

    Args:
        parts: The layers.
        split: Takes a fused projection; returns queries, keys and values.
        slopes: (layer, head) in nats per token.
        scale: What q . k is multiplied with.

    Returns:
        Handles to remove.
    """
    kept: dict[int, Tensor] = {}

    def keep(index: int) -> Any:
        def hook(module: nn.Module, args: Any, fused: Tensor) -> None:
            kept[index] = fused

        return hook

    def attend(index: int) -> Any:
        def hook(module: nn.Module, args: Any) -> tuple[Tensor]:
            q, k, v = (part.float() for part in split(kept.pop(index)))
            k, v = (part.repeat_interleave(q.shape[1] // k.shape[1], 1) for part in (k, v))
            place = torch.arange(q.shape[2], device=q.device)
            distance = place[:, None] - place
            slope = torch.as_tensor(slopes[index], dtype=torch.float32, device=q.device)
            logits = scale * q @ k.mT - slope[:, None, None] * distance
            weights = logits.masked_fill(distance < 0, -torch.inf).softmax(-1)
            return ((weights @ v).transpose(1, 2).flatten(2).to(args[0].dtype),)

        return hook

    handles: list[Any] = []
    for index, part in enumerate(parts):
        handles.append(part.projection.register_forward_hook(keep(index)))
        handles.append(part.output.register_forward_pre_hook(attend(index)))
    return handles


def last_pass(seen: list[Tensor], n_layer: int, n_head: int, n_key: int) -> Tensor:
    """Returns (layer, row, head, query, channel) float32 from what the last pass left in `seen`.

    Raises:
        UnreadableModel: Fewer layers were seen than the model has.
    """
    if len(seen) < n_layer:
        raise UnreadableModel(
            f"only {len(seen)} of {n_layer} attention layers passed the place where weights are "
            "read: this model computes its attention in a way that is not known here"
        )
    layers = (
        layer.reshape(*layer.shape[:-1], n_head, -1)[..., :n_key] for layer in seen[-n_layer:]
    )
    return torch.stack([layer.transpose(1, 2).float() for layer in layers])
