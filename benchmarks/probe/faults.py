"""The faults that the detector was developed on: by kind, what is planted and what must be said."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from benchmarks.probe.injections import Fault, biased, nothing, patched
from benchmarks.probe.models import (
    BLOOM,
    BLOOM_3_LAYERS,
    BLOOM_12,
    FALCON,
    FALCON_ROPE,
    GPT2,
    LLAMA,
    MPT,
    MPT_6,
    OWN,
    configured,
)
from benchmarks.probe.plants import (
    Planted,
    added_where,
    beyond,
    by_distance,
    cap,
    chunk,
    expected,
    heads_in_order,
    in_heads,
    in_layer,
    in_rows,
    key_of,
    off,
    one_token,
    staircase,
    times,
    upside_down,
    when,
    window,
)


def of_length() -> Iterator[Planted]:
    kind = "slopes that change with length"
    yield Planted(
        kind, "off from 513 tokens", BLOOM, biased(BLOOM, beyond(512, off)),
        expected("missing", (1, 2), from_length=513),
    )  # fmt: skip
    yield Planted(
        kind, "off from 1,001 tokens", MPT, biased(MPT, beyond(1000, off)),
        expected("missing", (1, 2), from_length=1001),
    )  # fmt: skip
    yield Planted(
        kind, "off from 101 tokens", FALCON, biased(FALCON, beyond(100, off)),
        expected("missing", (1, 2), from_length=101),
    )  # fmt: skip
    yield Planted(
        kind, "our long path off", OWN, biased(OWN, when(lambda at: at.is_long, off)),
        expected("missing", (1, 2), from_length=2048),
    )  # fmt: skip
    yield Planted(
        kind, "halved from 257 tokens in layer 2", BLOOM_3_LAYERS,
        biased(BLOOM_3_LAYERS, beyond(256, in_layer(2, times(0.5)))),
        expected("scaled", (2,), from_length=257, factor=0.5),
    )  # fmt: skip
    yield Planted(
        kind, "reversed from 301 tokens", MPT, biased(MPT, beyond(300, upside_down)),
        expected("reversed", (1, 2), from_length=301),
    )  # fmt: skip
    yield Planted(
        kind, "heads swapped on our long path", OWN,
        biased(OWN, when(lambda at: at.is_long, heads_in_order(lambda m: m.argsort()))),
        expected("permuted", (1, 2), from_length=2048),
    )  # fmt: skip
    yield Planted(
        kind, "interpolated past 128 tokens", BLOOM,
        biased(BLOOM, lambda bias, at: bias * min(1.0, 128 / at.n_key)),
        expected("scaled", (1, 2), from_length=129),
    )  # fmt: skip


def of_shape() -> Iterator[Planted]:
    kind = "windows"
    for recipe, width in ((BLOOM, 16), (MPT, 40), (FALCON, 100), (OWN, 600)):
        yield Planted(
            kind, f"{width} keys", recipe, biased(recipe, window(width)),
            expected("window", (1, 2), keys=width),
        )  # fmt: skip
    yield Planted(
        kind, "300 keys in layer 2", MPT, biased(MPT, in_layer(2, window(300))),
        expected("window", (2,), keys=300),
    )  # fmt: skip
    kind = "caps"
    for recipe, distance in ((BLOOM, 100), (MPT, 20), (FALCON, 300), (OWN, 64)):
        yield Planted(
            kind, f"flat from distance {distance}", recipe, biased(recipe, cap(distance)),
            expected("flat", (1, 2), from_distance=distance),
        )  # fmt: skip
    yield Planted(
        kind, "head 2 flat from distance 8", BLOOM, biased(BLOOM, in_heads((2,), cap(8))),
        expected("flat", (1, 2), heads=(2,), from_distance=8),
    )  # fmt: skip
    kind = "bends"
    yield Planted(
        kind, "logarithmic", BLOOM, biased(BLOOM, by_distance(lambda d, m: -m * 4 * (1 + d).log())),
        expected("bent", (1, 2)),
    )  # fmt: skip
    yield Planted(
        kind, "square root", MPT, biased(MPT, by_distance(lambda d, m: -4 * m * d.sqrt())),
        expected("bent", (1, 2)),
    )  # fmt: skip
    yield Planted(
        kind, "quadratic in layer 1", FALCON,
        biased(FALCON, in_layer(1, by_distance(lambda d, m: -m * d * d / 8))),
        expected("bent", (1,)),
    )  # fmt: skip
    yield Planted(
        kind, "stairs of 4", OWN, biased(OWN, staircase(4)), expected("bent coarse", (1, 2))
    )
    kind = "offsets"
    yield Planted(
        kind, "own key + 1", BLOOM, biased(BLOOM, added_where(lambda at: at.distance == 0, 1.0)),
        expected("offset", (1, 2), amount=1.0, said="own key"),
    )  # fmt: skip
    yield Planted(
        kind, "first token + 3", MPT,
        biased(MPT, added_where(lambda at: key_of(at) == 0, 3.0)),
        expected("offset", (1, 2), amount=3.0, said="first token"),
    )  # fmt: skip
    yield Planted(
        kind, "previous token - 2 in layer 2", OWN,
        biased(OWN, in_layer(2, added_where(lambda at: at.distance == 1, -2.0))),
        expected("offset", (2,), amount=-2.0),
    )  # fmt: skip


def of_situation() -> Iterator[Planted]:
    kind = "chunks with a cache"
    yield Planted(
        kind, "off", BLOOM, biased(BLOOM, when(chunk, off)), expected("missing", said="chunk")
    )
    yield Planted(
        kind, "off with two queries", MPT,
        biased(MPT, when(lambda at: at.n_query == 2 < at.n_key, off)),
        expected("missing", said="chunk"),
    )  # fmt: skip
    yield Planted(
        kind, "one key late", FALCON, biased(FALCON, when(chunk, lambda b, at: b.roll(5, -1))),
        expected("bent offset window slopes", said="chunk"),
    )  # fmt: skip
    kind = "one token with a cache"
    yield Planted(
        kind, "off", BLOOM, biased(BLOOM, when(one_token, off)), expected("missing", said="token")
    )
    yield Planted(
        kind, "reversed in layer 2", MPT, biased(MPT, when(one_token, in_layer(2, upside_down))),
        expected("reversed", (2,), said="token"),
    )  # fmt: skip
    yield Planted(
        kind, "doubled past 200 keys", BLOOM,
        biased(BLOOM, when(lambda at: one_token(at) and at.n_key > 200, times(2.0))),
        expected("scaled", said="token", factor=2.0),
    )  # fmt: skip
    kind = "batches"
    yield Planted(
        kind, "off in all rows but the first", BLOOM, biased(BLOOM, in_rows(1, off)),
        expected("missing", said="batch"),
    )  # fmt: skip
    yield Planted(
        kind, "rows and heads mixed up", FALCON,
        biased(FALCON, lambda b, at: b.transpose(0, 1).reshape(b.shape)),
        expected("slopes permuted scaled missing", said="batch"),
    )  # fmt: skip
    yield Planted(
        kind, "reversed in the third row", BLOOM, biased(BLOOM, in_rows(2, upside_down)),
        expected("reversed", said="batch"),
    )  # fmt: skip
    kind = "left padding"
    padded = when(lambda at: at.padding == "left", off)
    for recipe in (BLOOM, MPT):
        yield Planted(kind, "off", recipe, biased(recipe, padded), expected("missing", said="left"))
    yield Planted(
        kind, "padding is seen", MPT,
        patched("transformers.models.mpt.modeling_mpt", "create_causal_mask", _unpadded),
        expected("padding differs", said="left"),
    )  # fmt: skip
    kind = "right padding"
    padded = when(lambda at: at.padding == "right" and at.n_query == at.n_key, times(0.5))
    for recipe in (BLOOM, FALCON):
        yield Planted(
            kind, "halved", recipe, biased(recipe, padded),
            expected("scaled", said="right", factor=0.5),
        )  # fmt: skip
    kind = "static cache"
    yield Planted(kind, "the library's Falcon", FALCON, nothing, expected("fails", said="static"))
    slots = when(lambda at: at.padding == "right" and at.n_query < at.n_key, off)
    for recipe in (BLOOM, MPT):
        yield Planted(
            kind, "off", recipe, biased(recipe, slots), expected("missing", said="static")
        )
    kind = "number type"
    half = when(lambda at: at.dtype == torch.float16, off)
    yield Planted(
        kind, "off in float16", MPT.stored_in(torch.float16), biased(MPT, half),
        expected("missing", (1, 2)),
    )  # fmt: skip
    yield Planted(
        kind, "off in float32 only", BLOOM.stored_in(torch.float16),
        biased(BLOOM, when(lambda at: at.dtype == torch.float32, off)),
        expected("missing", said="float32"),
    )  # fmt: skip
    yield Planted(
        kind, "the library's bfloat16 in a float16 Falcon", FALCON.stored_in(torch.float16),
        nothing, expected("coarse", said="bfloat16"),
    )  # fmt: skip
    kind = "ways to compute attention"
    yield Planted(
        kind, "the library's eager Falcon", FALCON, nothing,
        expected("scaled", said="eager", factor=2.0),
    )  # fmt: skip
    yield Planted(
        kind, "off when weights are asked for", BLOOM,
        patched("transformers.models.bloom.modeling_bloom:BloomAttention", "forward", _asked),
        expected("missing", said="weights"),
    )  # fmt: skip
    yield Planted(
        kind, "the library's Falcon with RoPE loses its mask", FALCON_ROPE, nothing,
        expected("future", said="weights"),
    )  # fmt: skip


def _unpadded(old: Any) -> Any:
    """Makes a mask that knows the future and no padding."""

    def make(**given: Any) -> Any:
        mask = given["attention_mask"]
        return old(**{**given, "attention_mask": None if mask is None else torch.ones_like(mask)})

    return make


def _asked(old: Any) -> Any:
    def forward(self: Any, x: Tensor, residual: Tensor, alibi: Tensor, **rest: Any) -> Any:
        return old(self, x, residual, alibi * (not rest["output_attentions"]), **rest)

    return forward


def of_place() -> Iterator[Planted]:
    kind = "layers"
    yield Planted(
        kind, "off in layer 2", BLOOM, biased(BLOOM, in_layer(2, off)), expected("missing", (2,))
    )
    yield Planted(
        kind, "off in layer 1", MPT, biased(MPT, in_layer(1, off)), expected("missing", (1,))
    )
    yield Planted(
        kind, "reversed in layer 3 of 3", BLOOM_3_LAYERS,
        biased(BLOOM_3_LAYERS, in_layer(3, upside_down)), expected("reversed", (3,)),
    )  # fmt: skip
    yield Planted(
        kind, "tripled in layer 2", OWN, biased(OWN, in_layer(2, times(3.0))),
        expected("scaled", (2,), factor=3.0),
    )  # fmt: skip
    kind = "heads"
    yield Planted(
        kind, "head 3 off", BLOOM, biased(BLOOM, in_heads((3,), off)),
        expected("missing", (1, 2), heads=(3,)),
    )  # fmt: skip
    yield Planted(
        kind, "head 8 of layer 2 off, the flattest", MPT,
        biased(MPT, in_layer(2, in_heads((8,), off))), expected("missing", (2,), heads=(8,)),
    )  # fmt: skip
    yield Planted(
        kind, "heads 1 and 4 reversed", OWN, biased(OWN, in_heads((1, 4), upside_down)),
        expected("reversed", (1, 2), heads=(1, 4)),
    )  # fmt: skip
    kind = "sign and size"
    for recipe in (BLOOM, MPT, FALCON):
        yield Planted(
            kind, "reversed", recipe, biased(recipe, upside_down), expected("reversed", (1, 2))
        )
    yield Planted(
        kind, "times 1 / sqrt(d_head)", BLOOM, biased(BLOOM, times(8**-0.5)),
        expected("scaled", (1, 2), factor=8**-0.5),
    )  # fmt: skip
    yield Planted(
        kind, "times ln 2, a softmax by powers of 2", OWN, biased(OWN, times(math.log(2))),
        expected("scaled", (1, 2), factor=math.log(2)),
    )  # fmt: skip
    yield Planted(kind, "off", MPT_6, biased(MPT_6, off), expected("missing", (1, 2)))
    kind = "order and rule"
    yield Planted(
        kind, "sorted slopes", BLOOM_12,
        biased(BLOOM_12, heads_in_order(lambda m: m.argsort(descending=True))),
        expected("permuted", (1, 2)),
    )  # fmt: skip
    yield Planted(
        kind, "heads turned by one in layer 2", MPT,
        biased(MPT, in_layer(2, heads_in_order(lambda m: torch.arange(len(m)).roll(1)))),
        expected("permuted", (2,)),
    )  # fmt: skip
    yield Planted(
        kind, "the geometric rule for 12 heads", BLOOM_12,
        biased(BLOOM_12, by_distance(lambda d, m: -_geometric(len(m)) * d)),
        expected("rule", (1, 2), said="geometric"),
    )  # fmt: skip
    yield Planted(
        kind, "heads counted from 0", BLOOM, biased(BLOOM, times(2.0)),
        expected("scaled rule", (1, 2)),
    )  # fmt: skip
    kind = "rounded slopes"
    for recipe, dtype in ((BLOOM_12, torch.bfloat16), (MPT_6, torch.float16)):
        recipe = recipe.with_(n_head=12) if recipe is BLOOM_12 else recipe.with_(**_TWELVE)
        yield Planted(
            kind, str(dtype)[6:], recipe, biased(recipe, _rounded(dtype)),
            expected("rounded", (1, 2), said=str(dtype)[6:], as_note=True),
        )  # fmt: skip


_TWELVE = {"d_model": 96, "n_heads": 12}


def _geometric(n_head: int) -> Tensor:
    return torch.tensor([2.0 ** (-8 * h / n_head) for h in range(1, n_head + 1)])[:, None, None]


def _rounded(dtype: torch.dtype) -> Fault:
    return by_distance(lambda d, m: -m.to(dtype).float() * d)


def of_promise() -> Iterator[Planted]:
    kind = "promises"
    yield Planted(
        kind, "MPT ignores alibi_bias_max", MPT.with_(attn_config={"alibi_bias_max": 16}), nothing,
        expected("rule scaled", (1, 2), said="exponent 8"),
    )  # fmt: skip
    yield Planted(
        kind, "MPT ignores alibi: false",
        MPT.with_(attn_config={"alibi": False}, learned_pos_emb=False), nothing,
        expected("extra method"),
    )  # fmt: skip
    yield Planted(
        kind, "GPT-2 with alibi: true", GPT2.edited(configured(alibi=True)), nothing,
        expected("missing", said="off"),
    )  # fmt: skip
    yield Planted(
        kind, "Llama with position_embedding_type: alibi",
        LLAMA.edited(configured(position_embedding_type="alibi")), nothing,
        expected("missing", said="off"),
    )  # fmt: skip
    kind = "a second position"
    yield Planted(
        kind, "RoPE besides", BLOOM,
        patched("transformers.models.bloom.modeling_bloom:BloomAttention", "_reshape", _turned),
        expected("extra", said="RoPE"),
    )  # fmt: skip
    yield Planted(
        kind, "sines besides", MPT,
        patched("transformers.models.mpt.modeling_mpt:MptBlock", "forward", _sines),
        expected("extra", said="embedding"),
    )  # fmt: skip
    kind = "the future"
    yield Planted(
        kind, "seen in layer 2", MPT,
        patched("transformers.models.mpt.modeling_mpt:MptAttention", "forward", _sees_in(2)),
        expected("future", (2,)),
    )  # fmt: skip
    yield Planted(
        kind, "seen in chunks", BLOOM,
        patched("transformers.models.bloom.modeling_bloom:BloomAttention", "forward", _peeks),
        expected("future", said="chunk"),
    )  # fmt: skip
    kind = "files"
    yield Planted(
        kind, "qk_ln is never read", MPT.with_(attn_config={"qk_ln": True}), nothing,
        expected("setting", said="qk_ln"),
    )  # fmt: skip
    yield Planted(
        kind, "weights left over", MPT.edited(_with_table), nothing,
        expected("weights", said="wpe"),
    )  # fmt: skip
    kind = "no numbers"
    yield Planted(
        kind, "NaN from 301 tokens", BLOOM,
        biased(BLOOM, beyond(300, lambda bias, at: bias * math.nan)),
        expected("not_finite", from_length=301),
    )  # fmt: skip
    yield Planted(
        kind, "NaN with a left-padded row", MPT,
        biased(MPT, when(lambda at: at.padding == "left", lambda b, at: b * math.nan)),
        expected("not_finite", said="left"),
    )  # fmt: skip


def _turned(old: Any) -> Any:
    """Turns queries and keys by their place in the pass, as RoPE does."""

    def reshape(self: Any, fused: Tensor) -> Any:
        q, k, v = old(self, fused)
        angle = torch.arange(q.shape[2])[:, None] * torch.tensor([1.0, 0.1])
        cos, sin = angle.cos(), angle.sin()

        def turn(x: Tensor) -> Tensor:
            a, b, rest = x[..., :2], x[..., 2:4], x[..., 4:]
            return torch.cat([a * cos - b * sin, a * sin + b * cos, rest], -1)

        return turn(q), turn(k), v

    return reshape


def _sines(old: Any) -> Any:
    """Adds sines to what enters the first layer."""

    def forward(self: Any, hidden: Tensor, *args: Any, **rest: Any) -> Any:
        if self.attn.layer_idx == 0:
            past = rest["layer_past"]
            start = past.get_seq_length() if past is not None else 0
            place = torch.arange(start, start + hidden.shape[1])[:, None]
            hidden = hidden + (place * torch.linspace(0.01, 1, hidden.shape[2])).sin()
        return old(self, hidden, *args, **rest)

    return forward


def _sees_in(layer: int) -> Any:
    def make(old: Any) -> Any:
        def forward(self: Any, *args: Any, **rest: Any) -> Any:
            if self.layer_idx == layer - 1:
                rest["attention_mask"] = rest["attention_mask"] & False
            return old(self, *args, **rest)

        return forward

    return make


def _peeks(old: Any) -> Any:
    def forward(self: Any, x: Tensor, residual: Tensor, alibi: Tensor, **rest: Any) -> Any:
        if 1 < x.shape[1] < alibi.shape[-1]:
            rest["attention_mask"] = None
        return old(self, x, residual, alibi, **rest)

    return forward


def _with_table(folder: Any) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    tensors["transformer.wpe.weight"] = torch.zeros(64, 64)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def all_faults() -> list[Planted]:
    """Returns every fault that the detector was developed on."""
    return [*of_length(), *of_shape(), *of_situation(), *of_place(), *of_promise()]
