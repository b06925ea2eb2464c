"""What a first copy is worth to the language models, by how far back it stands."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart, kept_by_value
from alibi_viz.charts.retrieval.contenders import (
    contender,
    curve_of,
    kept,
    line_table,
    lines,
    names_of,
)
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.evaluation.store import last_change
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.retrieval.records import CopyRecord
from alibi_viz.retrieval.results import Curve, copy_curves, copy_losses_by_distance
from alibi_viz.words import count, listed

KINDS = {"real": "real code", "random": "random tokens"}
SHOWN = ("alibi", "alibi:slopes-ntk", "rope", "rope:yarn-coded", "nope", "t5")
"""What is compared at first, of what is measured."""
ABOUT = (
    "A snippet of 24 tokens, other text, the snippet again. The gain is the loss on the second "
    "copy with another snippet in the first place, minus that with the same one there: the same "
    "targets after the same text. Our language models have about a million parameters; a large "
    "one copies far better. A gain off a broken loss says little: both losses are in the table."
)


def _curves(kind: str) -> tuple[Curve, ...]:
    """Returns the gains of the models of the training length that all share."""
    read = _READ[kind]
    return tuple(
        curve
        for curve in kept(read, CopyRecord)
        if not curve.tuned_length and curve.model.endswith(f"-L{TRAIN_LENGTH}")
    )


def _real() -> tuple[Curve, ...]:
    return copy_curves("real")


def _random() -> tuple[Curve, ...]:
    return copy_curves("random")


_READ = {"real": _real, "random": _random}


@lru_cache(maxsize=4)
def _losses(kind: str, changed: object) -> tuple[tuple[Curve, Curve], ...]:
    return copy_losses_by_distance(kind)


def measured_copiers(kind: str = "real") -> tuple[str, ...]:
    """Returns the names of all contenders that copying was measured of; none where nothing was.

    Args:
        kind: A key of `KINDS`.
    """
    return names_of(_curves(kind))


@dataclass(frozen=True)
class CopyChart(Chart):
    """Nats that a token gains when its text stood before, against how far before."""

    contenders: tuple[str, ...] = SHOWN
    """Language models, as trained or stretched; those that nothing was measured of are left out."""
    kind: str = "real"
    """A key of `KINDS`: what is copied."""
    name = "copying"
    reads = (CopyRecord,)

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"What a first copy of {KINDS[self.kind]} is worth, by its distance"

    @property
    def shown(self) -> tuple[str, ...]:
        """The contenders that have records; may be none."""
        measured = measured_copiers(self.kind)
        return tuple(name for name in self.contenders if name in measured)

    @property
    @kept_by_value
    def lines(self) -> tuple[MethodCurve, ...]:
        """A line a contender, in nats per token."""
        return tuple(lines(self.shown, _curves(self.kind), 1))

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a contender, its range over seeds and its interval."""
        drawn = self.lines
        around = [line.interval for line in drawn if line.interval is not None]
        ranges = [part for line in drawn for part in (line.low, line.high)]
        ends = np.concatenate([np.zeros(1), *ranges, *(part.ravel() for part in around)])
        low, high = float(ends.min()), float(ends.max())
        room = 0.04 * (high - low)
        return extrapolation_figure(
            drawn,
            train_length=TRAIN_LENGTH,
            measure="gain, nats per token",
            along="from copy to copy",
            linear=(low - room, high + room),
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns a row a contender and distance: the gain, and the two losses behind it."""
        table = line_table(
            self.shown,
            _curves(self.kind),
            along="from copy to copy, tokens",
            value="gain, nats per token",
            factor=1,
        )
        pairs = _losses(self.kind, last_change(CopyRecord))
        columns: list[list[float]] = [[], []]
        for column, curves in zip(columns, zip(*pairs, strict=True), strict=True):
            named = [curve for curve in curves if not curve.tuned_length]
            for name in self.shown:
                column.extend(curve_of(name, named).mean.tolist())
        table["loss, same snippet before"], table["loss, another before"] = columns
        return table

    def alt(self) -> str:
        """Returns where each line begins and ends, for those who cannot see them."""
        ends = (
            f"{line.label} from {line.mean[0]:.2f} at {line.lengths[0]:,} to "
            f"{line.mean[-1]:.2f} at {line.lengths[-1]:,} tokens"
            for line in self.lines
        )
        return f"Gain in nats per token from copy to copy: {'; '.join(ends)}."

    def sentence(self) -> str:
        """Returns what a first copy is worth at four times the training length, and near by."""
        far, nearest = 4 * TRAIN_LENGTH, min(int(line.lengths[0]) for line in self.lines)
        told = []
        for line in sorted(self.lines, key=lambda line: -(line.at(far) or 0.0)):
            near, left = line.at(nearest), line.at(far)
            if left is not None:
                beside = "" if near is None else f" ({near:.2f} at {nearest})"
                told.append(f"{line.label} {left:.2f}{beside}")
        if not told:
            return "nothing was measured past the training length."
        seeds = max(int(line.n_seed[0]) for line in self.lines)
        return (
            f"from {far:,} tokens away a first copy is worth, in nats per token: {listed(told)} "
            f"(means of up to {count(seeds, 'seed')})."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "contenders": listed([contender(name).label for name in self.shown] or ["none"]),
            "copied": KINDS[self.kind],
            "trained on": f"{TRAIN_LENGTH} tokens",
        }
