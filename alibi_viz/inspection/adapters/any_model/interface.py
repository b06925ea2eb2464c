"""Any other causal model of `transformers`, by way of the library's attention interface.

Models that go through that interface hand over queries, keys (rotated already), values and mask,
so their logits split into content and mask; a position that acts inside q and k stays inside the
content. Where a model adds something else to its logits, or bends them, that is found by comparing
with its own weights; then these are shown alone, and why.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor, nn

from alibi_viz.inspection.adapters.any_model.generic import EAGER, Call, GenericAdapter
from alibi_viz.inspection.adapters.contract import AttentionPath, Reading, Recording
from alibi_viz.inspection.adapters.hugging_face import Enough
from alibi_viz.inspection.adapters.reading import last_pass, marks_for
from alibi_viz.inspection.adapters.records import Arithmetic, LayerRecord
from alibi_viz.inspection.errors import UnreadableModel

PREFIX = "alibi_viz_"
# Tokens on which what is shown is compared with the model's own weights.
CHECK_LENGTH = 12


@dataclass
class Watcher:
    """What a forward pass is watched for: inputs, weights, or outputs to marked values."""

    layers: range | None = None
    """Layers to keep the weights of; None to keep queries and keys, or to read."""
    keys: Tensor | None = None
    """(channel,) key positions to read through the values; None to keep instead."""
    last: int | None = None
    """Number of the layer that ends the run, counted from 1; None to run them all."""
    length: int = 0
    """Tokens of all passes together, padding included; for reading."""
    end: int = 0
    """One past the last token of the current pass."""
    queries: Tensor | None = None
    """Queries to keep; None for all."""
    events: list[Call | int] = field(default_factory=list)
    """All computations of attention; whoever watches may add numbers of layers."""
    records: list[LayerRecord] = field(default_factory=list)
    """One a layer, in the order of the calls."""
    seen: list[Tensor] = field(default_factory=list)
    """For each layer (head, query, key) weights, or (batch, query, head * d_head) outputs."""
    masks: dict[int, Tensor | None] = field(default_factory=dict)
    """Masks already read: layers share them."""
    count: int = 0
    """Layers that have passed."""


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
    function = partial(_library_function(module, base), module)
    if watcher is None:
        return function(query, key, value, attention_mask, **kwargs)
    watcher.events.append(Call(query.shape[1], key.shape[-2], value.shape[-1]))
    if watcher.keys is not None:
        # The cache gives the values of earlier passes; under a sliding window the latest of them,
        # and a static one more places than there are tokens.
        n_place = value.shape[-2]
        marks = marks_for(watcher.keys, max(watcher.length, n_place), value.shape[-1], value)
        first = max(watcher.end - n_place, 0)
        value = marks[first : first + n_place].expand_as(value)
        query = query * 0
    output, weights = function(query, key, value, attention_mask, **kwargs)
    if watcher.keys is not None:
        kept = output if watcher.queries is None else output[:, watcher.queries]
        watcher.seen.append(kept.flatten(2))
    elif watcher.layers is None:
        watcher.records.append(_record(module, query, key, attention_mask, watcher, kwargs))
    elif watcher.count in watcher.layers and weights is not None:
        watcher.seen.append(weights[0].detach().float())
    watcher.count += 1
    if watcher.count == watcher.last:
        raise Enough
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


class InterfaceAdapter(GenericAdapter):
    """A model that computes attention through the library's interface."""

    @contextmanager
    def calls(self, ids: Tensor) -> Iterator[list[Call | int]]:
        """Notes every computation of attention while the block runs."""
        watcher = Watcher(layers=range(0))
        with self.implementation(PREFIX + "eager"), watching(watcher):
            yield watcher.events

    @contextmanager
    def weights_of(self, layers: range, length: int, *, ends: bool) -> Iterator[list[Tensor]]:
        """Collects the weights that the library's eager functions return."""
        watcher = Watcher(layers=layers, last=layers.stop if ends else None)
        with self.implementation(PREFIX + "eager"), watching(watcher):
            yield watcher.seen

    def why_not_split(self) -> str | None:
        """Returns why content and mask do not make this model's own weights; None if they do."""
        return self._split_failure

    @cached_property
    def _split_failure(self) -> str | None:
        """Why content and mask do not make the own weights, as found on a short text."""
        ids = torch.arange(CHECK_LENGTH) % self.facts.vocab_size
        own = torch.stack(self.own_weights(ids, range(self.facts.n_layer)))
        layers = self.record_parts(ids, EAGER).layers
        ours = torch.stack([layer.weight_block(0, CHECK_LENGTH) for layer in layers])
        largest = float((ours - own).abs().max())
        # Half precision rounds logits of a few nats: a weight moves by some of its last digits.
        rounding = 1e-5 + 16 * torch.finfo(self.dtype).eps
        if largest <= rounding:
            return None
        lost = float((1 - own.sum(-1)).max())
        cap = self.facts.config.get("attn_logit_softcapping")
        why = f"its weights differ from softmax(q · k) by up to {largest:.2g}"
        if lost > rounding:
            why = f"up to {lost:.0%} of a query's attention goes to no token, but to a learned sink"
        elif cap:
            why = f"its logits are bent by tanh (attn_logit_softcapping: {cap:g})"
        return (
            f"Only the weights can be shown, not logits in parts: {self.facts.family} does more to "
            f"its logits than to add a mask; {why}."
        )

    def record_parts(self, ids: Tensor, path: AttentionPath) -> Recording:
        """Returns a forward pass with its queries and keys."""
        watcher = Watcher()
        with (
            self.implementation(PREFIX + path.implementation),
            self.entering() as embedded,
            watching(watcher),
        ):
            nll = self.forward_with_loss(ids, use_cache=False)
        # A model that is run twice for its loss leaves the same twice.
        layers = watcher.records[-self.facts.n_layer :]
        if len(layers) < self.facts.n_layer:
            raise UnreadableModel(
                f"{self.facts.name}: {len(layers)} of {self.facts.n_layer} layers computed "
                "attention through the library's interface; the rest cannot be seen"
            )
        return Recording(tuple(layers), nll, embedded[0][0].float())

    def read_weights(self, reading: Reading) -> Tensor:
        """Returns the weights that really act when all queries are zero."""
        asked = reading.asked
        watcher = Watcher(keys=reading.keys, length=asked.length)

        def before(start: int, end: int) -> None:
            watcher.end = end
            watcher.queries = reading.queries if end == asked.length else None

        with self.implementation(PREFIX + asked.path.implementation), watching(watcher):
            self.forward_passes(asked, before, keep=1)
        return last_pass(watcher.seen, self.facts.n_layer, self.facts.n_head, len(reading.keys))
