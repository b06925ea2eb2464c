"""Any other causal model of `transformers`, by way of the library's attention interface.

Models that go through that interface hand over queries, keys (rotated already), values and mask,
so their logits split into content and mask; a position that acts inside q and k stays inside the
content. Where a model adds something else to its logits, or bends them, that is found by comparing
with its own weights, and said.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from alibi_viz.inspection.adapters.base import (
    Path,
    Promise,
    Recording,
    Slopes,
    first_blocks,
    hooks,
    last_row,
    marks_for,
)
from alibi_viz.inspection.adapters.hugging_face import HuggingFaceAdapter
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.records import Arithmetic, LayerRecord

PREFIX = "alibi_viz_"
# Tokens on which what is shown is compared with the model's own weights.
CHECK_LENGTH = 12


@dataclass
class Watcher:
    """What a forward pass is watched for: its inputs, or its outputs to marked values."""

    keys: Tensor | None = None
    """(channel,) key positions to read through the values; None to record instead."""
    length: int = 0
    """Tokens of all passes together, padding included."""
    end: int = 0
    """One past the last token of the current pass."""
    records: list[LayerRecord] = field(default_factory=list)
    """One a layer, in the order of the calls."""
    seen: list[Tensor] = field(default_factory=list)
    """One (batch, query, head * d_head) a layer, in the order of the calls."""
    masks: dict[int, Tensor | None] = field(default_factory=dict)
    """Masks already read: layers share them."""


# One watcher for each thread of execution: sessions of the app do not see each other's.
_WATCHER: ContextVar[Watcher | None] = ContextVar("alibi_viz_watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Gives the watcher to all attention computed while the block runs."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def attend(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None,
    *, base: str, **kwargs: Any,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Computes attention as the library does, in front of the watcher.

    Args:
        module: The attention layer.
        query: (batch, head, query, d_head).
        key: (batch, key_head, key, d_head).
        value: (batch, key_head, key, d_head).
        attention_mask: (batch, 1, query, key), or None for the plain causal one.
        base: The library's implementation to use.
        kwargs: Passed on.
    """
    watcher = _WATCHER.get()
    function = _library_function(module, base)
    if watcher is None:
        return function(module, query, key, value, attention_mask, **kwargs)
    if watcher.keys is None:
        watcher.records.append(_record(module, query, key, attention_mask, watcher, kwargs))
        return function(module, query, key, value, attention_mask, **kwargs)
    # The cache gives the values of earlier passes, or, under a sliding window, the latest of them.
    marks = marks_for(watcher.keys, watcher.length, value.shape[-1], value)
    value = marks[watcher.end - value.shape[-2] : watcher.end].expand_as(value)
    output, weights = function(module, query * 0, key, value, attention_mask, **kwargs)
    watcher.seen.append(output.flatten(2))
    return output, weights


def _library_function(module: nn.Module, base: str) -> Callable[..., tuple[Tensor, Tensor | None]]:
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    if base == "eager":
        function: Callable[..., Any] = sys.modules[type(module).__module__].eager_attention_forward
        return function
    return ALL_ATTENTION_FUNCTIONS[base]  # type: ignore[no-any-return]


def _record(
    module: nn.Module, query: Tensor, key: Tensor, mask: Tensor | None, watcher: Watcher,
    kwargs: dict[str, Any],
) -> LayerRecord:  # fmt: skip
    scale = kwargs.get("scaling") or getattr(module, "scaling", None) or query.shape[-1] ** -0.5
    arithmetic = Arithmetic(
        query.dtype, query.dtype, torch.float32,
        "q . k in the model's type, * scale, + mask; softmax in float32",
    )  # fmt: skip
    if id(mask) not in watcher.masks:
        watcher.masks[id(mask)] = _unless_causal(mask)
    visible = watcher.masks[id(mask)]
    return LayerRecord(query[0].detach(), key[0].detach(), float(scale), None, visible, arithmetic)


def _unless_causal(mask: Tensor | None) -> Tensor | None:
    if mask is None:
        return None
    visible = (
        mask[0, 0] if mask.dtype == torch.bool else mask[0, 0] > torch.finfo(mask.dtype).min / 2
    )
    return None if torch.equal(visible, torch.ones_like(visible).tril()) else visible


def register_interface() -> None:
    """Makes the watched implementations known to the library, under names of our own."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS

    for base in ("eager", "sdpa"):
        AttentionInterface.register(PREFIX + base, partial(attend, base=base))
        AttentionMaskInterface.register(PREFIX + base, ALL_MASK_ATTENTION_FUNCTIONS[base])


class InterfaceAdapter(HuggingFaceAdapter):
    """A model that computes attention through the library's interface."""

    _checked = False
    _reason: str | None = None

    def promise(self) -> Promise:
        """Returns what the configuration's usual settings say about position."""
        config = self.facts.config
        attention = config.get("attn_config") or {}
        if config.get("alibi") or attention.get("alibi") or (
            config.get("position_embedding_type") == "alibi"
        ):  # fmt: skip
            return Promise("alibi", None, 1.0, "the configuration says ALiBi")
        if any(
            name in config for name in ("rope_parameters", "rope_theta", "rotary_pct", "rotary_dim")
        ):
            return Promise("rope", None, 1.0, "the configuration holds parameters of RoPE")
        if "n_positions" in config or config.get("position_embedding_type") == "absolute":
            return Promise("learned", None, 1.0, "the configuration names a number of positions")
        return Promise("unknown", None, 1.0, "the configuration does not say how position enters")

    def why_not_split(self) -> str | None:
        """Returns why content and mask do not make this model's own weights; None if they do."""
        if not self._checked:
            self._checked, self._reason = True, self._compare_with_own_weights()
        return self._reason

    def _compare_with_own_weights(self) -> str | None:
        ids = torch.arange(CHECK_LENGTH) % self.facts.vocab_size
        own = self.run(ids, Path("eager", True)).weights
        if own is None:
            return f"{self.facts.name} returns no attention weights to check what is shown by"
        layers = self.record(ids).layers
        largest = max(
            float((layer.weight_block(0, CHECK_LENGTH) - theirs).abs().max())
            for layer, theirs in zip(layers, own, strict=True)
        )
        # Half precision rounds logits of a few nats: a weight moves by some of its last digits.
        if largest <= 1e-5 + 16 * torch.finfo(self.dtype).eps:
            return None
        return (
            f"{self.facts.name} ({self.facts.family}) does more to its logits than to add a mask: "
            f"its own weights differ from softmax(q . k) by up to {largest:.2g}, so they cannot be "
            "shown as content and position. Its slopes can still be read back (probe)"
        )

    def record(
        self, ids: Tensor, slopes: Slopes | None = None, path: Path | None = None
    ) -> Recording:
        """Returns a forward pass with its queries and keys."""
        if slopes is not None:
            raise UnreadableModel(f"{self.facts.name} runs without ALiBi: no slopes to change")
        base = (path or Path("eager", False)).implementation
        watcher, embedded = Watcher(), list[Tensor]()

        def keep(_: Any, args: Any, kwargs: dict[str, Any]) -> None:
            embedded.append(args[0] if args else kwargs["hidden_states"])

        handle = self.blocks[0].register_forward_pre_hook(keep, with_kwargs=True)
        with self.implementation(PREFIX + base), hooks([handle]), watching(watcher):
            nll = self.forward_with_loss(ids)
        layers = watcher.records[-self.facts.n_layer :]
        if len(layers) < self.facts.n_layer:
            raise UnreadableModel(
                f"{self.facts.name}: {len(layers)} of {self.facts.n_layer} layers computed "
                "attention through the library's interface; the rest cannot be seen"
            )
        return Recording(tuple(layers), nll, embedded[0][0].float())

    def read_weights(
        self,
        ids: Tensor,
        path: Path,
        keys: Tensor,
        *,
        padding: int = 0,
        in_steps: bool = False,
        n_layer: int | None = None,
    ) -> Tensor:
        """Returns the weights that really act in the last row when all queries are zero."""
        length = padding + len(ids)
        watcher = Watcher(keys=keys + padding, length=length, end=length - in_steps)
        with (
            self.implementation(PREFIX + path.implementation),
            first_blocks(self.blocks, n_layer),
            watching(watcher),
        ):
            if in_steps:
                self.forward_in_steps(ids, path, lambda: setattr(watcher, "end", length))
            else:
                self.forward(ids, padding, use_cache=False, **self.only_last)
        count = n_layer or self.facts.n_layer
        return last_row(watcher.seen, count, self.facts.n_head, len(keys))
