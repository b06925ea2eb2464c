"""How often models find a needle again: by the length of the window, and by where it lies."""

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
    standing,
)
from alibi_viz.charts.retrieval.own import OwnRecall
from alibi_viz.evaluation.store import last_change
from alibi_viz.figures.measured.depth import DepthPanel, depth_figure
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.figures.theme import surface
from alibi_viz.retrieval.needles import CHANCE, N_DEPTH, TRAIN_LENGTH
from alibi_viz.retrieval.records import RecallRecord
from alibi_viz.retrieval.results import Curve, DepthMap, recall_by_depth, recall_curves
from alibi_viz.words import count, listed, percent

SHOWN = (
    "alibi",
    "alibi-e16",
    "alibi:slopes-pi",
    "rope",
    "rope:yarn-coded",
    "nope",
    "t5",
)
"""What is compared at first: each idea once, as trained and stretched."""
SCALE = (
    "Our scale: models of one layer and 8 heads, trained on windows of 128 tokens of filler "
    "without meaning, in which a needle is a single token. The task measures distance and nothing "
    "else: finding again in text takes more layers and more tokens."
)
_TOLD = 16 * TRAIN_LENGTH


def curves() -> tuple[Curve, ...]:
    """Returns the accuracy of every kind of recall model by window length; shared by all."""
    return kept(recall_curves, RecallRecord)


def measured_names() -> tuple[str, ...]:
    """Returns the names of all contenders that recall was measured of."""
    return names_of(curves())


def depth_map(name: str) -> DepthMap:
    """Returns the accuracy of a contender by window length and depth; shared by all.

    Args:
        name: As `Contender.name` spells it.

    Raises:
        ValueError: Nothing was measured of it.
    """
    wanted = contender(name)
    for found in _depth_maps(last_change(RecallRecord)):
        if (found.model, found.stretching) == (wanted.model, wanted.stretching):
            return found
    raise ValueError(f"nothing was measured of {name}")


@lru_cache(maxsize=2)
def _depth_maps(changed: object) -> tuple[DepthMap, ...]:
    return recall_by_depth()


@dataclass(frozen=True)
class RecallChart(Chart):
    """Share of the questions about needles that are answered, against the window's length."""

    contenders: tuple[str, ...] = SHOWN
    """Kinds of models, as trained or stretched; at least one."""
    yours: tuple[OwnRecall, ...] = ()
    """Models that a visitor trained."""
    name = "recall"
    reads = (RecallRecord,)
    title = "Needles found again, against the length of the window"

    @property
    @kept_by_value
    def lines(self) -> tuple[MethodCurve, ...]:
        """A line a contender, in percent; those that a visitor trained are left out."""
        return tuple(lines(self.contenders, curves(), 100))

    @property
    def _drawn(self) -> list[MethodCurve]:
        """All lines, in percent."""
        return [*self.lines, *(own.line for own in self.yours)]

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a contender, its range over seeds and its interval."""
        figure = extrapolation_figure(
            self._drawn,
            train_length=TRAIN_LENGTH,
            measure="questions answered rightly, %",
            along="window",
            linear=(0, 110),
            dark=dark,
        )
        look = surface(dark)
        figure.add_hline(y=100 * CHANCE, line={"color": look.muted, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=1, xref="paper", xanchor="right", xshift=-4, y=100 * CHANCE, yanchor="top",
            text=f"a guess: {100 * CHANCE:g} %", showarrow=False,
            font={"size": 12, "color": look.muted},
        )  # fmt: skip
        return figure

    def table(self) -> pd.DataFrame:
        """Returns a row a contender and length, with how it stands to ALiBi."""
        along, value = "window, tokens", "answered rightly, %"
        measured = line_table(self.contenders, curves(), along=along, value=value, factor=100)
        own = [row for one in self.yours for row in one.rows(along, value)]
        return pd.concat([measured, pd.DataFrame(own)], ignore_index=True) if own else measured

    def alt(self) -> str:
        """Returns where each line begins and ends, for those who cannot see them."""
        ends = (
            f"{line.label} from {line.mean[0]:.0f} % at {line.lengths[0]:,} to "
            f"{line.mean[-1]:.0f} % at {line.lengths[-1]:,} tokens"
            for line in self._drawn
        )
        return (
            f"Share of questions answered rightly against the window's length, for models trained "
            f"on {TRAIN_LENGTH} tokens: {'; '.join(ends)}."
        )

    def sentence(self) -> str:
        """Returns who still finds at sixteen times the training length, and RoPE beside ALiBi."""
        at_length = sorted(
            ((line.at(_TOLD) or 0.0, line) for line in self.lines), key=lambda pair: -pair[0]
        )
        shares = [f"{line.label} {value:.0f} %" for value, line in at_length]
        least, last = at_length[-1]
        found = np.nonzero(last.lengths == _TOLD)[0]
        text = (
            f"every measured line starts near 100 %. With windows of {_TOLD:,} tokens, "
            f"{_TOLD // TRAIN_LENGTH} times those of training, right are {listed(shares)}"
        )
        if len(found) and least:
            low, high = (float(part[found[0]]) for part in (last.low, last.high))
            text += (
                f" ({low:.0f} to {high:.0f} % over {count(int(last.n_seed[0]), 'seed')}, the shade)"
            )
        text += "."
        if {"alibi", "rope"} <= set(self.contenders):
            rope, alibi = (curve_of(name, curves()) for name in ("rope", "alibi"))
            longer = [place for place in rope.places if place > TRAIN_LENGTH]
            text += f" {standing(rope, alibi, ('Unstretched, RoPE', 'ALiBi'), longer)}."
        beside = lines(("alibi",), curves(), 100)[0] if self.yours else None
        return " ".join([text, *(own.told(beside) for own in self.yours if beside)])

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        line = self.lines[0]
        own = [f"{one.label}, seed {one.seed}" for one in self.yours]
        return {
            "contenders": listed([contender(name).label for name in self.contenders]),
            "trained on": f"{TRAIN_LENGTH} tokens",
            "seeds": str(int(line.n_seed[0])),
        } | ({"yours": listed(own)} if own else {})


@dataclass(frozen=True)
class DepthChart(Chart):
    """Share of the questions answered, by the window's length and by where the needle lies."""

    contenders: tuple[str, ...] = SHOWN
    """Kinds of models, as trained or stretched; at least one."""
    name = "depth"
    reads = (RecallRecord,)
    title = "Needles found again, by the window's length and the needle's place in it"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a small map a contender."""
        panels = [
            DepthPanel(contender(name).label, depth_map(name).lengths, depth_map(name).accuracy)
            for name in self.contenders
        ]
        return depth_figure(panels, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a contender, length and eighth of the window."""
        rows = []
        for name in self.contenders:
            found = depth_map(name)
            for (index, depth), share in np.ndenumerate(found.accuracy):
                length, seeds = found.lengths[index], found.by_seed[:, index, depth]
                rows.append(
                    {
                        "contender": contender(name).label,
                        "window, tokens": length,
                        "needle from, tokens back": depth * length // N_DEPTH,
                        "needle to, tokens back": (depth + 1) * length // N_DEPTH,
                        "answered rightly, %": 100 * share,
                        "lowest seed, %": 100 * seeds.min(),
                        "highest seed, %": 100 * seeds.max(),
                        "questions a seed": int(found.asked[index, depth]),
                    }
                )
        return pd.DataFrame(rows)

    def _ends(self, name: str, length: int) -> tuple[float, float]:
        """Accuracy in the nearest and in the farthest eighth of a window."""
        found = depth_map(name)
        row = found.accuracy[found.lengths.index(length)]
        return float(row[0]), float(row[-1])

    def alt(self) -> str:
        """Returns what each map holds at its corners, for those who cannot see them."""
        parts = []
        for name in self.contenders:
            longest = depth_map(name).lengths[-1]
            near, far = self._ends(name, longest)
            parts.append(
                f"{contender(name).label} {percent(near)} in the nearest and {percent(far)} in the "
                f"farthest eighth of {longest:,} tokens"
            )
        return f"Maps of accuracy by window length and needle's place: {'; '.join(parts)}."

    def sentence(self) -> str:
        """Returns how near and far needles fare at eight times the training length."""
        length = 8 * TRAIN_LENGTH
        parts = []
        for name in self.contenders:
            near, far = self._ends(name, length)
            parts.append(f"{contender(name).label} {percent(near)} and {percent(far)}")
        return (
            f"a map that darkens from left to right has lost what lies far back. In windows of "
            f"{length:,} tokens needles in the nearest and in the farthest eighth are found: "
            f"{'; '.join(parts)}.{self._returns(length)}"
        )

    def _returns(self, length: int) -> str:
        """Returns what plain RoPE finds again farther back than it had lost it, if it does."""
        if "rope" not in self.contenders:
            return ""
        found = depth_map("rope")
        row = found.accuracy[found.lengths.index(length)]
        lowest = int(row[:4].argmin())
        best = lowest + int(row[lowest:].argmax())
        if row[best] < 2 * row[lowest]:
            return ""
        return (
            f" RoPE comes back: {percent(float(row[lowest]))} in eighth {lowest + 1}, "
            f"{percent(float(row[best]))} in eighth {best + 1}. A possible reason, not tested: a "
            "rotation that has gone round once is back at angles that training knew."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        seeds = len(depth_map(self.contenders[0]).by_seed)
        return {
            "contenders": listed([contender(name).label for name in self.contenders]),
            "seeds": str(seeds),
        }
