"""What is compared: a kind of model, and how it was stretched; spelled as in "rope:yarn-coded"."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd

from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.evaluation.store import Stored, last_change
from alibi_viz.figures.measured.extrapolation import MethodCurve
from alibi_viz.maths.paired import Comparison
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import AS_TRAINED, parse_stretching
from alibi_viz.retrieval.plan import RECALL_VARIANTS
from alibi_viz.retrieval.results import Curve, compare_at, find_curve
from alibi_viz.words import listed


@dataclass(frozen=True)
class Contender:
    """One kind of model, as trained or stretched."""

    model: str
    """Its key: "alibi-e16", or a position method."""
    stretching: str = AS_TRAINED
    """How it was stretched."""

    @property
    def name(self) -> str:
        """How links and programs spell it."""
        stretched = self.stretching != AS_TRAINED
        return f"{self.model}:{self.stretching}" if stretched else self.model

    @property
    def method(self) -> str:
        """Key of its position method."""
        return self.model.partition("-")[0]

    @property
    def label(self) -> str:
        """What stands beside its line."""
        known = RECALL_VARIANTS.get(self.model)
        label = known.label if known else METHODS[self.method].label
        if self.stretching == AS_TRAINED:
            return label
        return f"{label} + {parse_stretching(self.stretching).label}"


def contender(name: str) -> Contender:
    """Returns the contender of a name.

    >>> contender("rope:yarn-coded").label, contender("alibi-e16").label
    ('RoPE + YaRN, as coded', 'ALiBi, exponent 16')

    Args:
        name: As `Contender.name` spells it.
    """
    model, _, stretching = name.partition(":")
    return Contender(model, stretching or AS_TRAINED)


def names_of(curves: Iterable[Curve]) -> tuple[str, ...]:
    """Returns the names of all contenders that have a curve: methods in their order, plain first.

    Args:
        curves: Of recall models, or of language models of the training length that all share.
    """
    found = {Contender(model_of(curve), curve.stretching) for curve in curves}
    methods, known = list(METHODS), list(RECALL_VARIANTS)
    order = sorted(
        found,
        key=lambda one: (
            methods.index(one.method),
            one.stretching != AS_TRAINED,
            known.index(one.model) if one.model in known else len(known),
            one.stretching,
        ),
    )
    return tuple(one.name for one in order)


def model_of(curve: Curve) -> str:
    """Returns the key of a curve's model, without the training length that all share."""
    return curve.model.removesuffix(f"-L{TRAIN_LENGTH}")


def curve_of(name: str, curves: Iterable[Curve]) -> Curve:
    """Returns the curve of a contender.

    Args:
        name: As `Contender.name` spells it.
        curves: To look among.

    Raises:
        ValueError: Nothing was measured of it.
    """
    wanted = contender(name)
    named = [replace(curve, model=model_of(curve)) for curve in curves]
    return find_curve(named, wanted.model, wanted.stretching)


def kept(read: Callable[[], tuple[Curve, ...]], *kinds: type[Stored]) -> tuple[Curve, ...]:
    """Returns what `read` returns, read again only where the files have changed.

    Args:
        read: A function of a module.
        kinds: Of the records that it reads.
    """
    return _kept(read, last_change(*kinds))


@lru_cache(maxsize=8)
def _kept(read: Callable[[], tuple[Curve, ...]], changed: object) -> tuple[Curve, ...]:
    return read()


def lines(names: Sequence[str], curves: Iterable[Curve], factor: float) -> list[MethodCurve]:
    """Returns a line a contender: mean, range over seeds and 95 % interval.

    Args:
        names: As `Contender.name` spells them.
        curves: What was measured.
        factor: What values are multiplied by, for their unit.
    """
    curves = list(curves)
    drawn: list[MethodCurve] = []
    for name in names:
        one, curve = contender(name), curve_of(name, curves)
        by_seed = factor * curve.by_seed
        before = sum(line.method == one.method for line in drawn)
        drawn.append(
            MethodCurve(
                one.method,
                one.label,
                np.array(curve.places),
                by_seed.mean(0),
                by_seed.min(0),
                by_seed.max(0),
                np.full(len(curve.places), len(curve.seeds)),
                nth=before,
                interval=factor * curve.intervals,
            )
        )
    return drawn


def line_table(
    names: Sequence[str], curves: Iterable[Curve], *, along: str, value: str, factor: float
) -> pd.DataFrame:
    """Returns a row a contender and place: mean, interval, seeds, and how it stands to ALiBi.

    Args:
        names: As `Contender.name` spells them.
        curves: What was measured; more is better.
        along: Name of the column of places, with its unit.
        value: Name of the column of values, with its unit.
        factor: What values are multiplied by, for that unit.
    """
    curves = list(curves)
    reference = curve_of("alibi", curves) if "alibi" in names_of(curves) else None
    rows = []
    for name, line in zip(names, lines(names, curves, factor), strict=True):
        curve = curve_of(name, curves)
        assert line.interval is not None
        for index, place in enumerate(curve.places):
            against = (
                compare_at(curve, reference, place, more_is_better=True)
                if reference is not None and place in reference.places
                else None
            )
            rows.append(
                {
                    "contender": line.label,
                    along: place,
                    value: line.mean[index],
                    "95 % from": line.interval[index, 0],
                    "95 % to": line.interval[index, 1],
                    "lowest seed": line.low[index],
                    "highest seed": line.high[index],
                    "seeds": int(line.n_seed[index]),
                    "beside ALiBi as trained": against.word if against else "not compared",
                    "difference": -factor * against.difference + 0.0 if against else np.nan,
                }
            )
    return pd.DataFrame(rows)


def standing(first: Curve, second: Curve, names: tuple[str, str], places: Sequence[int]) -> str:
    """Returns how one curve stands to another at several places, in a sentence without its stop.

    Args:
        first: What the sentence is about; more is better.
        second: What it is compared with.
        names: What both are called.
        places: In tokens.
    """
    by_word: dict[str, list[str]] = {}
    for place in places:
        found: Comparison = compare_at(first, second, place, more_is_better=True)
        by_word.setdefault(found.word, []).append(f"{place:,}")
    said = {
        "ahead": f"ahead of {names[1]}",
        "behind": f"behind {names[1]}",
        "level": f"level with {names[1]}",
        "undecided": "undecided",
    }
    parts = [f"{said[word]} at {listed(places)}" for word, places in by_word.items()]
    return f"{names[0]} is {listed(parts)} tokens"
