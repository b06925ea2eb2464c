"""The faults that the detector was developed on: by kind, what is planted and what must be said."""

import math
from typing import Any

import torch
from torch import Tensor

from benchmarks.probe.injections import Fault, nothing, patched
from benchmarks.probe.models import (
    BLOOM,
    BLOOM_3_LAYERS,
    BLOOM_12,
    BLOOM_CODE,
    FALCON,
    FALCON_ROPE,
    GPT2,
    LLAMA,
    MPT,
    MPT_6,
    MPT_CODE,
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
    elsewhere,
    expected,
    heads_in_order,
    in_bias,
    in_heads,
    in_layer,
    in_rows,
    key_of,
    off,
    one_token,
    sines,
    staircase,
    times,
    upside_down,
    when,
    window,
)


def of_length() -> list[Planted]:
    return in_bias(
        "slopes that change with length",
        ("off from 513 tokens", BLOOM, beyond(512, off),
         expected("missing", (1, 2), from_length=513)),
        ("off from 1,001 tokens", MPT, beyond(1000, off),
         expected("missing", (1, 2), from_length=1001)),
        ("off from 101 tokens", FALCON, beyond(100, off),
         expected("missing", (1, 2), from_length=101)),
        ("our long path off", OWN, when(lambda at: at.is_long, off),
         expected("missing", (1, 2), from_length=2048)),
        ("halved from 257 tokens in layer 2", BLOOM_3_LAYERS, beyond(256, in_layer(2, times(0.5))),
         expected("scaled", (2,), from_length=257, factor=0.5)),
        ("reversed from 301 tokens", MPT, beyond(300, upside_down),
         expected("reversed", (1, 2), from_length=301)),
        ("heads swapped on our long path", OWN,
         when(lambda at: at.is_long, heads_in_order(lambda m: m.argsort())),
         expected("permuted", (1, 2), from_length=2048)),
        ("interpolated past 128 tokens", BLOOM, lambda bias, at: bias * min(1.0, 128 / at.n_key),
         expected("scaled", (1, 2), from_length=129)),
    )  # fmt: skip


def of_reach() -> list[Planted]:
    widths = ((BLOOM, 16), (MPT, 40), (FALCON, 100), (OWN, 600))
    caps = ((BLOOM, 100), (MPT, 20), (FALCON, 300), (OWN, 64))
    return [
        *in_bias(
            "windows",
            *((f"{width} keys", recipe, window(width), expected("window", (1, 2), keys=width))
              for recipe, width in widths),
            ("300 keys in layer 2", MPT, in_layer(2, window(300)),
             expected("window", (2,), keys=300)),
        ),
        *in_bias(
            "caps",
            *((f"flat from distance {distance}", recipe, cap(distance),
               expected("flat", (1, 2), from_distance=distance)) for recipe, distance in caps),
            ("head 2 flat from distance 8", BLOOM, in_heads((2,), cap(8)),
             expected("flat", (1, 2), heads=(2,), from_distance=8)),
        ),
    ]  # fmt: skip


def of_line() -> list[Planted]:
    return [
        *in_bias(
            "bends",
            ("logarithmic", BLOOM, by_distance(lambda d, m: -m * 4 * (1 + d).log()),
             expected("bent", (1, 2))),
            ("square root", MPT, by_distance(lambda d, m: -4 * m * d.sqrt()),
             expected("bent", (1, 2))),
            ("quadratic in layer 1", FALCON, in_layer(1, by_distance(lambda d, m: -m * d * d / 8)),
             expected("bent", (1,))),
            ("stairs of 4", OWN, staircase(4), expected("bent coarse", (1, 2))),
        ),
        *in_bias(
            "offsets",
            ("own key + 1", BLOOM, added_where(lambda at: at.distance == 0, 1.0),
             expected("offset", (1, 2), amount=1.0, said="own key")),
            ("first token + 3", MPT, added_where(lambda at: key_of(at) == 0, 3.0),
             expected("offset", (1, 2), amount=3.0, said="first token")),
            ("previous token - 2 in layer 2", OWN,
             in_layer(2, added_where(lambda at: at.distance == 1, -2.0)),
             expected("offset", (2,), amount=-2.0)),
        ),
    ]  # fmt: skip


def of_cache() -> list[Planted]:
    return [
        *in_bias(
            "chunks with a cache",
            ("off", BLOOM, when(chunk, off), expected("missing", said="chunk")),
            ("off with two queries", MPT, when(lambda at: at.n_query == 2 < at.n_key, off),
             expected("missing", said="chunk")),
            ("one key late", FALCON, when(chunk, lambda b, at: b.roll(5, -1)),
             expected("bent offset window slopes", said="chunk")),
        ),
        *in_bias(
            "one token with a cache",
            ("off", BLOOM, when(one_token, off), expected("missing", said="token")),
            ("reversed in layer 2", MPT, when(one_token, in_layer(2, upside_down)),
             expected("reversed", (2,), said="token")),
            ("doubled past 200 keys", BLOOM,
             when(lambda at: one_token(at) and at.n_key > 200, times(2.0)),
             expected("scaled", said="token", factor=2.0)),
        ),
    ]  # fmt: skip


def of_rows() -> list[Planted]:
    left = when(lambda at: at.padding == "left", off)
    right = when(lambda at: at.padding == "right" and at.n_query == at.n_key, times(0.5))
    slots = when(lambda at: at.padding == "right" and at.n_query < at.n_key, off)
    return [
        *in_bias(
            "batches",
            ("off in all rows but the first", BLOOM, in_rows(1, off),
             expected("missing", said="batch")),
            ("rows and heads mixed up", FALCON, lambda b, at: b.transpose(0, 1).reshape(b.shape),
             expected("slopes permuted scaled missing", said="batch")),
            ("reversed in the third row", BLOOM, in_rows(2, upside_down),
             expected("reversed", said="batch")),
        ),
        *in_bias(
            "left padding",
            *(("off", recipe, left, expected("missing", said="left")) for recipe in (BLOOM, MPT)),
        ),
        *elsewhere(
            "left padding",
            ("padding is seen", MPT, patched(MPT_CODE, "create_causal_mask", _unpadded),
             expected("padding differs", said="left")),
        ),
        *in_bias(
            "right padding",
            *(("halved", recipe, right, expected("scaled", said="right", factor=0.5))
              for recipe in (BLOOM, FALCON)),
        ),
        *elsewhere(
            "static cache",
            ("the library's Falcon", FALCON, nothing, expected("fails", said="static")),
        ),
        *in_bias(
            "static cache",
            *(("off", recipe, slots, expected("missing", said="static"))
              for recipe in (BLOOM, MPT)),
        ),
    ]  # fmt: skip


def _unpadded(old: Any) -> Any:
    """Makes a mask that knows the future and no padding."""

    def make(**given: Any) -> Any:
        mask = given["attention_mask"]
        return old(**{**given, "attention_mask": None if mask is None else torch.ones_like(mask)})

    return make


def of_arithmetic() -> list[Planted]:
    return [
        *in_bias(
            "number type",
            ("off in float16", MPT.stored_in(torch.float16),
             when(lambda at: at.dtype == torch.float16, off), expected("missing", (1, 2))),
            ("off in float32 only", BLOOM.stored_in(torch.float16),
             when(lambda at: at.dtype == torch.float32, off), expected("missing", said="float32")),
        ),
        *elsewhere(
            "number type",
            ("the library's bfloat16 in a float16 Falcon", FALCON.stored_in(torch.float16), nothing,
             expected("coarse", said="bfloat16")),
        ),
        *elsewhere(
            "ways to compute attention",
            ("the library's eager Falcon", FALCON, nothing,
             expected("scaled", said="eager", factor=2.0)),
            ("off when weights are asked for", BLOOM,
             patched(f"{BLOOM_CODE}:BloomAttention", "forward", _asked),
             expected("missing", said="weights")),
            ("the library's Falcon with RoPE loses its mask", FALCON_ROPE, nothing,
             expected("future", said="weights")),
        ),
    ]  # fmt: skip


def _asked(old: Any) -> Any:
    def forward(self: Any, x: Tensor, residual: Tensor, alibi: Tensor, **rest: Any) -> Any:
        return old(self, x, residual, alibi * (not rest["output_attentions"]), **rest)

    return forward


def of_place() -> list[Planted]:
    return [
        *in_bias(
            "layers",
            ("off in layer 2", BLOOM, in_layer(2, off), expected("missing", (2,))),
            ("off in layer 1", MPT, in_layer(1, off), expected("missing", (1,))),
            ("reversed in layer 3 of 3", BLOOM_3_LAYERS, in_layer(3, upside_down),
             expected("reversed", (3,))),
            ("tripled in layer 2", OWN, in_layer(2, times(3.0)),
             expected("scaled", (2,), factor=3.0)),
        ),
        *in_bias(
            "heads",
            ("head 3 off", BLOOM, in_heads((3,), off), expected("missing", (1, 2), heads=(3,))),
            ("head 8 of layer 2 off, the flattest", MPT, in_layer(2, in_heads((8,), off)),
             expected("missing", (2,), heads=(8,))),
            ("heads 1 and 4 reversed", OWN, in_heads((1, 4), upside_down),
             expected("reversed", (1, 2), heads=(1, 4))),
        ),
    ]  # fmt: skip


def of_slopes() -> list[Planted]:
    return [
        *in_bias(
            "sign and size",
            *(("reversed", recipe, upside_down, expected("reversed", (1, 2)))
              for recipe in (BLOOM, MPT, FALCON)),
            ("times 1 / sqrt(d_head)", BLOOM, times(8**-0.5),
             expected("scaled", (1, 2), factor=8**-0.5)),
            ("times ln 2, a softmax by powers of 2", OWN, times(math.log(2)),
             expected("scaled", (1, 2), factor=math.log(2))),
            ("off", MPT_6, off, expected("missing", (1, 2))),
        ),
        *in_bias(
            "order and rule",
            ("sorted slopes", BLOOM_12, heads_in_order(lambda m: m.argsort(descending=True)),
             expected("permuted", (1, 2))),
            ("heads turned by one in layer 2", MPT,
             in_layer(2, heads_in_order(lambda m: torch.arange(len(m)).roll(1))),
             expected("permuted", (2,))),
            ("the geometric rule for 12 heads", BLOOM_12,
             by_distance(lambda d, m: -_geometric(len(m)) * d),
             expected("rule", (1, 2), said="geometric")),
            ("heads counted from 0", BLOOM, times(2.0), expected("scaled rule", (1, 2))),
        ),
        *in_bias(
            "rounded slopes",
            ("bfloat16", BLOOM_12, _rounded(torch.bfloat16),
             expected("rounded", (1, 2), said="bfloat16", as_note=True)),
            ("float16", MPT.with_(d_model=96, n_heads=12), _rounded(torch.float16),
             expected("rounded", (1, 2), said="float16", as_note=True)),
        ),
    ]  # fmt: skip


def _geometric(n_head: int) -> Tensor:
    return torch.tensor([2.0 ** (-8 * h / n_head) for h in range(1, n_head + 1)])[:, None, None]


def _rounded(dtype: torch.dtype) -> Fault:
    return by_distance(lambda d, m: -m.to(dtype).float() * d)


def of_promise() -> list[Planted]:
    return [
        *elsewhere(
            "promises",
            ("MPT ignores alibi_bias_max", MPT.with_(attn_config={"alibi_bias_max": 16}), nothing,
             expected("rule scaled", (1, 2), said="exponent 8")),
            ("MPT ignores alibi: false",
             MPT.with_(attn_config={"alibi": False}, learned_pos_emb=False), nothing,
             expected("extra method")),
            ("GPT-2 with alibi: true", GPT2.edited(configured(alibi=True)), nothing,
             expected("missing", said="off")),
            ("Llama with position_embedding_type: alibi",
             LLAMA.edited(configured(position_embedding_type="alibi")), nothing,
             expected("missing", said="off")),
        ),
        *elsewhere(
            "a second position",
            ("RoPE besides", BLOOM, patched(f"{BLOOM_CODE}:BloomAttention", "_reshape", _turned),
             expected("extra", said="RoPE")),
            ("sines besides", MPT, patched(f"{MPT_CODE}:MptBlock", "forward", sines("attn", 1.0)),
             expected("extra", said="embedding")),
        ),
    ]  # fmt: skip


def of_the_rest() -> list[Planted]:
    return [
        *elsewhere(
            "the future",
            ("seen in layer 2", MPT, patched(f"{MPT_CODE}:MptAttention", "forward", _sees_in(2)),
             expected("future", (2,))),
            ("seen in chunks", BLOOM, patched(f"{BLOOM_CODE}:BloomAttention", "forward", _peeks),
             expected("future", said="chunk")),
        ),
        *elsewhere(
            "files",
            ("qk_ln is never read", MPT.with_(attn_config={"qk_ln": True}), nothing,
             expected("setting", said="qk_ln")),
            ("weights left over", MPT.edited(_with_table), nothing,
             expected("weights", said="wpe")),
        ),
        *in_bias(
            "no numbers",
            ("NaN from 301 tokens", BLOOM, beyond(300, lambda bias, at: bias * math.nan),
             expected("not_finite", from_length=301)),
            ("NaN with a left-padded row", MPT,
             when(lambda at: at.padding == "left", lambda b, at: b * math.nan),
             expected("not_finite", said="left")),
        ),
    ]  # fmt: skip


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
    return [
        *of_length(), *of_reach(), *of_line(), *of_cache(), *of_rows(), *of_arithmetic(),
        *of_place(), *of_slopes(), *of_promise(), *of_the_rest(),
    ]  # fmt: skip
