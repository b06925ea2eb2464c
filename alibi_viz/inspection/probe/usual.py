"""The usual reading: one text, at once, by the path that is used by itself; all else is held to it.

Short enough to read every query and every key, so that nothing about it is left open.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace

import numpy as np

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter, Promise, RunAsked, Slopes
from alibi_viz.inspection.errors import RUN_ERRORS, UnreadableModel
from alibi_viz.inspection.probe.shapes import (
    COUNTS,
    Shape,
    same_shape,
    shape_of,
    smallest_missed,
    smallest_read,
)
from alibi_viz.inspection.probe.sheets import Sheet, read_sheet
from alibi_viz.inspection.probe.situations import FEWEST_TOKENS, short_length, text_ids
from alibi_viz.inspection.probe.slopes import Expectation, Fault, Head, faults_of

# Nearest keys of the usual reading: far enough for the flattest of 8 published slopes.
READ_DISTANCES = 64


@dataclass(frozen=True)
class Usual:
    """What was read in the usual way."""

    sheet: Sheet
    shapes: dict[Head, Shape]
    """Of the last query of every head."""
    promise: Promise
    faults: tuple[Fault, ...]
    """What it does other than promised."""
    at_queries: dict[Fault, tuple[int, ...]] = field(default_factory=dict)
    """What heads whose last query is right do at others, with those queries, counted from 1."""
    odd_heads: frozenset[Head] = frozenset()
    """Those heads."""

    @property
    def slopes(self) -> Slopes:
        """(layer, head) in nats per token, of the nearest keys where there is no line."""
        slopes = np.zeros(self.sheet.shape)
        for place, shape in self.shapes.items():
            slopes[place] = shape.slope
        return slopes

    @property
    def precision(self) -> Slopes:
        """(layer, head) what they may be off by, infinite where there is no straight line."""
        precision = np.full(self.sheet.shape, np.inf)
        for place, shape in self.shapes.items():
            precision[place] = shape.precision
        return precision

    @property
    def promised(self) -> Slopes | None:
        """(layer, head) in nats per token, of the ALiBi that is promised, if it is."""
        if self.promise.slopes is None or self.promise.method != "alibi":
            return None
        return np.tile(self.promise.slopes, (self.sheet.shape[0], 1))

    @property
    def expected(self) -> Expectation:
        """What heads should do in all situations: as promised, or else as they do here."""
        promised, factor = self.promise.slopes, self.promise.factor
        if promised is None:
            return Expectation(self.slopes, factor)
        return Expectation(np.tile(promised, (self.sheet.shape[0], 1)), factor)

    def is_flat(self, place: Head) -> bool:
        """Returns whether a head has no slope at all."""
        shape = self.shapes[place]
        return shape.kind == "straight" and abs(shape.slope) <= shape.precision

    def other_shapes(self, sheet: Sheet, row: int = 0) -> dict[Head, Shape]:
        """Returns the shapes of the heads that another reading shows to be other than here."""
        slopes = self.expected.slopes
        assert slopes is not None
        others = {}
        for place in self.shapes:
            points = sheet.points(place[0], row, place[1])
            if not same_shape(points, self.sheet.points(place[0], 0, place[1]), slopes[place]):
                others[place] = shape_of(points, float(slopes[place]), self.promise.factor)
        return others

    def other_faults(self, sheet: Sheet) -> dict[Fault, tuple[int, ...]]:
        """Returns what another reading has that this one has not, with the rows that have it."""
        found: dict[Fault, tuple[int, ...]] = {}
        for row in range(len(sheet.asked.rows)):
            others = self.other_shapes(sheet, row)
            for fault in faults_of(others, self.expected, sheet.shape[1]):
                if fault not in self.faults:
                    found[fault] = (*found.get(fault, ()), row + 1)
        here = {fault.kind for fault in self.faults}
        more = [fault for fault in mask_faults(sheet) if fault.kind not in here]
        return found | {fault: () for fault in more}


def read_usual(adapter: Adapter, promise: Promise) -> Usual:
    """Returns what a model does with one short text.

    Raises:
        UnreadableModel: The model cannot be read, or takes too few tokens.
    """
    limit = adapter.facts.limit
    length = max(min(READ_DISTANCES, limit or READ_DISTANCES), short_length(adapter), FEWEST_TOKENS)
    ids = text_ids(length, adapter.facts.vocab_size)
    try:
        sheet = read_sheet(adapter, RunAsked((ids,), adapter.default_path))
    except RUN_ERRORS as error:
        raise UnreadableModel(
            f"{adapter.facts.name} cannot be read: {first_lines(error)}"
        ) from error
    return usual_of(sheet, promise)


def usual_of(sheet: Sheet, promise: Promise) -> Usual:
    """Returns what a reading of all queries and keys of one text comes to."""
    n_layer, n_head = sheet.shape
    promised = promise.slopes if promise.method == "alibi" else None
    shapes = {}
    for layer, head in np.ndindex(n_layer, n_head):
        slope = None if promised is None else float(promised[head])
        shapes[layer, head] = shape_of(sheet.points(layer, 0, head), slope, promise.factor)
    slopes = None if promised is None else np.tile(promised, (n_layer, 1))
    faults = list(mask_faults(sheet))
    if promise.method != "nonlinear":
        faults += faults_of(shapes, Expectation(slopes, promise.factor), n_head)
    return _with_queries(Usual(sheet, shapes, promise, tuple(faults)))


def _with_queries(usual: Usual) -> Usual:
    """Returns the same with what heads do at other queries than the last one."""
    sheet, expected = usual.sheet, usual.expected
    alike = defaultdict[tuple[int, ...], list[Head]](list)
    for place, shape in usual.shapes.items():
        if shape.kind == "straight":
            odd = _odd_queries(sheet, place, shape)
            if odd:
                alike[odd].append(place)
    found: dict[Fault, tuple[int, ...]] = {}
    for odd, places in alike.items():
        shapes = {}
        for place in places:
            points = sheet.points(place[0], 0, place[1], odd[-1])
            slope = None if expected.slopes is None else float(expected.slopes[place])
            shapes[place] = shape_of(points, slope, usual.promise.factor)
        queries = tuple(int(sheet.queries[index]) + 1 for index in odd)
        found |= dict.fromkeys(faults_of(shapes, expected, sheet.shape[1]), queries)
    odd_heads = frozenset(place for places in alike.values() for place in places)
    return replace(usual, at_queries=found, odd_heads=odd_heads)


def _odd_queries(sheet: Sheet, place: Head, shape: Shape) -> tuple[int, ...]:
    """Returns the indices of queries whose weights are not those of the last query's line."""
    weights = sheet.weights[place[0], 0, place[1]]
    away = sheet.queries[:, None] - sheet.keys
    seen = (away >= 0) & (weights >= smallest_read(sheet.dtype))
    rest = np.log(np.where(seen, weights, 1.0)) + shape.slope * away
    highest = np.where(seen, rest, -np.inf).max(1)
    tolerance = sheet.points(place[0], 0, place[1]).tolerance(shape.slope)
    spread = highest - np.where(seen, rest, np.inf).min(1)
    # What the slope itself may be off by adds to it with every token.
    off = spread > 2 * tolerance + shape.precision * sheet.queries
    floor = np.log(smallest_missed(sheet.dtype))
    off |= ((away >= 0) & ~seen & (highest[:, None] - shape.slope * away > floor)).any(1)
    return tuple(np.flatnonzero(off).tolist())


def mask_faults(sheet: Sheet) -> list[Fault]:
    """Returns where later tokens, or padding, are seen."""
    faults = []
    for kind, shares in (("future", sheet.future()), ("padding", sheet.padding())):
        layers = tuple(int(layer) + 1 for layer in np.flatnonzero((shares > COUNTS).any(1)))
        if layers:
            faults.append(Fault(kind, layers, (), (("share", float(f"{shares.max():.2g}")),)))
    return faults
