"""What was measured, ready to draw: curves with seeds and intervals, and comparisons; torch-free.

An interval says what other windows or other snippets of the kind could have shown; what other seeds
could, the seeds' own curves tell.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.evaluation.store import known_records, shared_records
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.paired import Comparison, bootstrap_interval, compare
from alibi_viz.paths import FIRST_TEXT
from alibi_viz.positions.stretch import AS_TRAINED
from alibi_viz.retrieval.records import (
    CopyRecord,
    RecallHeads,
    RecallRecord,
    StretchedRecord,
    model_name,
)


@dataclass(frozen=True)
class Curve:
    """One kind of model's results over lengths or distances, seed by seed and unit by unit."""

    model: str
    """Name of the kind of model, without its seed."""
    stretching: str
    """How it was stretched; "as-trained" if it was not."""
    tuned_length: int
    """Tokens in the windows of a short training after that; 0 if there was none."""
    places: tuple[int, ...]
    """(place,) window lengths or distances, in tokens, rising."""
    seeds: tuple[int, ...]
    """(seed,) of the training runs, rising."""
    units: Floats
    """(place, seed, unit) what was measured in each window, trial or block of text; the same units
    for every model."""
    weights: Floats
    """(unit,) how much each unit counts: the tokens of a block, 1 of a window or trial."""
    groups: NDArray[np.int64]
    """(unit,) number of the file that a block is of; 0 of a window or trial."""

    @property
    def by_seed(self) -> Floats:
        """(seed, place) means over units."""
        means: Floats = (self.units @ self.weights).T / self.weights.sum()
        return means

    @property
    def mean(self) -> Floats:
        """(place,) means over seeds and units."""
        means: Floats = self.by_seed.mean(0)
        return means

    @property
    def intervals(self) -> Floats:
        """(place, end) 95 % intervals of the means when units are drawn anew."""
        ends = [bootstrap_interval(values, self.weights) for values in self.units.mean(1)]
        return np.array(ends)

    def at(self, place: int) -> Floats:
        """Returns what was measured at one place: (seed, unit).

        Raises:
            ValueError: Nothing was measured there.
        """
        if place not in self.places:
            raise ValueError(f"place must be one of {self.places}, got {place}")
        units: Floats = self.units[self.places.index(place)]
        return units

    def mean_at(self, place: int) -> float:
        """Returns the mean over seeds and units at one place.

        Raises:
            ValueError: Nothing was measured there.
        """
        return float(self.mean[self.places.index(place)])


def recall_curves() -> tuple[Curve, ...]:
    """Returns the accuracy of every kind of recall model by window length, 0 .. 1.

    Units are windows; `model` is a key of `RECALL_VARIANTS`.
    """
    return _curves(
        (r.variant, r.stretching, 0, r.seed, r.eval_length, np.array(r.right) / r.questions)
        for r in known_records(RecallRecord)
    )


def perplexity_curves(protocol: Protocol = "nonoverlapping") -> tuple[Curve, ...]:
    """Returns the loss of every language model by window length, stretched or not, nats per token.

    Units are blocks of the code's sample of targets that both protocols score; `model` is the name
    of a checkpoint without its seed.

    Args:
        protocol: How windows lie.
    """
    # Here, not at the top: it brings in the tokenizer, which not every machine has.
    from alibi_viz.evaluation.stretch import SAMPLE_TOKENS, named_stretch

    stretch = named_stretch(FIRST_TEXT, SAMPLE_TOKENS)
    plain = [(record, AS_TRAINED, 0) for record in shared_records(Record)]
    changed = [(r, r.stretching, r.tuned_length) for r in shared_records(StretchedRecord)]
    blocks = stretch.block_tokens.astype(np.float64), stretch.file_of[stretch.blocks]
    rows: Iterable[_Row] = (
        (
            model_name(record.checkpoint, record.seed),
            stretching,
            tuned_length,
            record.seed,
            record.eval_length,
            record.block_losses.astype(np.float64),
        )
        for record, stretching, tuned_length in chain[tuple[Record, str, int]](plain, changed)
        if (record.protocol, record.targets) == (protocol, stretch.fingerprint)
    )
    return _curves(rows, blocks)


@dataclass(frozen=True)
class DepthMap:
    """One kind of recall model's accuracy by window length and by where the needle lies."""

    model: str
    """Key of the kind of model."""
    stretching: str
    """How it was stretched."""
    lengths: tuple[int, ...]
    """(length,) tokens in a window, rising."""
    by_seed: Floats
    """(seed, length, depth) share of the questions answered; depth counts equal parts of the
    window, nearest first."""
    asked: NDArray[np.int64]
    """(length, depth) questions asked of each seed; the same questions of all."""

    @property
    def accuracy(self) -> Floats:
        """(length, depth) share of the questions answered, over all seeds."""
        shares: Floats = self.by_seed.mean(0)
        return shares


def recall_by_depth() -> tuple[DepthMap, ...]:
    """Returns the accuracy of every kind of recall model by window length and depth."""
    groups: dict[tuple[str, str], dict[tuple[int, int], RecallRecord]] = {}
    for record in known_records(RecallRecord):
        of_group = groups.setdefault((record.variant, record.stretching), {})
        of_group[record.seed, record.eval_length] = record
    return tuple(_depth_map(*named, records) for named, records in groups.items())


def _depth_map(
    model: str, stretching: str, records: dict[tuple[int, int], RecallRecord]
) -> DepthMap:
    seeds = sorted({seed for seed, _ in records})
    lengths = [
        length
        for length in sorted({length for _, length in records})
        if all((seed, length) in records for seed in seeds)
    ]
    right, asked = (
        np.array([[getattr(records[s, length], name) for length in lengths] for s in seeds])
        for name in ("right_by_depth", "asked_by_depth")
    )
    return DepthMap(model, stretching, tuple(lengths), right / asked, asked[0])


def recall_heads() -> tuple[RecallHeads, ...]:
    """Returns what the heads of every recall model know of content, and how much they look."""
    return tuple(known_records(RecallHeads))


def copy_curves(kind: str = "real") -> tuple[Curve, ...]:
    """Returns what a first copy of code is worth by distance, in nats per token.

    Units are trials; `model` is the name of a checkpoint without its seed.

    Args:
        kind: "real" for snippets of text, "random" for tokens drawn evenly.
    """
    return _copying(kind, "gains")


def copy_losses_by_distance(kind: str = "real") -> tuple[tuple[Curve, Curve], ...]:
    """Returns the two losses of which a gain is the difference: the same snippet, and another.

    Args:
        kind: "real" for snippets of text, "random" for tokens drawn evenly.
    """
    return tuple(zip(_copying(kind, "same"), _copying(kind, "other"), strict=True))


def _copying(kind: str, name: str) -> tuple[Curve, ...]:
    return _curves(
        (r.model, r.stretching, r.tuned_length, r.seed, r.distance, np.array(getattr(r, name)))
        for r in known_records(CopyRecord)
        if (r.kind, r.text) == (kind, FIRST_TEXT)
    )


def find_curve(
    curves: Iterable[Curve], model: str, stretching: str = AS_TRAINED, tuned_length: int = 0
) -> Curve:
    """Returns the curve of one kind of model.

    Args:
        curves: To look among.
        model: Name without its seed.
        stretching: How it was stretched.
        tuned_length: Tokens in the windows of a short training after that; 0 if there was none.

    Raises:
        ValueError: No such curve.
    """
    wanted = (model, stretching, tuned_length)
    for curve in curves:
        if (curve.model, curve.stretching, curve.tuned_length) == wanted:
            return curve
    raise ValueError(f"nothing was measured of {model}, {stretching}, tuned on {tuned_length}")


def compare_at(
    first: Curve, second: Curve, place: int, *, more_is_better: bool = False
) -> Comparison:
    """Returns how the first curve stands to the second at one place: below 0 the first is better.

    Args:
        first: Measured in the same units as `second`.
        second: What it is compared with.
        place: A length or distance that both have, in tokens.
        more_is_better: Of accuracies and gains; losses are better where they are lower.

    Raises:
        ValueError: Nothing was measured there, or no seed is shared.
    """
    shared = sorted(set(first.seeds) & set(second.seeds))
    sign = -1 if more_is_better else 1
    sides = [
        sign * curve.at(place)[[curve.seeds.index(seed) for seed in shared]]
        for curve in (first, second)
    ]
    return compare(sides[0], sides[1], first.weights, first.groups)


_Row = tuple[str, str, int, int, int, Floats]


def _curves(
    rows: Iterable[_Row], blocks: tuple[Floats, NDArray[np.int64]] | None = None
) -> tuple[Curve, ...]:
    """Groups rows of (model, stretching, tuned length, seed, place, units) into curves.

    A curve has the places that all its seeds have. Units that are not blocks count alike.
    """
    cells: dict[tuple[str, str, int], dict[tuple[int, int], Floats]] = {}
    for model, stretching, tuned_length, seed, place, units in rows:
        cells.setdefault((model, stretching, tuned_length), {})[seed, place] = units
    return tuple(_curve(named, of_curve, blocks) for named, of_curve in cells.items())


def _curve(
    named: tuple[str, str, int],
    cells: dict[tuple[int, int], Floats],
    blocks: tuple[Floats, NDArray[np.int64]] | None,
) -> Curve:
    seeds = tuple(sorted({seed for seed, _ in cells}))
    places = tuple(
        place
        for place in sorted({place for _, place in cells})
        if all((seed, place) in cells for seed in seeds)
    )
    units = np.array([[cells[seed, place] for seed in seeds] for place in places])
    if blocks is None:
        blocks = np.ones(units.shape[-1]), np.zeros(units.shape[-1], np.int64)
    return Curve(*named, places, seeds, units, *blocks)
