"""Falcon (Almazrouei et al., 2023), https://arxiv.org/abs/2311.16867, as `transformers` runs it.

ALiBi (Falcon-RW): logits = (q . k + bias) / sqrt(d_head), so that the slopes which act are the
published ones over sqrt(d_head); slopes and bias are rounded to bfloat16 whatever type the model
has. RoPE (Falcon-7B and later): q and k are rotated, nothing is added.

Paths differ. With sdpa the scaled bias arrives inside the mask. The eager path adds it once more,
which doubles every slope; the record below says what each path really does.
"""

import math
from typing import Any

import torch
from einops import rearrange
from torch import Tensor

from alibi_viz.inspection.adapters.contract import AttentionPath, Promise
from alibi_viz.inspection.adapters.families.fused import Arguments, FusedAdapter
from alibi_viz.inspection.adapters.reading import LayerParts
from alibi_viz.inspection.adapters.records import Arithmetic, LayerRecord, PositionTerm
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, alibi_slopes


class FalconAdapter(FusedAdapter):
    """Falcon: ALiBi before the 1 / sqrt(d_head), or RoPE."""

    def promise(self) -> Promise:
        """Returns what the setting `alibi` says."""
        if not self.facts.config.get("alibi", False):
            return Promise("rope", None, 1.0, "the configuration says alibi: false, so RoPE")
        factor = self.facts.d_head**-0.5
        slopes = factor * alibi_slopes(self.facts.n_head, MAX_SLOPE_EXPONENT, "interleaved")
        words = (
            "the configuration says alibi: true; Falcon adds the bias before dividing by "
            f"sqrt(d_head), so the slopes act times {factor:.4g}"
        )
        return Promise("alibi", slopes, factor, words)

    def parts(self) -> list[LayerParts]:
        """Returns the modules of every layer."""
        layers: list[Any] = [block.self_attention for block in self.blocks]
        return [LayerParts(layer, layer.query_key_value, layer.dense) for layer in layers]

    def edit(self, fused: Tensor, values: Tensor) -> Tensor:
        """Returns a projection with zero queries, and the given values in every head."""
        groups = self._groups(fused)
        groups[..., :-2, :] = 0
        groups[..., -1, :] = values[:, None]
        return fused

    def _groups(self, fused: Tensor) -> Tensor:
        """Returns a view (batch, length, key_head, queries + key + value, d_head).

        All three layouts are of this form: a key head for each query head, one for all, or one for
        each group of query heads.
        """
        config = self.model.config
        layer: Any = self.parts()[0].attention
        shares_keys = config.new_decoder_architecture or config.multi_query
        key_heads = layer.num_kv_heads if shares_keys else self.facts.n_head
        return fused.view(*fused.shape[:2], key_heads, -1, self.facts.d_head)

    def split(self, fused: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns queries, keys and values of a projection; heads may share keys and values."""
        groups = self._groups(fused)
        heads = "batch length group head d_head -> batch (group head) length d_head"
        q = rearrange(groups[..., :-2, :], heads)
        k, v = (rearrange(groups[..., part, :], "b l g d -> b g l d") for part in (-2, -1))
        return q, k, v

    def layer_record(self, fused: Tensor, arguments: Arguments, path: AttentionPath) -> LayerRecord:
        """Returns the record of a layer from its projection and its arguments."""
        (q,), (k,), _ = self.split(fused[None])
        alibi, mask = arguments["alibi"], arguments["attention_mask"]
        is_eager = path.implementation == "eager" or path.returns_weights
        if alibi is None:
            if mask is not None and mask.dtype == torch.bool and is_eager:
                raise UnreadableModel(f"{self.facts.name}: no causal mask acts on {path.label}")
            q, k = self._rotate(q, k, arguments["position_embeddings"])
            position = None
        else:
            position = PositionTerm("key", self._acting_bias(alibi, mask, is_eager))
        kind = self.dtype
        arithmetic = (
            Arithmetic(kind, torch.float32, kind, "q . k + bias, * 1 / sqrt(d_head), + mask")
            if is_eager
            else Arithmetic(torch.float32, torch.float32, torch.float32, "fused: sdpa")
        )
        return LayerRecord(q, k, self.facts.d_head**-0.5, position, None, arithmetic)

    def _acting_bias(self, alibi: Tensor, mask: Tensor, is_eager: bool) -> Tensor:
        # The last row of the mask sees every key: it is the bias that the mask carries.
        carried = mask[0, :, -1].float()
        added = alibi.reshape(self.facts.n_head, -1).float() * self.facts.d_head**-0.5
        return carried + added if is_eager else carried

    def _rotate(self, q: Tensor, k: Tensor, angles: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        from transformers.models.falcon import modeling_falcon

        rotate: Any = modeling_falcon.apply_rotary_pos_emb
        rotated_q, rotated_k = rotate(q[None], k[None], *angles)
        return rotated_q[0], rotated_k[0]

    def with_slopes(self, arguments: Arguments, slopes: Tensor, length: int) -> Arguments:
        """Returns the arguments of a layer with the bias of other slopes, rounded as Falcon does.

        The whole bias goes into the mask, and the other place gets zeros: so it acts once, on
        either path.
        """
        if arguments["alibi"] is None:
            raise self.no_slopes()
        mask = arguments["attention_mask"]
        key_pos = torch.arange(length, device=slopes.device)
        bias = (slopes[:, None].bfloat16() * key_pos).to(mask.dtype) / math.sqrt(self.facts.d_head)
        lowest = torch.finfo(mask.dtype).min
        mask = torch.where(mask == lowest, mask, bias[None, :, None])
        return {**arguments, "alibi": torch.zeros_like(arguments["alibi"]), "attention_mask": mask}
