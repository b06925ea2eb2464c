"""Faults thought of after the detector stood: what it was attacked with."""

from collections.abc import Iterator

import torch
from torch import Tensor

from benchmarks.probe.injections import At, Fault, biased
from benchmarks.probe.models import BLOOM, BLOOM_12, FALCON, MPT, OWN
from benchmarks.probe.plants import (
    Planted,
    beyond,
    by_distance,
    chunk,
    expected,
    in_heads,
    in_layer,
    off,
    one_token,
    times,
    upside_down,
    when,
)


def at_queries(first: int, end: int, fault: Fault) -> Fault:
    """Acts at some queries of a text that comes at once, counted from 0."""

    def some(bias: Tensor, at: At) -> Tensor:
        place = torch.arange(at.n_key - at.n_query, at.n_key)[:, None]
        linear = -(at.head_slopes * at.distance.clamp(min=0))[None]
        chosen = (place >= first) & (place < end)
        return torch.where(chosen, fault(linear, at), linear)

    return some


def wrapped(period: int) -> Fault:
    """Counts positions from 0 again after a period, as a recycled buffer does."""

    def wrap(bias: Tensor, at: At) -> Tensor:
        key, query = torch.arange(at.n_key), torch.arange(at.n_key - at.n_query, at.n_key)
        distance = (query % period)[:, None] - key % period
        return -(at.head_slopes * distance.abs())[None]

    return wrap


def _positions_in(dtype: torch.dtype) -> Fault:
    """Counts keys in a short number type."""
    return lambda bias, at: at.head_slopes[None] * torch.arange(at.n_key).to(dtype).float()


def every_second_hidden(distance: int) -> Fault:
    """Hides every second key from a distance on."""
    return by_distance(lambda d, m: torch.where((d >= distance) & (d % 2 == 1), -1e30, -m * d))


def of_length_and_shape() -> Iterator[Planted]:
    for recipe in (BLOOM, FALCON):
        yield Planted(
            "positions that begin again", "after 512 tokens", recipe,
            biased(recipe, wrapped(512)), expected("bent slopes offset", (1, 2)),
        )  # fmt: skip
    for recipe, start in ((MPT, 20), (OWN, 200)):
        yield Planted(
            "every second key", f"hidden from distance {start} on", recipe,
            biased(recipe, every_second_hidden(start)), expected("holes", (1, 2)),
        )  # fmt: skip


def of_place() -> Iterator[Planted]:
    kind = "some queries"
    yield Planted(
        kind, "off at the first 20", MPT, biased(MPT, at_queries(0, 20, off)),
        expected("missing", (1, 2), said="tokens 2 to 20"),
    )  # fmt: skip
    yield Planted(
        kind, "head 2 of layer 1 reversed at 17 to 32", BLOOM,
        biased(BLOOM, in_layer(1, in_heads((2,), at_queries(16, 32, upside_down)))),
        expected("reversed", (1,), heads=(2,), said="tokens 17 to 32"),
    )  # fmt: skip
    yield Planted(
        kind, "halved at 301 to 400", OWN, biased(OWN, at_queries(300, 400, times(0.5))),
        expected("scaled", (1, 2), said="tokens 301 to 400"),
    )  # fmt: skip


def of_situation() -> Iterator[Planted]:
    kind = "situations together"
    padded = when(lambda at: at.padding == "left" and chunk(at), times(3.0))
    for recipe in (BLOOM, MPT):
        yield Planted(
            kind, "tripled in chunks behind left padding", recipe, biased(recipe, padded),
            expected("scaled", said="left", factor=3.0),
        )  # fmt: skip
    static = when(lambda at: at.padding == "right" and 1 < at.n_query < at.n_key, upside_down)
    yield Planted(
        kind, "reversed in chunks with a static cache", BLOOM, biased(BLOOM, static),
        expected("reversed", said="static"),
    )  # fmt: skip
    yield Planted(
        kind, "layer 2 off token by token past 250 keys", FALCON,
        biased(FALCON, when(one_token, beyond(250, in_layer(2, off)))),
        expected("missing", (2,), said="token"),
    )  # fmt: skip


def of_number_type() -> Iterator[Planted]:
    kind = "positions in a short type"
    for recipe, dtype in ((BLOOM_12, torch.bfloat16), (MPT, torch.bfloat16)):
        yield Planted(
            kind, f"{str(dtype)[6:]}", recipe, biased(recipe, _positions_in(dtype)),
            expected("coarse", (1, 2), said=str(dtype)[6:]),
        )  # fmt: skip
    kind = "number type and length"
    half = MPT.stored_in(torch.bfloat16)
    yield Planted(
        kind, "off past 500 tokens in bfloat16", half,
        biased(half, when(lambda at: at.dtype == torch.bfloat16, beyond(500, off))),
        expected("missing", (1, 2), from_length=501),
    )  # fmt: skip


def attacks() -> list[Planted]:
    """Returns every fault of the attack."""
    return [*of_length_and_shape(), *of_place(), *of_situation(), *of_number_type()]
