"""Perplexity of stretched models: at once, and after a short training on longer windows."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES, ends_of
from alibi_viz.charts.measured.read import stretched_curves
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.figures.theme import method_style
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import AS_TRAINED, LOG_LENGTH, parse_stretching
from alibi_viz.retrieval.plan import language_stretchings_of
from alibi_viz.retrieval.records import StretchedRecord
from alibi_viz.retrieval.results import Curve, compare_at

Stage = Literal["at once", "after 200 steps", "both"]
STAGES: tuple[Stage, ...] = get_args(Stage)
TUNED_LENGTH = 512
"""Tokens in the windows of the short training."""
STRETCHINGS = tuple(
    dict.fromkeys(name for key in ("rope", *METHODS) for name in language_stretchings_of(key, 0))
)
"""Names of all stretchings that language models are measured with."""
FIRST = ("pi", "ntk", "yarn-coded", "slopes-pi", "slopes-ntk")
"""Those that are shown at first: the ones that every seed is measured with."""
# Symbol, and the same as a letter, open and filled.
_MARKS = {
    "pi": ("triangle-down", "▽▼"),
    "ntk": ("diamond", "◇◆"),
    "dynamic-ntk": ("triangle-left", "◁◀"),
    "by-parts": ("square", "□■"),
    "by-parts-coded": ("triangle-right", "▷▶"),
    "yarn": ("circle", "○●"),
    "yarn-coded": ("star", "☆★"),
    "slopes-pi": ("triangle-down", "▽▼"),
    "slopes-ntk": ("diamond", "◇◆"),
    "flattest-freed": ("square", "□■"),
    LOG_LENGTH: ("triangle-left", "◁◀"),
    f"slopes-ntk+{LOG_LENGTH}": ("triangle-right", "▷▶"),
}
# Open marks on dots at once, filled ones on long dashes after training.
_AT_ONCE, _TUNED = "2px,4px", "14px,5px"
# Where the sentence looks: the length that was trained on after stretching, and four times that.
_SAID_AT = (512, 2048)


@dataclass(frozen=True)
class StretchedLine:
    """One kind of model, stretched or not, as it was measured and as it is drawn."""

    method: str
    """Key of its position method."""
    measured: Curve
    """Losses by seed and block, at lengths above the training length where it differs there."""
    drawn: MethodCurve
    """Perplexities: mean and range over seeds."""
    name: str
    """What a sentence calls it: its label in the figure without the mark."""

    @property
    def stage(self) -> str:
        """What was done to it."""
        if self.measured.tuned_length:
            return f"200 steps on {self.measured.tuned_length:,} tokens"
        return "as trained" if self.measured.stretching == AS_TRAINED else "at once"

    @property
    def label(self) -> str:
        """What a table calls it."""
        label = METHODS[self.method].label
        if self.measured.stretching == AS_TRAINED:
            return label
        stretching = parse_stretching(self.measured.stretching)
        return stretching.label if stretching.rule else f"{label}, {stretching.label}"


def name_of(stretching: str) -> str:
    """Returns what a control calls the stretching of a name that `parse_stretching` reads."""
    found = parse_stretching(stretching)
    parts = [found.rule.short] if found.rule else []
    return ", ".join(parts + ["log length"] * found.log_length)


@dataclass(frozen=True)
class StretchedChart(Chart):
    """Perplexity against the evaluation window, of models as trained and stretched."""

    stretchings: tuple[str, ...] = FIRST
    """Names of the stretchings to show, of those that were measured."""
    stage: Stage = "at once"
    """Whether stretched at once, after a short training on longer windows, or both."""
    protocol: Protocol = "nonoverlapping"
    """How it was measured."""
    name = "stretched_perplexity"
    reads = (Record, StretchedRecord)
    title = "Measured: perplexity of stretched models against the length of the evaluation window"

    def __post_init__(self) -> None:
        """Raises ValueError for a stretching or a stage that there is not."""
        for name in self.stretchings:
            parse_stretching(name)
        if self.stage not in STAGES:
            raise ValueError(f"stage must be one of {', '.join(STAGES)}, got {self.stage!r}")

    @property
    def lines(self) -> list[StretchedLine]:
        """As trained, then stretched, all of the seeds that all of them have.

        None where no stretching that is shown was measured.
        """
        return self.lines_of(same_seeds=True)

    def lines_of(self, *, same_seeds: bool) -> list[StretchedLine]:
        """Returns the lines, each of all its own seeds or all of those that they share."""
        ending = f"-L{TRAIN_LENGTH}"
        curves = {
            (method, curve.stretching, curve.tuned_length): curve
            for curve in stretched_curves(self.protocol)
            if curve.model.endswith(ending)
            and curve.places
            and (method := curve.model.removesuffix(ending)) in METHODS
        }
        changed = {key: curve for key, curve in curves.items() if self._is_shown(*key)}
        lengths = {TRAIN_LENGTH}.union(*(curve.places for curve in changed.values()))
        methods = {key[0] for key in changed}
        shown = {
            method: curves[method, AS_TRAINED, 0]
            for method in METHODS
            if (method, AS_TRAINED, 0) in curves and method in methods
        }
        if same_seeds and changed:
            seeds = set.intersection(*(set(c.seeds) for c in (*shown.values(), *changed.values())))
            shown = {method: _of_seeds(curve, seeds) for method, curve in shown.items()}
            changed = {key: _of_seeds(curve, seeds) for key, curve in changed.items()}
        lines = [_line(method, curve, None, lengths) for method, curve in shown.items()]
        for (method, *_), curve in changed.items():
            lines.append(_line(method, curve, shown.get(method), lengths))
        return lines

    def _is_shown(self, method: str, stretching: str, tuned_length: int) -> bool:
        """Whether a curve is one of the stretched or trained ones that are asked for."""
        if tuned_length:
            rule = stretching.partition("@")[0]
            # What was trained without stretching is shown beside a stretching of its method.
            wanted = rule in self.stretchings or (
                rule == AS_TRAINED
                and any(name in self.stretchings for name in language_stretchings_of(method, 0))
            )
            # Trained on at the old length, as a control, where nothing else asks for the room.
            lengths = (TUNED_LENGTH, *([TRAIN_LENGTH] if self.stage == "after 200 steps" else []))
            return wanted and self.stage != "at once" and tuned_length in lengths
        return stretching in self.stretchings and self.stage != "after 200 steps"

    @property
    def curves(self) -> list[MethodCurve]:
        """What is drawn; may be none."""
        return [line.drawn for line in self.lines]

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a model, with the range over seeds."""
        return extrapolation_figure(
            self.curves, train_length=TRAIN_LENGTH, measure="perplexity per token", dark=dark
        )

    def table(self) -> pd.DataFrame:
        """Returns every point: mean, range over seeds, interval for other text, against ALiBi."""
        lines = self.lines
        return pd.DataFrame(row for line in lines for row in _rows(line, _plain_alibi(lines)))

    def alt(self) -> str:
        """Returns where each line begins and ends, for those who cannot see them."""
        return f"{self.title}, trained on {TRAIN_LENGTH} tokens: {ends_of(self.curves)}."

    def sentence(self) -> str:
        """Returns who is best at two lengths, and how stretched RoPE stands to ALiBi."""
        lines = self.lines
        places = [place for place in _SAID_AT if any(line.drawn.at(place) for line in lines)]
        if not places:
            return "nothing was measured stretched."
        return " ".join(told for place in places for told in _told(lines, place))

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        seeds = next((line.measured.seeds for line in self.lines), ())
        return {
            "stretched": self.stage,
            "trained on": f"{TRAIN_LENGTH:,} tokens",
            "windows": PROTOCOL_NAMES[self.protocol],
            "seeds": ", ".join(map(str, seeds)) or "none",
        }


def _of_seeds(curve: Curve, seeds: set[int]) -> Curve:
    kept = [place for place, seed in enumerate(curve.seeds) if seed in seeds]
    return replace(
        curve, seeds=tuple(curve.seeds[place] for place in kept), units=curve.units[:, kept]
    )


def _line(
    method: str, curve: Curve, plain: Curve | None, lengths: set[int] | frozenset[int]
) -> StretchedLine:
    """Returns a line at the lengths that are shown.

    Args:
        method: Key of the position method.
        curve: What was measured.
        plain: The same model as trained, which it is in windows that are not longer; None for
            that model itself.
        lengths: Those shown.
    """
    places = [place for place in curve.places if place in lengths]
    by_seed = curve.by_seed[:, [curve.places.index(place) for place in places]]
    starts_as_trained = (
        plain is not None
        and not curve.tuned_length
        and TRAIN_LENGTH not in places
        and TRAIN_LENGTH in plain.places
        and set(curve.seeds) <= set(plain.seeds)
    )
    if starts_as_trained:
        assert plain is not None
        seeds = [plain.seeds.index(seed) for seed in curve.seeds]
        start = plain.by_seed[seeds, plain.places.index(TRAIN_LENGTH)]
        places, by_seed = [TRAIN_LENGTH, *places], np.column_stack([start, by_seed])
    values = np.exp(by_seed)
    letter, name, marks = _look(method, curve)
    drawn = MethodCurve(
        method,
        f"{letter} {name}".strip(),
        np.array(places),
        np.exp(by_seed.mean(0)),
        values.min(0),
        values.max(0),
        np.full(len(places), len(curve.seeds)),
        marks=marks,
    )
    return StretchedLine(method, curve, drawn, name)


def _look(method: str, curve: Curve) -> tuple[str, str, tuple[str, str] | None]:
    """Returns a line's mark as a letter, its name, and symbol and dash if not the method's."""
    own, tuned = METHODS[method].label, bool(curve.tuned_length)
    if curve.stretching == AS_TRAINED:
        at = f" at {TRAIN_LENGTH}" if curve.tuned_length == TRAIN_LENGTH else ""
        mark = "x" if at else method_style(method).symbol
        return ("", f"{own}, tuned{at}", (mark, _TUNED)) if tuned else ("", own, None)
    # A fixed scale has no mark of its own.
    symbol, letters = _MARKS[re.sub(r"@[\d.]+", "", curve.stretching)]
    name = name_of(curve.stretching) if curve.stretching != LOG_LENGTH else f"{own}, log length"
    if tuned:
        return letters[1], f"{name}, tuned", (symbol, _TUNED)
    return letters[0], name, (f"{symbol}-open", _AT_ONCE)


def _plain_alibi(lines: list[StretchedLine]) -> Curve | None:
    plain = ("alibi", AS_TRAINED, 0)
    return next((line.measured for line in lines if _key(line) == plain), None)


def _rows(line: StretchedLine, alibi: Curve | None) -> Iterator[dict[str, object]]:
    curve, drawn = line.measured, line.drawn
    intervals = dict(zip(curve.places, np.exp(curve.intervals), strict=True))
    for point, length in enumerate(drawn.lengths.tolist()):
        low, high = intervals.get(length, (math.nan, math.nan))
        is_compared = alibi is not None and length in alibi.places and length in curve.places
        yield {
            "model": line.label,
            "method": METHODS[line.method].label,
            "changed": line.stage,
            "evaluation window, tokens": length,
            "perplexity per token": float(drawn.mean[point]),
            "lowest seed": float(drawn.low[point]),
            "highest seed": float(drawn.high[point]),
            "95 % interval from": float(low),
            "95 % interval to": float(high),
            "seeds": len(curve.seeds),
            "against ALiBi as trained": _against(curve, alibi, length) if is_compared else "",
        }


def against_alibi(lines: list[StretchedLine]) -> dict[str, dict[int, str]]:
    """Returns how each line stands to ALiBi as trained, by its label and length; none without."""
    alibi = _plain_alibi(lines)
    return {
        line.label: {
            place: _against(line.measured, alibi, place)
            for place in line.measured.places
            if place in alibi.places
        }
        for line in lines
        if alibi is not None and line.measured is not alibi
    }


def _against(curve: Curve, alibi: Curve | None, length: int) -> str:
    if alibi is None or alibi is curve:
        return ""
    compared = compare_at(curve, alibi, length)
    middle, low, high = compared.percent
    return f"{middle:+.1f} % ({low:+.1f} to {high:+.1f}), {compared.word}"


def _told(lines: list[StretchedLine], place: int) -> Iterator[str]:
    """Yields the ranking at one length, and the best stretched RoPE beside the best ALiBi."""
    there = sorted(
        (line for line in lines if line.drawn.at(place)),
        key=lambda line: line.measured.mean_at(place),
    )
    ranked = ", ".join(f"{line.name} {line.drawn.at(place):.2f}" for line in there)
    yield (
        f"With windows of {place:,} tokens, {place // TRAIN_LENGTH} times the training length, "
        f"best first: {ranked}."
    )
    best = {line.method: line for line in reversed(there) if line.stage != "as trained"}
    if "rope" not in best:
        return
    rope = best["rope"]
    # Who was trained on is set beside ALiBi that was trained on in the same way.
    tuned_length = rope.measured.tuned_length
    key = "alibi", AS_TRAINED, tuned_length
    other = next((line for line in there if _key(line) == key), None)
    if other is None:
        return
    done = f" after {rope.stage}" if tuned_length else ""
    first = f"{rope.label}{done}" if rope.label == "RoPE" else f"RoPE with {rope.label}{done}"
    compared = compare_at(rope.measured, other.measured, place)
    yield f"{compared.sentence(first, f'ALiBi{done}' if done else 'ALiBi as trained')}."


def _key(line: StretchedLine) -> tuple[str, str, int]:
    return line.method, line.measured.stretching, line.measured.tuned_length
