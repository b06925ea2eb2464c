"""BLOOM (Le Scao et al., 2022), https://arxiv.org/abs/2211.05100, as `transformers` runs it.

logits = slope * key_pos + (1 / sqrt(d_head)) * q . k, one fused operation in the model's own type,
with the bias rounded to that type first: in half precision far keys share one bias. Slopes follow
the authors' code (interleaved), always with exponent 8; no setting changes or removes them.
"""

from typing import Any

import torch
from einops import rearrange
from torch import Tensor

from alibi_viz.inspection.adapters.contract import AttentionPath, Promise
from alibi_viz.inspection.adapters.families.fused import Arguments, FusedAdapter
from alibi_viz.inspection.adapters.reading import LayerParts
from alibi_viz.inspection.adapters.records import Arithmetic, LayerRecord, PositionTerm
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, alibi_slopes


class BloomAdapter(FusedAdapter):
    """BLOOM: ALiBi on the logits, added after 1 / sqrt(d_head)."""

    def promise(self) -> Promise:
        """Returns ALiBi with the interleaved slopes, unless the configuration says otherwise."""
        config, n_head = self.facts.config, self.facts.n_head
        exponent = float(
            config.get("alibi_bias_max") or config.get("max_exponent") or MAX_SLOPE_EXPONENT
        )
        declared = config.get("alibi", True)
        if not declared:
            return Promise("unknown", None, 1.0, "the configuration says alibi: false")
        slopes = alibi_slopes(n_head, exponent, "interleaved")
        words = f"BLOOM is ALiBi with the interleaved slopes of {n_head} heads"
        return Promise("alibi", slopes, 1.0, f"{words}, exponent {exponent:g}")

    def parts(self) -> list[LayerParts]:
        """Returns the modules of every layer."""
        layers: list[Any] = [block.self_attention for block in self.blocks]
        return [LayerParts(layer, layer.query_key_value, layer.dense) for layer in layers]

    def edit(self, fused: Tensor, values: Tensor) -> Tensor:
        """Returns a projection with zero queries, and the given values in every head."""
        parts = fused.view(*fused.shape[:2], self.facts.n_head, 3, self.facts.d_head)
        parts[..., 0, :] = 0
        parts[..., 2, :] = values[:, None]
        return fused

    def split(self, fused: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns queries, keys and values of a projection."""
        q, k, v = rearrange(
            fused, "batch length (head three d_head) -> three batch head length d_head", three=3,
            head=self.facts.n_head,
        )  # fmt: skip
        return q, k, v

    def layer_record(self, fused: Tensor, arguments: Arguments, path: AttentionPath) -> LayerRecord:
        """Returns the record of a layer from its projection and its arguments."""
        (q,), (k,), _ = self.split(fused[None])
        bias = arguments["alibi"].reshape(self.facts.n_head, -1).float()
        arithmetic = Arithmetic(
            torch.float32, self.dtype, torch.float32,
            "slope * key_pos, rounded to the model's type, + q . k / sqrt(d_head) in one step; "
            "softmax in float32",
        )  # fmt: skip
        scale = self.facts.d_head**-0.5
        return LayerRecord(q, k, scale, PositionTerm("key", bias), None, arithmetic)

    def with_slopes(self, arguments: Arguments, slopes: Tensor, length: int) -> Arguments:
        """Returns the arguments of a layer with the bias of other slopes."""
        bias = slopes[:, None, None] * torch.arange(length, device=slopes.device)
        return {**arguments, "alibi": bias.to(arguments["alibi"].dtype)}
