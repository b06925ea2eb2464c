"""Hooks that read weights through the values: queries are zeroed, and values mark single keys."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from alibi_viz.inspection.errors import UnreadableModel


@dataclass
class Selector:
    """What the value reading writes: zero queries, and values that mark keys."""

    marks: Tensor
    """(position, d_head): 1 in the channel of a key to read."""
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


@contextmanager
def first_blocks(blocks: nn.ModuleList, count: int | None) -> Iterator[None]:
    """Runs the model with its first layers only: enough to see how far a bias reaches."""
    kept = dict(blocks._modules)
    if count is not None:
        for name in list(kept)[count:]:
            del blocks._modules[name]
    try:
        yield
    finally:
        blocks._modules.clear()
        blocks._modules.update(kept)


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
        seen.append(args[0].detach())

    handles: list[Any] = []
    for part in parts:
        handles.append(part.projection.register_forward_hook(write))
        handles.append(part.output.register_forward_pre_hook(read))
    return handles


def last_row(seen: list[Tensor], n_layer: int, n_head: int, n_key: int) -> Tensor:
    """Returns (layer, head, channel) float32 from what the last pass left in `seen`.

    Raises:
        UnreadableModel: Fewer layers were seen than the model has.
    """
    if len(seen) < n_layer:
        raise UnreadableModel(
            f"only {len(seen)} of {n_layer} attention layers passed the place where weights are "
            "read: this model computes its attention in a way that is not known here"
        )
    rows = [layer[0, -1].reshape(n_head, -1)[:, :n_key].float() for layer in seen[-n_layer:]]
    return torch.stack(rows)
