"""What a planted fault is: where, what is done to the bias, and what a finding has to say of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from benchmarks.probe.injections import At, Fault, biased
from benchmarks.probe.models import Recipe

Plant = Callable[[], Any]


@dataclass(frozen=True)
class Expected:
    """What a finding has to say for the fault to count as explained."""

    kinds: str
    """Kinds of findings, any of which is right, separated by spaces."""
    layers: tuple[int, ...] | None = None
    """Exactly these layers, counted from 1; None for any."""
    heads: tuple[int, ...] | None = None
    """Exactly these heads, counted from 1; None for any."""
    numbers: tuple[tuple[str, float], ...] = ()
    """Numbers that must stand in the finding, to 1 %."""
    said: str = ""
    """What its words must hold."""
    as_note: bool = False
    """Whether it is to be noted, not to disagree."""


@dataclass(frozen=True)
class Planted:
    """One fault in one model."""

    kind: str
    name: str
    recipe: Recipe
    plant: Plant
    expected: Expected


def expected(kinds: str, layers: tuple[int, ...] | None = None, **rest: Any) -> Expected:
    """Returns what must be said; numbers by their names."""
    known = {key: rest.pop(key) for key in ("heads", "said", "as_note") if key in rest}
    return Expected(kinds, layers, numbers=tuple(rest.items()), **known)


def in_bias(kind: str, *rows: tuple[str, Recipe, Fault, Expected]) -> list[Planted]:
    """Returns faults of one kind in biases: name, model, what is done there, what is to be said."""
    return [
        Planted(kind, name, recipe, biased(recipe, fault), wanted)
        for name, recipe, fault, wanted in rows
    ]


def elsewhere(kind: str, *rows: tuple[str, Recipe, Plant, Expected]) -> list[Planted]:
    """Returns faults of one kind elsewhere: name, model, what plants it, what is to be said."""
    return [Planted(kind, *row) for row in rows]


# What is done to a bias.


def off(bias: Tensor, at: At) -> Tensor:
    return bias * 0


def upside_down(bias: Tensor, at: At) -> Tensor:
    return -bias


def times(factor: float) -> Fault:
    return lambda bias, at: bias * factor


def heads_in_order(order: Callable[[Tensor], Tensor]) -> Fault:
    """Gives heads the biases of others."""
    return lambda bias, at: bias[:, order(at.slopes)]


def when(condition: Callable[[At], bool], fault: Fault) -> Fault:
    return lambda bias, at: fault(bias, at) if condition(at) else bias


def beyond(length: int, fault: Fault) -> Fault:
    return when(lambda at: at.n_key > length, fault)


def in_layer(layer: int, fault: Fault) -> Fault:
    return when(lambda at: at.layer == layer, fault)


def in_heads(heads: tuple[int, ...], fault: Fault) -> Fault:
    def some(bias: Tensor, at: At) -> Tensor:
        changed = fault(bias, at)
        chosen = torch.zeros(len(at.slopes), dtype=torch.bool)
        chosen[[head - 1 for head in heads]] = True
        return torch.where(chosen[:, None, None], changed, bias)

    return some


def in_rows(first: int, fault: Fault) -> Fault:
    """Acts in the rows of a batch from one on, counted from 0."""
    return lambda bias, at: torch.cat([bias[:first], fault(bias[first:], at)])


def by_distance(make: Callable[[Tensor, Tensor], Tensor]) -> Fault:
    """Makes a bias from (query, key) distances and (head, 1, 1) slopes."""
    return lambda bias, at: make(at.distance.clamp(min=0), at.head_slopes)[None]


def window(width: int) -> Fault:
    return by_distance(lambda d, m: torch.where(d >= width, -1e30, -m * d))


def cap(distance: float) -> Fault:
    return by_distance(lambda d, m: -m * d.clamp(max=distance))


def staircase(step: int) -> Fault:
    return by_distance(lambda d, m: -m * (d // step) * step)


def added_where(place: Callable[[At], Tensor], amount: float) -> Fault:
    """Adds to some (query, key) places; the rest is right."""
    return lambda bias, at: (
        -(at.head_slopes * at.distance.clamp(min=0))[None] + amount * place(at).float()
    )


def key_of(at: At) -> Tensor:
    """Returns (query, key) positions of the keys."""
    return torch.arange(at.n_key).expand(at.n_query, -1)


def chunk(at: At) -> bool:
    return 1 < at.n_query < at.n_key


def one_token(at: At) -> bool:
    return at.n_query == 1 < at.n_key


# What is done elsewhere.


def sines(attention: str, size: float) -> Callable[[Any], Any]:
    """Adds sines to what enters the first layer.

    Args:
        attention: Name under which a block of the family holds its attention.
        size: Of the sines.
    """

    def make(old: Any) -> Any:
        def forward(self: Any, hidden: Tensor, *args: Any, **rest: Any) -> Any:
            if getattr(self, attention).layer_idx == 0:
                past = rest["layer_past"]
                start = past.get_seq_length() if past is not None else 0
                place = torch.arange(start, start + hidden.shape[1])[:, None]
                wave = (place * torch.linspace(0.01, 1, hidden.shape[2])).sin()
                hidden = hidden + size * wave
            return old(self, hidden, *args, **rest)

        return forward

    return make
