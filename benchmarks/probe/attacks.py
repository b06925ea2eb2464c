"""Faults thought of after the detector stood: what it was attacked with."""

import torch
from torch import Tensor

from benchmarks.probe.injections import At, Fault
from benchmarks.probe.models import BLOOM, BLOOM_12, FALCON, MPT, OWN
from benchmarks.probe.plants import (
    Planted,
    beyond,
    by_distance,
    chunk,
    expected,
    in_bias,
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


def of_length_and_shape() -> list[Planted]:
    return [
        *in_bias(
            "positions that begin again",
            *(("after 512 tokens", recipe, wrapped(512), expected("bent slopes offset", (1, 2)))
              for recipe in (BLOOM, FALCON)),
        ),
        *in_bias(
            "every second key",
            *((f"hidden from distance {start} on", recipe, every_second_hidden(start),
               expected("holes", (1, 2))) for recipe, start in ((MPT, 20), (OWN, 200))),
        ),
    ]  # fmt: skip


def of_place() -> list[Planted]:
    return in_bias(
        "some queries",
        ("off at the first 20", MPT, at_queries(0, 20, off),
         expected("missing", (1, 2), said="tokens 2 to 20")),
        ("head 2 of layer 1 reversed at 17 to 32", BLOOM,
         in_layer(1, in_heads((2,), at_queries(16, 32, upside_down))),
         expected("reversed", (1,), heads=(2,), said="tokens 17 to 32")),
        ("halved at 301 to 400", OWN, at_queries(300, 400, times(0.5)),
         expected("scaled", (1, 2), said="tokens 301 to 400")),
    )  # fmt: skip


def of_situation() -> list[Planted]:
    padded = when(lambda at: at.padding == "left" and chunk(at), times(3.0))
    static = when(lambda at: at.padding == "right" and 1 < at.n_query < at.n_key, upside_down)
    return in_bias(
        "situations together",
        *(("tripled in chunks behind left padding", recipe, padded,
           expected("scaled", said="left", factor=3.0)) for recipe in (BLOOM, MPT)),
        ("reversed in chunks with a static cache", BLOOM, static,
         expected("reversed", said="static")),
        ("layer 2 off token by token past 250 keys", FALCON,
         when(one_token, beyond(250, in_layer(2, off))),
         expected("missing", (2,), said="token")),
    )  # fmt: skip


def of_number_type() -> list[Planted]:
    return [
        *in_bias(
            "positions in a short type",
            *(("bfloat16", recipe, _positions_in(torch.bfloat16),
               expected("coarse", (1, 2), said="bfloat16")) for recipe in (BLOOM_12, MPT)),
        ),
        *in_bias(
            "number type and length",
            ("off past 500 tokens in bfloat16", MPT.stored_in(torch.bfloat16),
             when(lambda at: at.dtype == torch.bfloat16, beyond(500, off)),
             expected("missing", (1, 2), from_length=501)),
        ),
    ]  # fmt: skip


def attacks() -> list[Planted]:
    """Returns every fault of the attack."""
    return [*of_length_and_shape(), *of_place(), *of_situation(), *of_number_type()]
