"""Models of this project.

logits = q . k / sqrt(d_head) + bias(head, distance); ALiBi and T5 have a bias, RoPE turns q and k,
sinusoidal and learned positions are added to the embedding, NoPE does nothing.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from einops import rearrange
from torch import Tensor

from alibi_viz.inspection.adapters.contract import (
    Adapter,
    AttentionPath,
    ForwardPass,
    Promise,
    Reading,
    Recording,
    RunAsked,
    Slopes,
)
from alibi_viz.inspection.adapters.given import GivenLayer
from alibi_viz.inspection.adapters.loss import token_loss_in_blocks
from alibi_viz.inspection.adapters.reading import (
    LayerParts,
    Selector,
    hooks,
    last_pass,
    marks_for,
    put_attention_hooks,
    put_reading_hooks,
)
from alibi_viz.inspection.adapters.records import Arithmetic, LayerRecord, PositionTerm
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.model.attention import bias_for_blocks
from alibi_viz.model.transformer import LONG
from alibi_viz.positions import METHODS

FUSED = AttentionPath("fused", False)


class OwnAdapter(Adapter):
    """A decoder of `alibi_viz.model`."""

    paths = (FUSED,)
    has_cache = has_padding = False
    changes_at = LONG

    def promise(self) -> Promise:
        """Returns the method that the configuration names, and its slopes."""
        config = self.model.config
        method = METHODS[config.position]
        label, found = method.label, method.probed_as
        if found != "alibi":
            return Promise(found, None, 1.0, f"the configuration says {label}")
        slopes = alibi_slopes(
            config.n_head, config.max_exponent, config.slope_rule, free_heads=config.free_heads
        )
        if config.learned_slopes:
            return Promise("alibi", None, 1.0, "the configuration says ALiBi with trained slopes")
        words = (
            f"the configuration says {label}, exponent {config.max_exponent:g}, "
            f"{config.slope_rule} slopes of {config.n_head} heads"
        )
        return Promise("alibi", slopes, 1.0, words)

    def why_no_longer(self) -> str | None:
        """Returns that the table of learned positions ends; other methods go on."""
        if self.facts.limit is None:
            return None
        return f"its table of positions has {self.facts.limit} rows"

    def run(self, ids: Tensor, path: AttentionPath) -> ForwardPass:
        """Returns a plain forward pass."""
        return ForwardPass(self.predictions(RunAsked((ids,), path))[0], None)

    def predictions(self, asked: RunAsked, *, last: int | None = None) -> Tensor:
        """Returns what a run predicts; there is neither padding nor a cache."""
        if asked.is_padded or len(asked.passes) > 1 or asked.is_static:
            raise ValueError("this project's models have neither padding nor a cache")
        with self.lock, torch.no_grad():
            logits: Tensor = self.model(asked.ids().to(self.device))
        return logits[:, -(last or 0) :].float()

    def record(
        self, ids: Tensor, slopes: Slopes | None = None, path: AttentionPath | None = None
    ) -> Recording:
        """Returns a forward pass with its queries, keys and position terms."""
        length, layers = len(ids), list[LayerRecord]()
        with self.lock, torch.no_grad():
            embedded = x = self.model.embed(ids[None].to(self.device))
            for index, block in enumerate(self.model.blocks):
                bias = self._bias(index, length, slopes)
                q, k, _ = block.attention.project(block.attention_norm(x), self.model.position)
                layers.append(self._layer_record(q[0], k[0], bias))
                blocks = None if bias is None else bias_for_blocks(bias, length)
                x = block(x, self.model.position, blocks)
            nll = token_loss_in_blocks(self.model.unembed, x[0, :-1], ids[1:])
        return Recording(tuple(layers), nll, embedded[0].float())

    def acting_slopes(
        self, layers: Sequence[LayerRecord | GivenLayer], given: Slopes | None
    ) -> Slopes | None:
        """Returns the slopes given, or those of the model's method, however short the text."""
        own = self.model.position.slopes()
        if own is None or given is not None:
            return given
        return np.tile(own.detach().double().cpu().numpy(), (len(layers), 1))

    def _bias(self, layer: int, length: int, slopes: Slopes | None) -> Tensor | None:
        if slopes is None:
            own: Tensor | None = self.model.bias_by_distance(length)
            return own
        if self.model.position.slopes() is None:
            label = METHODS[self.model.config.position].label
            raise UnreadableModel(f"{self.facts.name} is {label}: it has no slopes to change")
        row = torch.as_tensor(slopes[layer], dtype=torch.float32, device=self.device)
        bias: Tensor = bias_by_distance(row, length)
        return bias

    def _layer_record(self, q: Tensor, k: Tensor, bias: Tensor | None) -> LayerRecord:
        kind = self.dtype
        arithmetic = Arithmetic(
            torch.float32, torch.float32, torch.float32,
            "q . k / sqrt(d_head) + bias, fused; the bias in the model's type",
        )  # fmt: skip
        term = None if bias is None else PositionTerm("distance", bias.to(kind).float())
        return LayerRecord(q, k, self.facts.d_head**-0.5, term, None, arithmetic)

    def parts(self) -> list[LayerParts]:
        """Returns the modules of every layer."""
        layers: list[Any] = [block.attention for block in self.model.blocks]
        return [LayerParts(layer, layer.query_key_value, layer.output) for layer in layers]

    def edit(self, fused: Tensor, values: Tensor) -> Tensor:
        """Returns a projection with zero queries, and the given values in every head."""
        q, _, v = rearrange(fused, "batch length (three d) -> three batch length d", three=3)
        q.zero_()
        v.copy_(values.repeat(1, self.facts.n_head))
        return fused

    def split(self, fused: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns queries, keys and values of a projection."""
        q, k, v = rearrange(
            fused, "batch length (three head d_head) -> three batch head length d_head", three=3,
            head=self.facts.n_head,
        )  # fmt: skip
        return q, k, v

    def predictions_with(self, ids: Tensor, slopes: Slopes, *, last: int) -> Tensor:
        """Returns what the model predicts if attention is computed here, with these slopes."""
        given = put_attention_hooks(self.parts(), self.split, slopes, self.facts.d_head**-0.5)
        with hooks(given):
            return self.predictions(RunAsked((ids,), self.default_path), last=last)[0]

    def read_weights(self, reading: Reading) -> Tensor:
        """Returns the weights that really act when all queries are zero."""
        parts, seen = self.parts(), list[Tensor]()
        like = next(self.model.parameters())
        marks = marks_for(reading.keys, reading.asked.length, self.facts.d_head, like)
        selector = Selector(marks, reading.queries)
        with hooks(put_reading_hooks(parts, self.edit, selector, seen)):
            self.predictions(reading.asked, last=1)
        return last_pass(seen, len(parts), self.facts.n_head, len(reading.keys))
