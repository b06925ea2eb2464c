"""Faults that were left alone while the detector was developed: a third of all, of every kind."""

import math
from typing import Any

import torch
from torch import Tensor

from benchmarks.probe.injections import At, nothing, patched
from benchmarks.probe.models import (
    BLOOM,
    BLOOM_3_LAYERS,
    BLOOM_12,
    BLOOM_CODE,
    FALCON,
    FALCON_CODE,
    GPT2,
    MPT,
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
        ("off in layer 2 from 130 tokens", MPT, beyond(129, in_layer(2, off)),
         expected("missing", (2,), from_length=130)),
        ("quadrupled past twice its training length", OWN, beyond(128, times(4.0)),
         expected("scaled", (1, 2), from_length=129, factor=4.0)),
        ("head 5 reversed from 700 tokens", BLOOM, beyond(699, in_heads((5,), upside_down)),
         expected("reversed", (1, 2), heads=(5,), from_length=700)),
        ("stretched as if to 64 tokens", FALCON, lambda bias, at: bias * min(1.0, 64 / at.n_key),
         expected("scaled", (1, 2), from_length=65)),
    )  # fmt: skip


def of_shape() -> list[Planted]:
    return [
        *in_bias(
            "windows",
            ("3 keys", BLOOM, window(3), expected("window", (1, 2), keys=3)),
            ("900 keys", MPT, window(900), expected("window", (1, 2), keys=900)),
            ("blocks of 64, each alone", OWN, _blocks_of_64, expected("window", (1, 2))),
        ),
        *in_bias(
            "caps",
            ("flat from distance 800", OWN, cap(800),
             expected("flat", (1, 2), from_distance=800)),
            ("never below -10 nats", BLOOM, by_distance(lambda d, m: (-m * d).clamp(min=-10.0)),
             expected("flat", (1, 2))),
        ),
        *in_bias(
            "bends",
            ("half as steep past distance 12", MPT,
             by_distance(lambda d, m: -m * (d.clamp(max=12) + (d - 12).clamp(min=0) / 2)),
             expected("bent", (1, 2))),
            ("stairs of 16 in layer 1", BLOOM, in_layer(1, staircase(16)),
             expected("bent coarse", (1,))),
        ),
        *in_bias(
            "offsets",
            ("fourth token + 2", BLOOM, added_where(lambda at: key_of(at) == 3, 2.0),
             expected("offset", (1, 2))),
            ("own key - 0.5 in head 2", OWN,
             in_heads((2,), added_where(lambda at: at.distance == 0, -0.5)),
             expected("offset", (1, 2), heads=(2,), amount=-0.5, said="own key")),
        ),
    ]  # fmt: skip


def _blocks_of_64(bias: Tensor, at: At) -> Tensor:
    key, query = torch.arange(at.n_key), torch.arange(at.n_key - at.n_query, at.n_key)
    return bias.masked_fill(key // 64 != query[:, None] // 64, -1e30)


def of_situation() -> list[Planted]:
    return [
        *in_bias(
            "chunks with a cache",
            ("reversed with 5 or more queries", MPT,
             when(lambda at: 5 <= at.n_query < at.n_key, upside_down),
             expected("reversed", said="chunk")),
        ),
        *in_bias(
            "one token with a cache",
            ("heads turned by one", FALCON,
             when(one_token, heads_in_order(lambda m: torch.arange(len(m)).roll(1))),
             expected("permuted", said="token")),
            ("sees 10 keys", BLOOM, when(one_token, window(10)),
             expected("window", said="token", keys=10)),
        ),
        *in_bias(
            "batches",
            ("halved in the second row", FALCON,
             lambda b, at: torch.cat([b[:1], b[1:2] / 2, b[2:]]),
             expected("scaled", said="batch", factor=0.5)),
            ("off in chunks of a batch", BLOOM, when(chunk, in_rows(1, off)),
             expected("missing", said="batch")),
        ),
        *in_bias(
            "left padding",
            ("doubled in layer 2", FALCON,
             when(lambda at: at.padding == "left", in_layer(2, times(2.0))),
             expected("scaled", (2,), said="left", factor=2.0)),
        ),
        *in_bias(
            "right padding",
            ("reversed", MPT,
             when(lambda at: at.padding == "right" and at.n_query == at.n_key, upside_down),
             expected("reversed", said="right")),
        ),
        *in_bias(
            "static cache",
            ("doubled", MPT,
             when(lambda at: at.padding == "right" and one_token(at), times(2.0)),
             expected("scaled", said="static", factor=2.0)),
        ),
    ]  # fmt: skip


def of_arithmetic() -> list[Planted]:
    return [
        *in_bias(
            "number type",
            ("halved in bfloat16", MPT.stored_in(torch.bfloat16),
             when(lambda at: at.dtype == torch.bfloat16, times(0.5)),
             expected("scaled", (1, 2), factor=0.5)),
            ("biases rounded to bfloat16 in float32", MPT, lambda b, at: b.bfloat16().float(),
             expected("coarse", said="bfloat16")),
        ),
        *elsewhere(
            "ways to compute attention",
            ("reversed when weights are asked for", FALCON,
             patched(f"{FALCON_CODE}:FalconAttention", "forward", _asked),
             expected("reversed scaled", said="weights")),
        ),
    ]  # fmt: skip


def _asked(old: Any) -> Any:
    def forward(self: Any, hidden: Tensor, alibi: Tensor, mask: Tensor = None, **rest: Any) -> Any:
        mask = rest.pop("attention_mask", mask)
        if rest.get("output_attentions"):
            alibi = alibi * -3
        return old(self, hidden, alibi, mask, **rest)

    return forward


def of_place() -> list[Planted]:
    return [
        *in_bias(
            "layers",
            ("times 1.1 in layer 1 of 3", BLOOM_3_LAYERS, in_layer(1, times(1.1)),
             expected("scaled", (1,), factor=1.1)),
            ("steeper with every layer", FALCON, lambda b, at: b * at.layer,
             expected("scaled", (2,), factor=2.0)),
        ),
        *in_bias(
            "heads",
            ("head 1 of layer 1 takes head 2's slope", MPT,
             in_layer(1, lambda b, at: torch.cat([b[:, 1:2], b[:, 1:]], 1)),
             expected("scaled slopes", (1,), heads=(1,))),
            ("the last 6 of 12 heads off", BLOOM_12, in_heads((7, 8, 9, 10, 11, 12), off),
             expected("missing", (1, 2), heads=(7, 8, 9, 10, 11, 12))),
        ),
        *in_bias(
            "sign and size",
            ("reversed", OWN, upside_down, expected("reversed", (1, 2))),
            ("0.2 % too steep", MPT, times(1.002), expected("scaled", (1, 2), factor=1.002)),
        ),
        *in_bias(
            "order and rule",
            ("each half has the slopes of 4 heads", BLOOM,
             lambda b, at: b[:, [1, 3, 5, 7, 1, 3, 5, 7]], expected("slopes rule", (1, 2))),
            ("heads in reverse", OWN, heads_in_order(lambda m: m.argsort()),
             expected("permuted", (1, 2))),
        ),
        *in_bias(
            "rounded slopes",
            ("bfloat16 of an exponent of 5", OWN.with_(max_exponent=5.0),
             by_distance(lambda d, m: -m.bfloat16().float() * d),
             expected("rounded", (1, 2), said="bfloat16", as_note=True)),
        ),
    ]  # fmt: skip


def of_promise() -> list[Planted]:
    return [
        *elsewhere(
            "promises",
            ("BLOOM ignores alibi_bias_max", BLOOM.edited(configured(alibi_bias_max=16)), nothing,
             expected("rule scaled", (1, 2), said="exponent 8")),
            ("GPT-2 with attn_config alibi", GPT2.edited(configured(attn_config={"alibi": True})),
             nothing, expected("missing", said="off")),
        ),
        *elsewhere(
            "a second position",
            ("sines besides", BLOOM,
             patched(f"{BLOOM_CODE}:BloomBlock", "forward", sines("self_attention", 0.1)),
             expected("extra", said="embedding")),
        ),
        *elsewhere(
            "the future",
            ("one token ahead", MPT, patched(f"{MPT_CODE}:MptAttention", "forward", _one_ahead),
             expected("future")),
        ),
        *elsewhere(
            "files",
            ("prefix_lm is never read", MPT.with_(attn_config={"prefix_lm": True}), nothing,
             expected("setting", said="prefix_lm")),
        ),
        *in_bias(
            "no numbers",
            ("NaN in one head of layer 2", OWN,
             in_layer(2, in_heads((3,), lambda b, at: b * math.nan)), expected("not_finite")),
        ),
    ]  # fmt: skip


def _one_ahead(old: Any) -> Any:
    def forward(self: Any, hidden: Tensor, **rest: Any) -> Any:
        mask = rest["attention_mask"]
        if mask.shape[-2] == mask.shape[-1] > 1:
            shifted = torch.cat([mask[:, :, 1:], mask[:, :, -1:]], dim=2)
            rest["attention_mask"] = mask & shifted
        return old(self, hidden, **rest)

    return forward


def held_out_faults() -> list[Planted]:
    """Returns every fault that was left alone."""
    return [
        *of_length(), *of_shape(), *of_situation(), *of_arithmetic(), *of_place(), *of_promise(),
    ]  # fmt: skip
