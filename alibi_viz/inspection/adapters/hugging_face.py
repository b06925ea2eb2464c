"""What all causal language models of `transformers` share: running them, and their loss."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import (
    Adapter,
    AttentionPath,
    Facts,
    ForwardPass,
    RunAsked,
)
from alibi_viz.inspection.adapters.loss import token_loss, token_loss_in_blocks
from alibi_viz.inspection.adapters.reading import hooks
from alibi_viz.inspection.errors import RUN_ERRORS, UnreadableModel

# Places of a static cache that stay empty.
SPARE_TOKENS = 7


class Enough(Exception):  # no error: it ends a run whose rest is not needed
    """Raised inside a model to end its run."""


@contextmanager
def ends_after(block: nn.Module) -> Iterator[None]:
    """Ends a run of the model, and the `with` block around it, when that layer has run."""

    def end(*_: Any) -> None:
        raise Enough

    with suppress(Enough), hooks([block.register_forward_hook(end)]):
        yield


class HuggingFaceAdapter(Adapter):
    """A model of `transformers`; the families add where position enters."""

    def __init__(self, model: Any, facts: Facts, tokenizer: Any = None) -> None:
        super().__init__(model, facts, tokenizer)
        self.blocks = self._find_blocks()
        forward = inspect.unwrap(type(model).forward)
        self.accepts = frozenset(inspect.signature(forward).parameters)

    @property
    def paths(self) -> tuple[AttentionPath, ...]:  # type: ignore[override]
        """The ways to compute attention that this class offers, the default one first."""
        names = ["eager"]
        if getattr(self.model, "_supports_sdpa", False):
            names.insert(0, "sdpa")
        plain = [AttentionPath(name, False) for name in names]
        return (*plain, *(AttentionPath(name, True) for name in names))

    @contextmanager
    def implementation(self, name: str) -> Iterator[None]:
        """Computes attention by the implementation of that name while the block runs."""
        before = self.model.config._attn_implementation
        with self.lock, torch.no_grad():
            self.choose_implementation(name)
            try:
                yield
            finally:
                self.choose_implementation(before)

    def choose_implementation(self, name: str) -> None:
        """Tells the model to compute attention by the implementation of that name."""
        self.model.set_attn_implementation(name)

    def forward(self, ids: Tensor, **kwargs: Any) -> Any:
        """Calls the model on (length,) ids."""
        return self.model(input_ids=ids.long()[None].to(self.device), **kwargs)

    def run(self, ids: Tensor, path: AttentionPath) -> ForwardPass:
        """Returns a plain forward pass."""
        with self.implementation(path.implementation):
            output = self.forward(ids, output_attentions=path.returns_weights)
        # Layers without attention return nothing, or states that are no weights.
        found = [w for w in getattr(output, "attentions", None) or () if w is not None]
        found = [w for w in found if w.ndim == 4 and w.shape[-1] == len(ids)]
        weights = tuple(w[0].float() for w in found) if found and path.returns_weights else None
        return ForwardPass(output.logits[0].float(), weights)

    def predictions(self, asked: RunAsked, *, last: int | None = None) -> Tensor:
        """Returns what the last pass of a run predicts, nothing in the model being touched."""
        with self.implementation(asked.path.implementation):
            logits: Tensor = self.forward_passes(asked, keep=last).logits
        return logits[:, -(last or 0) :].float()

    def forward_passes(
        self,
        asked: RunAsked,
        before: Callable[[int, int], None] | None = None,
        *,
        keep: int | None = None,
    ) -> Any:
        """Calls the model for every pass of a run; returns what the last one gives.

        Args:
            asked: The run.
            before: Called with each pass's first position and one past its last.
            keep: Positions whose logits are needed, the last ones; None for all.
        """
        ids, mask = asked.ids().to(self.device), asked.is_token().long().to(self.device)
        has_cache = asked.is_static or len(asked.passes) > 1
        given: dict[str, Any] = {"use_cache": has_cache}
        if asked.path.returns_weights:
            given["output_attentions"] = True
        if keep is not None and "logits_to_keep" in self.accepts:
            given["logits_to_keep"] = keep
        output = None
        for start, end in asked.passes:
            if before is not None:
                before(start, end)
            if asked.is_padded:
                given["attention_mask"] = mask[:, :end]
            if output is not None:
                given |= {self.cache_name: self.cache_of(output)}
            elif asked.is_static:
                given |= {self.cache_name: self.static_cache(asked.length)}
            output = self.model(input_ids=ids[:, start:end], **given)
        return output

    @property
    def cache_name(self) -> str:
        """What this class calls the argument for its cache."""
        return "cache" if "cache" in self.accepts else "past_key_values"

    def cache_of(self, output: Any) -> Any:
        """Returns the cache that continues after `output`."""
        cache = getattr(output, "cache", None)
        return getattr(output, "past_key_values", None) if cache is None else cache

    def static_cache(self, length: int) -> Any:
        """Returns an empty cache of a fixed size, a few tokens larger than a text."""
        from transformers import StaticCache

        return StaticCache(config=self.model.config, max_cache_len=length + SPARE_TOKENS)

    def _find_blocks(self) -> nn.ModuleList:
        """Returns the list of the model's layers: of that length, or the longest there is."""
        lists = [module for module in self.model.modules() if isinstance(module, nn.ModuleList)]
        if not lists:
            raise UnreadableModel(f"{type(self.model).__name__} holds no list of its layers")
        fitting = [blocks for blocks in lists if len(blocks) == self.facts.n_layer]
        return fitting[0] if fitting else max(lists, key=len)

    def why_no_longer(self) -> str | None:
        """Returns why the model takes no more tokens than its limit; None if it takes more."""
        return self._limit_failure

    @cached_property
    def _limit_failure(self) -> str | None:
        """What goes wrong past the limit: one token more is tried, in the first layer alone."""
        if self.facts.limit is None:
            return None
        # Different tokens: one may stand for padding, which some models do not count.
        ids = torch.arange(self.facts.limit + 1) % self.facts.vocab_size
        path = self.default_path
        try:
            with self.implementation(path.implementation), ends_after(self.blocks[0]):
                self.forward(ids, use_cache=False)
        except RUN_ERRORS as error:
            return first_lines(error)
        return None

    def forward_with_loss(self, ids: Tensor, **kwargs: Any) -> Tensor:
        """Runs the model once and returns the loss of every token but the first.

        The vocabulary is unrolled for a block of tokens at a time. Whether the model does more to
        its logits than its last layer does is checked on the last token; if so, all are asked for.

        Args:
            ids: (length,) token ids.
            kwargs: Passed on to the model.

        Returns:
            (length - 1,) float32, in nats.
        """
        head = self.model.get_output_embeddings() or nn.Identity()
        kept: list[Tensor] = []

        def keep_last(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            kept.append(args[0].detach())
            return (args[0][:, -1:],)

        with hooks([head.register_forward_pre_hook(keep_last)]):
            last = self.forward(ids, **kwargs).logits[0, -1]
        hidden = kept[0][0] if kept else last[None]
        if not kept or not torch.allclose(head(hidden[-1:])[0], last, rtol=1e-2, atol=1e-3):
            return token_loss(self.forward(ids, **kwargs).logits[0, :-1], ids[1:])
        return token_loss_in_blocks(head, hidden[:-1], ids[1:])
