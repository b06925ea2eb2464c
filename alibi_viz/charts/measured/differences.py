"""How methods stand to one of them on the same blocks of text, with intervals and words."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES, MeasuredChart
from alibi_viz.charts.measured.read import paired_differences
from alibi_viz.evaluation.comparisons import told_by_word
from alibi_viz.evaluation.score import Protocol
from alibi_viz.figures.measured.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.figures.theme import surface, with_alpha
from alibi_viz.maths.paired import LEVEL, Comparison
from alibi_viz.positions import METHODS

RULE = (
    "**Ahead** or **behind** is said only where the 95 % interval lies on one side of 0 and every "
    f"seed agrees; **level** only where it lies within ±{100 * LEVEL:g} %; all else is "
    "**undecided**. Differences are paired: both models are scored on the same blocks of 512 "
    "tokens, seed by seed. The interval is the wider of two: of blocks drawn anew, and of whole "
    "files."
)
"""How words follow from numbers, in Markdown."""


@dataclass(frozen=True)
class DifferenceChart(MeasuredChart):
    """Perplexity over that of one method, against the length of the evaluation window."""

    protocol: Protocol = "nonoverlapping"
    """How it was measured."""
    reference: str = "alibi"
    """Key of the method that the others are compared with."""
    name = "differences"

    @property
    def compared(self) -> dict[str, dict[int, Comparison]]:
        """How each method stands to the reference, by evaluation length; may be none."""
        found = paired_differences(
            self.reference,
            text=self.text,
            train_length=self.train_length,
            protocol=self.protocol,
        )
        return {key: by_length for key, by_length in found.items() if key in self.methods}

    @property
    def curves(self) -> list[MethodCurve]:
        """One curve a method, and the reference at 1; may be none."""
        found = self.compared
        if not found:
            return []
        longest = max(length for by_length in found.values() for length in by_length)
        curves = [_curve(key, by_length, longest) for key, by_length in found.items()]
        widest = max(curves, key=lambda curve: len(curve.lengths))
        one, seeds = np.ones(len(widest.lengths)), widest.n_seed
        label = METHODS[self.reference].label
        return [MethodCurve(self.reference, label, widest.lengths, one, one, one, seeds), *curves]

    @property
    def _against(self) -> str:
        return METHODS[self.reference].label

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Measured: perplexity over that of {self._against}, on the same blocks of text"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a method with 95 % intervals; filled symbols are ahead or behind."""
        figure = extrapolation_figure(
            self.curves,
            train_length=self.train_length,
            measure=f"perplexity / perplexity of {self._against}",
            dark=dark,
        )
        for trace in figure.data:
            by_length = self.compared.get(_key_of(trace.name))
            if by_length is not None and trace.marker.symbol:
                words = [of.word for of in by_length.values()]
                symbol = trace.marker.symbol.removesuffix("-open")
                trace.marker.symbol = [
                    symbol if word in ("ahead", "behind") else f"{symbol}-open" for word in words
                ]
                pairs = zip(trace.customdata, words, strict=True)
                trace.customdata = [f"{text}<br>{word}" for text, word in pairs]
        figure.add_hrect(
            y0=1 - LEVEL,
            y1=1 + LEVEL,
            fillcolor=with_alpha(surface(dark).muted, 0.25),
            line_width=0,
            layer="below",
        )
        return figure

    def table(self) -> pd.DataFrame:
        """Returns every difference with its interval, its seeds and its word."""
        rows = []
        for key, by_length in self.compared.items():
            for length, of in by_length.items():
                middle, low, high = of.percent
                rows.append(
                    {
                        "method": METHODS[key].label,
                        "against": self._against,
                        "evaluation window, tokens": length,
                        "difference of perplexity, %": middle,
                        "lower end of 95 % interval, %": low,
                        "upper end of 95 % interval, %": high,
                        "seeds": len(of.by_seed),
                        "seeds that agree": of.agreeing,
                        "word": of.word,
                    }
                )
        return pd.DataFrame(rows)

    def alt(self) -> str:
        """Returns the differences in words, for those who cannot see them."""
        return (
            f"Perplexity over that of {self._against} against evaluation length for models trained "
            f"on {self.train_length:,} tokens. {self.sentence()}"
        )

    def sentence(self) -> str:
        """Returns who is ahead and who behind, at the training length and at the longest."""
        lengths = sorted({length for of in self.compared.values() for length in of})
        shown = dict.fromkeys(
            [*([self.train_length] if self.train_length in lengths else []), *lengths[-1:]]
        )
        return " ".join(
            f"With windows of {length:,} tokens, {self.told(length)}." for length in shown
        )

    def told(self, length: int) -> str:
        """Returns who is ahead and who behind at one evaluation length; "" for nothing."""
        there = {
            METHODS[key].label: by_length[length]
            for key, by_length in self.compared.items()
            if length in by_length
        }
        return told_by_word(there, self._against)

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        seeds = [len(of.by_seed) for by in self.compared.values() for of in by.values()]
        return {
            "against": self._against,
            "trained on": f"{self.train_length:,} tokens",
            "windows": PROTOCOL_NAMES[self.protocol],
            "seeds": f"up to {max(seeds, default=0)}",
            "text": self.corpus,
        }


def _key_of(label: str | None) -> str:
    return next((key for key, method in METHODS.items() if method.label == label), "")


def _curve(key: str, by_length: dict[int, Comparison], longest: int) -> MethodCurve:
    """A method's ratios to the reference; the range is over seeds."""
    of, method = list(by_length.values()), METHODS[key]
    interval = np.exp([[each.low, each.high] for each in of])
    ends = method.ends_at_train_length and max(by_length) < longest
    return MethodCurve(
        key,
        method.label,
        np.array(list(by_length)),
        np.exp([each.difference for each in of]),
        np.exp([min(each.by_seed) for each in of]),
        np.exp([max(each.by_seed) for each in of]),
        np.array([len(each.by_seed) for each in of]),
        ends="its table ends here" if ends else "",
        interval=interval if np.isfinite(interval).all() else None,
    )
