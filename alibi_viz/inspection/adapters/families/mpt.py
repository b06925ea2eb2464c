"""MPT (MosaicML, 2023), https://github.com/mosaicml/llm-foundry, as `transformers` runs it.

logits = softmax_scale * q . k - slope * (max_seq_len - 1 - key_pos), the bias in float32 whatever
type the model has. Slopes follow the authors' code (interleaved). The installed class builds the
bias with exponent 8 and for every model, whatever `alibi` and `alibi_bias_max` say; the read-back
finds that out by itself.
"""

from typing import Any

import torch
from einops import rearrange
from torch import Tensor

from alibi_viz.inspection.adapters.contract import AttentionPath, Promise
from alibi_viz.inspection.adapters.families.fused import Arguments, FusedAdapter
from alibi_viz.inspection.adapters.reading import LayerParts
from alibi_viz.inspection.adapters.records import Arithmetic, LayerRecord, PositionTerm
from alibi_viz.maths.slopes import alibi_slopes


class MptAdapter(FusedAdapter):
    """MPT: ALiBi on the logits, added after the softmax scale."""

    def promise(self) -> Promise:
        """Returns what `attn_config` says of ALiBi, and `learned_pos_emb` where that is off."""
        config = self.facts.config
        attention = config.get("attn_config") or {}
        # The class's own defaults: alibi on, exponent 8 (configuration_mpt.py).
        if attention.get("alibi", True):
            exponent = float(attention.get("alibi_bias_max", 8))
            slopes = alibi_slopes(self.facts.n_head, exponent, "interleaved")
            words = f"the attn_config says alibi: true, alibi_bias_max: {exponent:g}"
            return Promise("alibi", slopes, 1.0, words)
        learned = config.get("learned_pos_emb", True)
        words = f"the attn_config says alibi: false, learned_pos_emb: {str(learned).lower()}"
        return Promise("learned" if learned else "nope", None, 1.0, words)

    def parts(self) -> list[LayerParts]:
        """Returns the modules of every layer."""
        layers: list[Any] = [block.attn for block in self.blocks]
        return [LayerParts(layer, layer.Wqkv, layer.out_proj) for layer in layers]

    def edit(self, fused: Tensor, values: Tensor) -> Tensor:
        """Returns a projection with zero queries, and the given values in every head."""
        q, _, v = fused.chunk(3, dim=-1)
        q.zero_()
        v.copy_(values.repeat(1, self.facts.n_head))
        return fused

    def split(self, fused: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns queries, keys and values of a projection, clipped where the model clips them."""
        clip = self.model.config.attn_config.clip_qkv
        if clip:
            fused = fused.clamp(min=-clip, max=clip)
        q, k, v = rearrange(
            fused, "batch length (three head d_head) -> three batch head length d_head", three=3,
            head=self.facts.n_head,
        )  # fmt: skip
        return q, k, v

    @property
    def scale(self) -> float:
        """What q . k is multiplied with."""
        attention: Any = self.parts()[0].attention
        return float(attention.softmax_scale)

    def layer_record(self, fused: Tensor, arguments: Arguments, path: AttentionPath) -> LayerRecord:
        """Returns the record of a layer from its projection and its arguments."""
        (q,), (k,), _ = self.split(fused[None])
        # The bias is built for max_seq_len keys; the last ones are used.
        bias = arguments["position_bias"].reshape(self.facts.n_head, -1)[:, -len(fused) :].float()
        arithmetic = Arithmetic(
            self.dtype, torch.float32, torch.float32,
            "q . k in the model's type, * softmax_scale, + bias in float32; softmax in float32",
        )  # fmt: skip
        return LayerRecord(q, k, self.scale, PositionTerm("key", bias), None, arithmetic)

    def with_slopes(self, arguments: Arguments, slopes: Tensor, length: int) -> Arguments:
        """Returns the arguments of a layer with the bias of other slopes, of any length."""
        key_pos = torch.arange(1 - length, 1, device=slopes.device)
        return {**arguments, "position_bias": slopes[:, None, None] * key_pos}
