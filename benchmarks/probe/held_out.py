"""Faults that were left alone while the detector was developed: a third of all, of every kind."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from benchmarks.probe.injections import At, biased, nothing, patched
from benchmarks.probe.models import (
    BLOOM,
    BLOOM_3_LAYERS,
    BLOOM_12,
    FALCON,
    GPT2,
    MPT,
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


def of_length_and_shape() -> Iterator[Planted]:
    kind = "slopes that change with length"
    yield Planted(
        kind, "off in layer 2 from 130 tokens", MPT, biased(MPT, beyond(129, in_layer(2, off))),
        expected("missing", (2,), from_length=130),
    )  # fmt: skip
    yield Planted(
        kind, "quadrupled past twice its training length", OWN,
        biased(OWN, beyond(128, times(4.0))),
        expected("scaled", (1, 2), from_length=129, factor=4.0),
    )  # fmt: skip
    yield Planted(
        kind, "head 5 reversed from 700 tokens", BLOOM,
        biased(BLOOM, beyond(699, in_heads((5,), upside_down))),
        expected("reversed", (1, 2), heads=(5,), from_length=700),
    )  # fmt: skip
    yield Planted(
        kind, "stretched as if to 64 tokens", FALCON,
        biased(FALCON, lambda bias, at: bias * min(1.0, 64 / at.n_key)),
        expected("scaled", (1, 2), from_length=65),
    )  # fmt: skip
    kind = "windows"
    yield Planted(
        kind, "3 keys", BLOOM, biased(BLOOM, window(3)), expected("window", (1, 2), keys=3)
    )
    yield Planted(
        kind, "900 keys", MPT, biased(MPT, window(900)), expected("window", (1, 2), keys=900)
    )
    yield Planted(
        kind,
        "blocks of 64, each alone",
        OWN,
        biased(OWN, _blocks_of_64),
        expected("window", (1, 2)),
    )
    kind = "caps"
    yield Planted(
        kind, "flat from distance 800", OWN, biased(OWN, cap(800)),
        expected("flat", (1, 2), from_distance=800),
    )  # fmt: skip
    yield Planted(
        kind, "never below -10 nats", BLOOM,
        biased(BLOOM, by_distance(lambda d, m: (-m * d).clamp(min=-10.0))),
        expected("flat", (1, 2)),
    )  # fmt: skip
    kind = "bends"
    yield Planted(
        kind, "half as steep past distance 12", MPT,
        biased(MPT, by_distance(lambda d, m: -m * (d.clamp(max=12) + (d - 12).clamp(min=0) / 2))),
        expected("bent", (1, 2)),
    )  # fmt: skip
    yield Planted(
        kind, "stairs of 16 in layer 1", BLOOM, biased(BLOOM, in_layer(1, staircase(16))),
        expected("bent coarse", (1,)),
    )  # fmt: skip
    kind = "offsets"
    yield Planted(
        kind, "fourth token + 2", BLOOM,
        biased(BLOOM, added_where(lambda at: key_of(at) == 3, 2.0)), expected("offset", (1, 2)),
    )  # fmt: skip
    yield Planted(
        kind, "own key - 0.5 in head 2", OWN,
        biased(OWN, in_heads((2,), added_where(lambda at: at.distance == 0, -0.5))),
        expected("offset", (1, 2), heads=(2,), amount=-0.5, said="own key"),
    )  # fmt: skip


def _blocks_of_64(bias: Tensor, at: At) -> Tensor:
    key, query = torch.arange(at.n_key), torch.arange(at.n_key - at.n_query, at.n_key)
    return bias.masked_fill(key // 64 != query[:, None] // 64, -1e30)


def of_situation() -> Iterator[Planted]:
    kind = "chunks with a cache"
    yield Planted(
        kind, "reversed with 5 or more queries", MPT,
        biased(MPT, when(lambda at: 5 <= at.n_query < at.n_key, upside_down)),
        expected("reversed", said="chunk"),
    )  # fmt: skip
    kind = "one token with a cache"
    yield Planted(
        kind, "heads turned by one", FALCON,
        biased(FALCON, when(one_token, heads_in_order(lambda m: torch.arange(len(m)).roll(1)))),
        expected("permuted", said="token"),
    )  # fmt: skip
    yield Planted(
        kind, "sees 10 keys", BLOOM, biased(BLOOM, when(one_token, window(10))),
        expected("window", said="token", keys=10),
    )  # fmt: skip
    kind = "batches"
    yield Planted(
        kind, "halved in the second row", FALCON,
        biased(FALCON, lambda b, at: torch.cat([b[:1], b[1:2] / 2, b[2:]])),
        expected("scaled", said="batch", factor=0.5),
    )  # fmt: skip
    yield Planted(
        kind, "off in chunks of a batch", BLOOM, biased(BLOOM, when(chunk, in_rows(1, off))),
        expected("missing", said="batch"),
    )  # fmt: skip
    kind = "left padding"
    yield Planted(
        kind, "doubled in layer 2", FALCON,
        biased(FALCON, when(lambda at: at.padding == "left", in_layer(2, times(2.0)))),
        expected("scaled", (2,), said="left", factor=2.0),
    )  # fmt: skip
    kind = "right padding"
    yield Planted(
        kind, "reversed", MPT,
        biased(MPT, when(lambda at: at.padding == "right" and at.n_query == at.n_key, upside_down)),
        expected("reversed", said="right"),
    )  # fmt: skip
    kind = "static cache"
    yield Planted(
        kind, "doubled", MPT,
        biased(MPT, when(lambda at: at.padding == "right" and one_token(at), times(2.0))),
        expected("scaled", said="static", factor=2.0),
    )  # fmt: skip
    kind = "number type"
    yield Planted(
        kind, "halved in bfloat16", MPT.stored_in(torch.bfloat16),
        biased(MPT, when(lambda at: at.dtype == torch.bfloat16, times(0.5))),
        expected("scaled", (1, 2), factor=0.5),
    )  # fmt: skip
    yield Planted(
        kind, "biases rounded to bfloat16 in float32", MPT,
        biased(MPT, lambda b, at: b.bfloat16().float()), expected("coarse", said="bfloat16"),
    )  # fmt: skip
    kind = "ways to compute attention"
    yield Planted(
        kind, "reversed when weights are asked for", FALCON,
        patched("transformers.models.falcon.modeling_falcon:FalconAttention", "forward", _asked),
        expected("reversed scaled", said="weights"),
    )  # fmt: skip


def _asked(old: Any) -> Any:
    def forward(self: Any, hidden: Tensor, alibi: Tensor, mask: Tensor = None, **rest: Any) -> Any:
        mask = rest.pop("attention_mask", mask)
        if rest.get("output_attentions"):
            alibi = alibi * -3
        return old(self, hidden, alibi, mask, **rest)

    return forward


def of_place() -> Iterator[Planted]:
    kind = "layers"
    yield Planted(
        kind, "times 1.1 in layer 1 of 3", BLOOM_3_LAYERS,
        biased(BLOOM_3_LAYERS, in_layer(1, times(1.1))), expected("scaled", (1,), factor=1.1),
    )  # fmt: skip
    yield Planted(
        kind, "steeper with every layer", FALCON,
        biased(FALCON, lambda b, at: b * at.layer), expected("scaled", (2,), factor=2.0),
    )  # fmt: skip
    kind = "heads"
    yield Planted(
        kind, "head 1 of layer 1 takes head 2's slope", MPT,
        biased(MPT, in_layer(1, lambda b, at: torch.cat([b[:, 1:2], b[:, 1:]], 1))),
        expected("scaled slopes", (1,), heads=(1,)),
    )  # fmt: skip
    yield Planted(
        kind, "the last 6 of 12 heads off", BLOOM_12,
        biased(BLOOM_12, in_heads((7, 8, 9, 10, 11, 12), off)),
        expected("missing", (1, 2), heads=(7, 8, 9, 10, 11, 12)),
    )  # fmt: skip
    kind = "sign and size"
    yield Planted(kind, "reversed", OWN, biased(OWN, upside_down), expected("reversed", (1, 2)))
    yield Planted(
        kind, "0.2 % too steep", MPT, biased(MPT, times(1.002)),
        expected("scaled", (1, 2), factor=1.002),
    )  # fmt: skip
    kind = "order and rule"
    yield Planted(
        kind, "each half has the slopes of 4 heads", BLOOM,
        biased(BLOOM, lambda b, at: b[:, [1, 3, 5, 7, 1, 3, 5, 7]]),
        expected("slopes rule", (1, 2)),
    )  # fmt: skip
    yield Planted(
        kind, "heads in reverse", OWN, biased(OWN, heads_in_order(lambda m: m.argsort())),
        expected("permuted", (1, 2)),
    )  # fmt: skip
    kind = "rounded slopes"
    yield Planted(
        kind, "bfloat16 of an exponent of 5", OWN.with_(max_exponent=5.0),
        biased(OWN, by_distance(lambda d, m: -m.bfloat16().float() * d)),
        expected("rounded", (1, 2), said="bfloat16", as_note=True),
    )  # fmt: skip


def of_promise() -> Iterator[Planted]:
    kind = "promises"
    yield Planted(
        kind, "BLOOM ignores alibi_bias_max", BLOOM.edited(configured(alibi_bias_max=16)), nothing,
        expected("rule scaled", (1, 2), said="exponent 8"),
    )  # fmt: skip
    yield Planted(
        kind, "GPT-2 with attn_config alibi", GPT2.edited(configured(attn_config={"alibi": True})),
        nothing, expected("missing", said="off"),
    )  # fmt: skip
    kind = "a second position"
    yield Planted(
        kind, "sines besides", BLOOM,
        patched("transformers.models.bloom.modeling_bloom:BloomBlock", "forward", _sines),
        expected("extra", said="embedding"),
    )  # fmt: skip
    kind = "the future"
    yield Planted(
        kind, "one token ahead", MPT,
        patched("transformers.models.mpt.modeling_mpt:MptAttention", "forward", _one_ahead),
        expected("future"),
    )  # fmt: skip
    kind = "files"
    yield Planted(
        kind, "prefix_lm is never read", MPT.with_(attn_config={"prefix_lm": True}), nothing,
        expected("setting", said="prefix_lm"),
    )  # fmt: skip
    kind = "no numbers"
    yield Planted(
        kind, "NaN in one head of layer 2", OWN,
        biased(OWN, in_layer(2, in_heads((3,), lambda b, at: b * math.nan))),
        expected("not_finite"),
    )  # fmt: skip


def _sines(old: Any) -> Any:
    def forward(self: Any, hidden: Tensor, *args: Any, **rest: Any) -> Any:
        if self.self_attention.layer_idx == 0:
            past = rest["layer_past"]
            start = past.get_seq_length() if past is not None else 0
            place = torch.arange(start, start + hidden.shape[1])[:, None]
            hidden = hidden + 0.1 * (place * torch.linspace(0.01, 1, hidden.shape[2])).sin()
        return old(self, hidden, *args, **rest)

    return forward


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
    return [*of_length_and_shape(), *of_situation(), *of_place(), *of_promise()]
