"""What slopes and shapes of all heads come to: each fault once, with its layers and heads."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from alibi_viz.inspection.adapters.contract import Slopes
from alibi_viz.inspection.probe.shapes import SHORTER, Shape
from alibi_viz.inspection.probe.slope_fit import fit_slopes
from alibi_viz.maths.arrays import Floats
from alibi_viz.words import listed

# Numbers that a sentence names one by one.
NAMED = 5
Head = tuple[int, int]
"""(layer, head), counted from 0."""


def numbered(thing: str, numbers: Sequence[int]) -> str:
    """Returns layers or heads by their numbers.

    >>> numbered("layer", [2]), numbered("head", [1, 3]), numbered("layer", range(1, 25))
    ('layer 2', 'heads 1 and 3', 'layers 1 to 24')
    """
    if len(numbers) == 1:
        return f"{thing} {numbers[0]}"
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and last - first == len(numbers) - 1:
        return f"{thing}s {first} to {last}"
    if len(numbers) > NAMED:
        return f"{len(numbers)} {thing}s, {numbers[0]} to {numbers[-1]}"
    return f"{thing}s {listed([str(number) for number in numbers])}"


@dataclass(frozen=True)
class Fault:
    """What some heads do instead of what they should."""

    kind: str
    """A kind of finding."""
    layers: tuple[int, ...]
    """Counted from 1."""
    heads: tuple[int, ...]
    """The same heads in each of them, counted from 1; empty for all."""
    numbers: tuple[tuple[str, Any], ...] = ()
    """What tells it, by name."""

    @property
    def place(self) -> str:
        """Layers and heads in words."""
        of_heads = f"{numbered('head', self.heads)} of " if self.heads else ""
        return of_heads + numbered("layer", self.layers)


@dataclass(frozen=True)
class Expectation:
    """What heads should do."""

    slopes: Slopes | None
    """(layer, head) in nats per token; None where nothing is promised."""
    factor: float
    """What the family multiplies published slopes with."""


def faults_of(shapes: Mapping[Head, Shape], expected: Expectation, n_head: int) -> Iterator[Fault]:
    """Yields what the heads do wrong, each kind with the layers and heads that do it.

    Args:
        shapes: What was read of each head; those that are known to be right may be missing.
        expected: What they should do.
        n_head: Heads in each layer.
    """
    told: dict[tuple[str, tuple[tuple[str, Any], ...]], list[Head]] = defaultdict(list)
    for layer in sorted({layer for layer, _ in shapes}):
        row = {head: shape for (at, head), shape in shapes.items() if at == layer}
        for head, shape in row.items():
            if shape.kind not in ("straight", "unread"):
                told[shape.kind, _key(shape)].append((layer, head))
        slopes = None if expected.slopes is None else expected.slopes[layer]
        for head, kind, numbers in _slope_faults(row, slopes, expected.factor):
            told[kind, numbers].append((layer, head))
    for (kind, numbers), places in _joined(told).items():
        yield from _grouped(kind, dict(numbers), places, n_head)


def _key(shape: Shape) -> tuple[tuple[str, Any], ...]:
    """Returns the numbers that two heads have to share to be told together."""
    shared = {"window": ("keys",), "flat": ("from_distance",), "coarse": ("rounds_to",)}
    shared["holes"] = ("first",)
    names = shared.get(shape.kind, ("place",))
    rounded = [("amount", round(shape.numbers["amount"], 2))] if shape.kind == "offset" else []
    return (*((n, shape.numbers[n]) for n in names if n in shape.numbers), *rounded)


def _joined(
    told: Mapping[tuple[str, tuple[tuple[str, Any], ...]], list[Head]],
) -> dict[tuple[str, tuple[tuple[str, Any], ...]], list[Head]]:
    """Returns the same with many numbers of one kind in one entry, as a range."""
    by_kind: dict[str, list[tuple[tuple[str, Any], ...]]] = defaultdict(list)
    for kind, numbers in told:
        by_kind[kind].append(numbers)
    joined: dict[tuple[str, tuple[tuple[str, Any], ...]], list[Head]] = {}
    for (kind, numbers), places in told.items():
        if kind in ("flat", "window") and len(by_kind[kind]) > 2:
            name = numbers[0][0]
            values = sorted(dict(entry)[name] for entry in by_kind[kind])
            key = ((name, values[0]), (f"largest_{name}", values[-1]))
            joined.setdefault((kind, key), []).extend(places)
        else:
            joined[kind, numbers] = places
    return joined


def _grouped(
    kind: str, numbers: dict[str, Any], places: Sequence[Head], n_head: int
) -> Iterator[Fault]:
    """Yields one fault for all layers in which the same heads have it."""
    by_heads: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for layer in sorted({layer for layer, _ in places}):
        heads = tuple(sorted({head + 1 for at, head in places if at == layer}))
        by_heads[heads].append(layer + 1)
    for heads, layers in by_heads.items():
        some = () if len(heads) == n_head else heads
        yield Fault(kind, tuple(layers), some, tuple(numbers.items()))


def _slope_faults(
    row: Mapping[int, Shape], promised: Floats | None, factor: float
) -> Iterator[tuple[int, str, tuple[tuple[str, Any], ...]]]:
    """Yields (head, kind, numbers) of the heads of a layer whose slope is another one."""
    straight = {head: shape for head, shape in row.items() if shape.kind == "straight"}
    if promised is None:
        rising = (head for head, shape in straight.items() if shape.slope < -shape.precision)
        yield from ((head, "reversed", ()) for head in rising)
        return
    wrong = {
        head: shape
        for head, shape in straight.items()
        if abs(shape.slope - promised[head]) > shape.precision
    }
    rest = dict(wrong)
    for head, shape in wrong.items():
        if promised[head] == 0:
            yield head, "slopes", ()
        elif abs(shape.slope) <= shape.precision:
            yield head, "missing", ()
        elif abs(shape.slope + promised[head]) <= shape.precision + 1e-3 * promised[head]:
            yield head, "reversed", ()
        else:
            continue
        del rest[head]
    if rest:
        kind, numbers = _common_fault(rest, straight, promised, factor)
        for head in rest:
            yield head, kind, numbers


def _common_fault(
    wrong: Mapping[int, Shape], straight: Mapping[int, Shape], promised: Floats, factor: float
) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """Returns what heads with other slopes have in common."""
    heads = list(wrong)
    acting = np.array([wrong[head].slope for head in heads])
    said = promised[heads]
    precision = np.array([wrong[head].precision for head in heads])
    for name, kind in SHORTER.items():
        held = torch.from_numpy(promised[heads] / factor).to(kind).double().numpy() * factor
        if (np.abs(acting - held) <= precision).all():
            return "rounded", (("rounds_to", name), ("largest_error", _two(acting / said - 1)))
    if len(wrong) > 1 and _is_permutation(straight, promised):
        return "permuted", ()
    ratio = float(np.median(acting / said))
    if (np.abs(acting - ratio * said) <= precision * max(1, abs(ratio)) + 1e-4 * said).all():
        return "scaled", (("factor", float(f"{ratio:.4g}")),)
    all_heads = np.array([straight[head].slope for head in sorted(straight)])
    if len(straight) == len(promised) > 1 and (all_heads > 0).all():
        widest = max(shape.precision for shape in straight.values())
        fit = fit_slopes(all_heads, factor, widest)
        if fit.is_good:
            return "rule", (("acting", fit.words),)
    return "slopes", ()


def _two(relative: Floats) -> float:
    return float(f"{np.abs(relative).max():.2g}")


def _is_permutation(straight: Mapping[int, Shape], promised: Floats) -> bool:
    """Returns whether the slopes that are read are those promised, on other heads."""
    heads = sorted(straight)
    acting = np.array([straight[head].slope for head in heads])
    precision = np.array([straight[head].precision for head in heads])
    order = np.argsort(acting)
    if len(heads) == len(promised):
        off = np.abs(acting[order] - np.sort(promised))
        return bool((off <= precision[order] + 1e-6).all())
    # Where some heads cannot be read, every slope read is another head's.
    nearest = np.abs(acting[:, None] - promised[None]).min(1)
    return len(heads) > 2 and bool((nearest <= precision).all()) and len(set(order)) == len(heads)
