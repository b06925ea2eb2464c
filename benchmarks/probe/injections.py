"""Faults put into model classes while a block runs: another bias, another mask, other arithmetic.

A fault is a function of the right bias. It is given the bias as (batch, head, 1 or query, key) and
where it acts, and returns what is added instead, before the family's own scale.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from einops import rearrange
from torch import Tensor

from alibi_viz.maths.slopes import alibi_slopes
from benchmarks.probe.models import Recipe


@dataclass(frozen=True)
class At:
    """Where a bias is added."""

    n_query: int
    n_key: int
    layer: int
    """Counted from 1, as the findings do."""
    slopes: Tensor
    """(head,) the right ones, before the family's own scale."""
    dtype: torch.dtype
    padding: str = ""
    """"left" or "right" where keys of that end are masked in some row."""
    is_long: bool = False
    """Whether this project's own path for long texts is taken."""

    @property
    def distance(self) -> Tensor:
        """(query, key) query_pos - key_pos, the queries being the last ones of the keys."""
        query = torch.arange(self.n_key - self.n_query, self.n_key)
        return (query[:, None] - torch.arange(self.n_key)).float()

    @property
    def head_slopes(self) -> Tensor:
        """(head, 1, 1) slopes, to be multiplied with distances."""
        return self.slopes[:, None, None]


Fault = Callable[[Tensor, At], Tensor]


def _slopes(n_head: int) -> Tensor:
    return torch.tensor(alibi_slopes(n_head, rule="interleaved"), dtype=torch.float32)


def _padding(masked: Tensor) -> str:
    """Returns at which end the last query of some row misses keys, from (batch, 1, query, key)."""
    last = masked[:, 0, -1]
    return "left" if bool(last[:, 0].any()) else "right" if bool(last[:, -1].any()) else ""


@contextmanager
def bloom(fault: Fault) -> Iterator[None]:
    """Changes what BLOOM adds to its logits."""
    from transformers.models.bloom import modeling_bloom

    old = modeling_bloom.BloomAttention.forward

    def forward(self: Any, hidden: Tensor, residual: Tensor, alibi: Tensor, **rest: Any) -> Any:
        n_query, n_head = hidden.shape[1], self.num_heads
        bias = rearrange(alibi, "(batch head) one key -> batch head one key", head=n_head)
        mask = rest["attention_mask"]
        padding = "" if mask is None else _padding(mask < -1)
        at = At(n_query, alibi.shape[-1], self.layer_idx + 1, _slopes(n_head), alibi.dtype, padding)
        changed = fault(bias, at).expand(len(bias), n_head, -1, -1)
        return old(self, hidden, residual, changed.flatten(0, 1).to(alibi.dtype), **rest)

    with mock.patch.object(modeling_bloom.BloomAttention, "forward", forward):
        yield


@contextmanager
def mpt(fault: Fault) -> Iterator[None]:
    """Changes what MPT adds to its logits; its biases are the same for all rows of a batch."""
    from transformers.models.mpt import modeling_mpt

    old = modeling_mpt.MptAttention.forward

    def forward(self: Any, hidden: Tensor, position_bias: Tensor, **rest: Any) -> Any:
        n_query, mask = hidden.shape[1], rest["attention_mask"]
        n_key = mask.shape[-1]
        slopes, padding = _slopes(self.n_heads), _padding(mask)
        at = At(n_query, n_key, self.layer_idx + 1, slopes, hidden.dtype, padding)
        bias = position_bias[None, :, :, -n_key:]
        changed = fault(bias, at).expand(1, self.n_heads, -1, -1)[0]
        return old(self, hidden, changed.float(), **rest)

    with mock.patch.object(modeling_mpt.MptAttention, "forward", forward):
        yield


@contextmanager
def falcon(fault: Fault) -> Iterator[None]:
    """Changes what Falcon adds to its logits: the mask carries it, and the eager path adds it."""
    from transformers.models.falcon import modeling_falcon

    old = modeling_falcon.FalconAttention.forward

    def forward(
        self: Any, hidden: Tensor, alibi: Tensor, attention_mask: Tensor, **rest: Any
    ) -> Any:
        n_query, n_key = attention_mask.shape[-2:]
        slopes, padding = _slopes(self.num_heads), _padding(attention_mask < -1e9)
        at = At(n_query, n_key, self.layer_idx + 1, slopes, hidden.dtype, padding)
        bias = alibi.reshape(len(hidden), self.num_heads, 1, -1)
        changed = fault(bias, at).expand(*bias.shape[:2], -1, -1)
        lowest = torch.finfo(attention_mask.dtype).min
        carried = (changed / math.sqrt(self.head_dim)).to(attention_mask.dtype)
        mask = torch.where(attention_mask <= lowest, lowest, carried.clamp(min=lowest / 4))
        added = changed if changed.shape[-2] == 1 else torch.zeros_like(bias)
        return old(self, hidden, added.to(alibi.dtype), mask, **rest)

    with mock.patch.object(modeling_falcon.FalconAttention, "forward", forward):
        yield


@contextmanager
def own(fault: Fault) -> Iterator[None]:
    """Changes what models of this project, of two layers, add to their logits."""
    from alibi_viz.model import transformer
    from alibi_viz.model.attention import LinearBias

    layers: list[int] = []

    def forward(self: Any, x: Tensor, position: Any, bias: Any) -> Tensor:
        if id(self) not in layers:
            layers.append(id(self))
        q, k, v = self.project(x, position)
        length, slopes = x.shape[1], position.slopes()
        at = At(
            length, length, layers.index(id(self)) % 2 + 1, slopes, x.dtype,
            is_long=isinstance(bias, LinearBias),
        )  # fmt: skip
        added = fault(-(at.head_slopes * at.distance)[None], at)
        logits = q @ k.mT / q.shape[-1] ** 0.5 + added
        future = at.distance < 0
        weights = torch.softmax(logits.masked_fill(future, -math.inf), -1)
        return self.output(rearrange(weights @ v, "b head q d -> b q (head d)"))

    with mock.patch.object(transformer.Attention, "forward", forward):
        yield


INJECT = {"BloomConfig": bloom, "MptConfig": mpt, "FalconConfig": falcon, "own": own}


def biased(recipe: Recipe, fault: Fault) -> Callable[[], Any]:
    """Returns what plants a fault into the bias of a recipe's family."""
    return lambda: INJECT[recipe.config](fault)


def patched(owner: str, name: str, make: Callable[[Any], Any]) -> Callable[[], Any]:
    """Returns what replaces a function of a module or class by one made from it.

    Args:
        owner: Dotted name of the module, or of a class in it.
        name: Of the function.
        make: Takes the function and returns its replacement.
    """

    @contextmanager
    def plant() -> Iterator[None]:
        import importlib

        module, _, kind = owner.partition(":")
        place = importlib.import_module(module)
        place = getattr(place, kind) if kind else place
        with mock.patch.object(place, name, make(getattr(place, name))):
            yield

    return plant


def together(*plants: Callable[[], Any]) -> Callable[[], Any]:
    """Returns what plants several."""

    @contextmanager
    def plant() -> Iterator[None]:
        with ExitStack() as stack:
            for one in plants:
                stack.enter_context(one())
            yield

    return plant


def nothing() -> Any:
    """Plants nothing: the fault lies in the files, or in the library as it is."""
    return ExitStack()
