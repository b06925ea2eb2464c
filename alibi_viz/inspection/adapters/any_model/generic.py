"""Causal models of `transformers` that have no adapter of their own: what any of them can be asked.

A first run tells how many layers have attention, with how many heads: configurations name both in
many ways, and mixtures with other layers (Mamba, convolutions) only in part.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from alibi_viz.inspection.adapters.contract import AttentionPath, Facts, Promise, Recording, Slopes
from alibi_viz.inspection.adapters.given import GivenLayer, GivenWeights
from alibi_viz.inspection.adapters.hugging_face import Enough, HuggingFaceAdapter
from alibi_viz.inspection.adapters.reading import hooks
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.maths.slopes import alibi_slopes

EAGER = AttentionPath("eager", True)
# Tokens of the run that tells layers and heads: no usual width of anything else.
LOOK_LENGTH = 13
# Layers that a sentence names one by one.
NAMED_LAYERS = 8


@dataclass(frozen=True)
class Call:
    """One computation of attention."""

    n_head: int
    n_key: int
    d_value: int
    """Channels of a value: as many keys can be read at once."""


class GenericAdapter(HuggingFaceAdapter):
    """A model that is only known by what it computes."""

    def __init__(self, model: Any, facts: Facts, tokenizer: Any = None) -> None:
        super().__init__(model, facts, tokenizer)
        self._settle_facts()
        self.has_cache = self._gives_cache()

    @property
    def recording_path(self) -> AttentionPath:
        """Eager: the one that shows its weights."""
        return EAGER

    @abstractmethod
    def calls(self, ids: Tensor) -> AbstractContextManager[list[Call | int]]:
        """Notes in a list every computation of attention while the block runs on `ids`."""

    @abstractmethod
    def weights_of(
        self, layers: range, length: int, *, ends: bool
    ) -> AbstractContextManager[list[Tensor]]:
        """Collects the (head, query, key) float32 weights of some layers while the block runs.

        Args:
            layers: Consecutive layers.
            length: Tokens of the text.
            ends: Whether to raise `Enough` after the last of them.
        """

    def promise(self) -> Promise:
        """Returns what the configuration's usual settings say about position."""
        config = self.facts.config
        attention = config.get("attn_config") or {}
        if config.get("alibi") or attention.get("alibi") or (
            config.get("position_embedding_type") == "alibi"
        ):  # fmt: skip
            exponent = float(attention.get("alibi_bias_max") or config.get("alibi_bias_max") or 8)
            slopes = alibi_slopes(self.facts.n_head, exponent, "interleaved")
            return Promise("alibi", slopes, 1.0, "the configuration says ALiBi")
        if any(
            name in config for name in ("rope_parameters", "rope_theta", "rotary_pct", "rotary_dim")
        ):
            return Promise("rope", None, 1.0, "the configuration holds parameters of RoPE")
        if "n_positions" in config or config.get("position_embedding_type") == "absolute":
            return Promise("absolute", None, 1.0, "the configuration names a number of positions")
        return Promise("unknown", None, 1.0, "the configuration does not say how position enters")

    def record(
        self, ids: Tensor, slopes: Slopes | None = None, path: AttentionPath | None = None
    ) -> Recording:
        """Returns a forward pass with its queries and keys, or with its weights alone."""
        if slopes is not None:
            raise UnreadableModel(f"{self.facts.name} runs without ALiBi: no slopes to change")
        if self.why_not_split() is None:
            return self.record_parts(ids, path or EAGER)
        return self._record_weights(ids)

    def record_parts(self, ids: Tensor, path: AttentionPath) -> Recording:
        """Returns a forward pass with its queries and keys, where these are known."""
        raise NotImplementedError

    def _record_weights(self, ids: Tensor) -> Recording:
        given = GivenWeights(
            lambda layers: self.own_weights(ids, layers),
            self.facts.n_layer, self.facts.n_head, len(ids), self.lock,
        )  # fmt: skip
        first = given.layers_from(0)
        with self.entering() as embedded, self.weights_of(first, len(ids), ends=False) as seen:
            nll = self.forward_with_loss(ids, use_cache=False)
        given.kept.update(zip(first, self._complete(seen, first), strict=True))
        layers = tuple(GivenLayer(given, index) for index in range(self.facts.n_layer))
        return Recording(layers, nll, embedded[0][0].float())

    def own_weights(self, ids: Tensor, layers: range) -> list[Tensor]:
        """Returns the (head, query, key) float32 weights of consecutive layers.

        Args:
            ids: (length,) token ids.
            layers: Counted from 0.

        Raises:
            UnreadableModel: Not all of them were seen.
        """
        with self.weights_of(layers, len(ids), ends=True) as seen, suppress(Enough):
            self.forward(ids, use_cache=False)
        return self._complete(seen, layers)

    def _complete(self, seen: list[Tensor], layers: range) -> list[Tensor]:
        if len(seen) < len(layers):
            raise UnreadableModel(
                f"{self.facts.name}: the weights of {len(seen)} of {len(layers)} layers were seen; "
                "at this length it computes attention in another way"
            )
        return seen[: len(layers)]

    @contextmanager
    def entering(self) -> Iterator[list[Tensor]]:
        """Collects what enters the first layer, (batch, length, d_model), while the block runs."""
        entered: list[Tensor] = []

        def keep(_: Any, args: Any, kwargs: dict[str, Any]) -> None:
            entered.append(args[0] if args else kwargs["hidden_states"])

        with hooks([self.blocks[0].register_forward_pre_hook(keep, with_kwargs=True)]):
            yield entered

    def _settle_facts(self) -> None:
        """Counts layers and heads in a run, and says which layers have no attention."""
        ids = torch.arange(LOOK_LENGTH) % self.facts.vocab_size
        lists = _outer_lists(self.model)
        ran: list[int] = []
        with self.calls(ids) as events:
            handles = [
                block.register_forward_pre_hook(_noting(ran, events, which, index))
                for which, blocks in enumerate(lists)
                for index, block in enumerate(blocks)
            ]
            with hooks(handles), torch.no_grad():
                self.forward(ids, use_cache=False)
        calls = [event for event in events if isinstance(event, Call)]
        self._require_readable(calls)
        if ran:
            self.blocks = lists[max(set(ran), key=lambda which: (ran.count(which), -which))]
        self.facts.n_layer, self.facts.n_head = len(calls), calls[0].n_head
        self.facts.d_head = min(call.d_value for call in calls)
        self.facts.missing += _layers_sentence(events, len(self.blocks))

    def _gives_cache(self) -> bool:
        """Returns whether a run leaves a cache that another one can go on from."""
        if not {"past_key_values", "cache"} & self.accepts:
            return False
        with self.lock, torch.no_grad():
            output = self.forward(torch.arange(2) % self.facts.vocab_size, use_cache=True)
        names = ("cache", "past_key_values")
        return any(getattr(output, name, None) is not None for name in names)

    def _require_readable(self, calls: Sequence[Call]) -> None:
        name = f"{self.facts.name} ({self.facts.family})"
        if not calls:
            raise UnreadableModel(f"{name}: no attention was seen in a run of it")
        keys = max(call.n_key for call in calls)
        if keys != LOOK_LENGTH:
            raise UnreadableModel(
                f"{name} attends to {keys} keys where a text has {LOOK_LENGTH} tokens: its "
                "attention is not one of tokens to tokens"
            )
        heads = {call.n_head for call in calls}
        if len(heads) > 1:
            raise UnreadableModel(
                f"{name} has layers of {min(heads)} and of {max(heads)} heads; only models with "
                "the same number in all can be shown"
            )


def _outer_lists(model: nn.Module) -> list[nn.ModuleList]:
    """Returns the lists of modules that stand in no other list."""
    found: list[tuple[str, nn.ModuleList]] = []
    for name, module in model.named_modules():
        inside = any(name.startswith(f"{outer}.") for outer, _ in found)
        if isinstance(module, nn.ModuleList) and len(module) and not inside:
            found.append((name, module))
    return [module for _, module in found]


def _noting(ran: list[int], events: list[Call | int], which: int, index: int) -> Any:
    def note(module: nn.Module, args: Any) -> None:
        ran.append(which)
        events.append(index)

    return note


def _layers_sentence(events: Sequence[Call | int], n_block: int) -> list[str]:
    """Returns a sentence where layers and computations of attention are not the same in number.

    Args:
        events: Numbers of layers as they begin, and the computations of attention inside.
        n_block: Layers of the model.
    """
    counts = dict.fromkeys(range(n_block), 0)
    current = 0
    for event in events:
        if isinstance(event, Call):
            counts[current] += 1
        else:
            current = min(event, n_block - 1)
    having = [index + 1 for index, count in counts.items() if count]
    total = sum(counts.values())
    if len(having) < n_block:
        named = ", ".join(str(layer) for layer in having[:NAMED_LAYERS])
        more = " ..." if len(having) > NAMED_LAYERS else ""
        return [
            f"{len(having)} of {n_block} layers have attention (number {named}{more}); only they "
            "are shown."
        ]
    if total != n_block:
        return [f"Attention is computed {total} times in {n_block} layers; each stands for itself."]
    return []
