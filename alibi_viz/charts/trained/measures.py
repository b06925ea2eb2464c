"""What a trained model's heads do beside what their slopes alone would: distance, windows, loss."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.trained.run import ChartOfRun, HeadOfRun, Run
from alibi_viz.figures.distance import READ_BACK_ROUNDING, slope_text
from alibi_viz.figures.theme import colours_by_slope, read_by_colour, reads_colour, surface
from alibi_viz.figures.trained.inspection import (
    DistanceCurve,
    MeasuredWindows,
    by_distance_figure,
    measured_windows_figure,
)
from alibi_viz.figures.trained.text_loss import TextLoss, text_loss_figure
from alibi_viz.inspection.adapters.slope_lines import SHORTEST_LINE
from alibi_viz.inspection.text.capture import Capture
from alibi_viz.inspection.text.compare import moved_share
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.words import percent, signed

# A window this much larger than that of the slope alone is called further.
FURTHER = 1.1
# A share on the first token from which a head is said to rest there.
SINK = 0.2


@dataclass(frozen=True)
class DistancesChart(ChartOfRun):
    """Mean attention of one head or two by distance, measured and by the slope alone."""

    heads: tuple[HeadOfRun, ...] = (HeadOfRun(),)
    """The heads, the first one first."""
    name = "by_distance"
    title = "Mean attention by distance, measured and by the slope alone"

    def _curves(self, dark: bool) -> list[DistanceCurve]:
        curves: list[DistanceCurve] = []
        for head, colour in zip(self.heads, self._colours(dark), strict=True):
            name, theory = head.name or "measured", head.run.theory
            measured = head.run.overview.measures.mean_by_distance[head.place]
            curves.append(DistanceCurve(name, measured, colour, True))
            if theory is not None:
                alone = "slope alone" if len(self.heads) == 1 else f"{name}: slope alone"
                curves.append(
                    DistanceCurve(alone, theory.mean_by_distance[head.place], colour, False)
                )
        return curves

    def _colours(self, dark: bool) -> list[str]:
        if len(self.heads) > 1:
            return [surface(dark).accent, read_by_colour(dark)]
        slopes, (layer, head) = self.heads[0].capture.slopes, self.heads[0].place
        if slopes is None:
            return [reads_colour(dark)]
        return [colours_by_slope(slopes[layer].tolist(), dark)[head]]

    def draw(self, dark: bool) -> go.Figure:
        """Returns mean weight against distance, both axes logarithmic."""
        return by_distance_figure(self._curves(dark), dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a distance, a column a curve."""
        curves = self._curves(dark=False)
        distances = np.arange(max(len(curve.weights) for curve in curves))
        columns = {curve.name: pd.Series(curve.weights) for curve in curves}
        return pd.DataFrame({"distance, tokens": distances} | columns)

    def alt(self) -> str:
        """Returns where each curve begins and ends, for those who cannot see them."""
        parts = [
            f"{curve.name} from {curve.weights[0]:.2g} at distance 0 to {curve.weights[-1]:.2g} at "
            f"{len(curve.weights) - 1:,}"
            for curve in self._curves(dark=False)
        ]
        return f"Mean attention weight against distance, in tokens: {'; '.join(parts)}."

    def sentence(self) -> str:
        """Returns how far each head looks, and how far two agree."""
        reach = [_number(h.run.overview.measures.window[h.place]) for h in self.heads]
        if len(self.heads) == 1:
            return f"{percent(WINDOW_MASS)} of this head's attention lies within {reach[0]} tokens."
        first, second = self.heads
        said = (
            f"{percent(WINDOW_MASS)} of the attention lies within {reach[0]} tokens in "
            f"{first.name} and within {reach[1]} in {second.name}"
        )
        moved = moved_share(first.capture, second.capture, first.place, second.place)
        if moved is None:
            return f"{said}."
        return f"the two put {percent(moved)} of a query's attention on different keys; {said}."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        beside = {"beside": self.heads[1].title} if len(self.heads) > 1 else {}
        return self.heads[0].state() | beside


@dataclass(frozen=True)
class ModelWindowsChart(ChartOfRun):
    """The measured window of every head beside that of its slope alone."""

    head: HeadOfRun = HeadOfRun()
    """The head that is brought forward."""
    name = "measured_windows"
    title = "Measured window of every head, beside that of its slope alone"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a dot a head, measured against the slope alone where there is one."""
        capture, theory = self.head.capture, self.head.run.theory
        data = MeasuredWindows(
            self.head.run.overview.measures.window,
            capture.slopes,
            None if theory is None else theory.window,
            WINDOW_MASS,
            capture.length,
        )
        return measured_windows_figure(data, chosen=self.head.place, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns one row a head: its slope, its measures, and those of its slope alone."""
        slopes, theory = self.head.capture.slopes, self.head.run.theory
        measures = self.head.run.overview.measures
        layer, head = np.indices(measures.window.shape).reshape(2, -1) + 1
        columns: dict[str, Any] = {"layer": layer, "head": head}
        if slopes is not None:
            columns["slope, nats/token"] = slopes.ravel()
        columns[f"{WINDOW_MASS:.0%} window, tokens"] = measures.window.ravel()
        if theory is not None:
            columns["window of the slope alone, tokens"] = theory.window.ravel()
        columns["share on the first token"] = measures.first_token.ravel()
        if theory is not None:
            columns["share of the slope alone"] = theory.first_token.ravel()
        columns["entropy, nats"] = measures.entropy.ravel()
        columns["share on the previous token"] = measures.previous_token.ravel()
        return pd.DataFrame(columns)

    def question(self) -> str:
        """Returns what the chart answers."""
        if self.head.capture.slopes is None:
            return "How far does each head look?"
        return "Which heads look further than their slopes alone would let them?"

    def alt(self) -> str:
        """Returns what the chart shows, for those who cannot see it."""
        return f"Measured window of every head, in tokens: {self.sentence()}"

    def sentence(self) -> str:
        """Returns which heads look further than their slopes alone would."""
        return attention_sentence(self.head.run)

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return self.head.run.state()


@dataclass(frozen=True)
class TextLossChart(ChartOfRun):
    """The loss along a text with a model's own slopes, and with others."""

    run: Run = Run(change=Change(scale=0.5))
    """The run with other slopes."""
    before: Run | None = None
    """The run with the model's own slopes; made from the other one if left out."""
    train_length: int | None = 128
    """Tokens that the model was trained on; None where that is not known."""
    name = "loss_along"
    title = "Loss along the text, unchanged and with other slopes"

    @property
    def _both(self) -> tuple[Capture, Capture]:
        before = self.run.unchanged() if self.before is None else self.before
        return before.capture, self.run.capture

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a run, each point the mean loss over a part of the text."""
        colours = (surface(dark).accent, read_by_colour(dark))
        curves = [
            TextLoss(name, capture.nll, colour)
            for name, capture, colour in zip(
                ("unchanged", "changed"), self._both, colours, strict=True
            )
        ]
        return text_loss_figure(curves, train_length=self.train_length, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a token: its loss with the model's own slopes and with the others."""
        before, after = self._both
        return pd.DataFrame(
            {
                "position, token": np.arange(1, before.length),
                "unchanged, nats": before.nll,
                "changed, nats": after.nll,
            }
        )

    def alt(self) -> str:
        """Returns what the lines show, for those who cannot see them."""
        said = "Loss along the text, with the model's slopes and with the changed ones: "
        return said + self.sentence()

    def sentence(self) -> str:
        """Returns what the change does to the loss, within and beyond the training length."""
        before, after = self._both
        if before.mean_nll is None or after.mean_nll is None:
            return "one token predicts nothing that follows, so there is no loss to change."
        if np.array_equal(before.nll, after.nll):
            return "nothing is changed yet; the two runs are the same."
        words = (
            f"the mean loss goes from {before.mean_nll:.3f} to {after.mean_nll:.3f} nats per token "
            f"({signed(after.mean_nll - before.mean_nll)}; perplexity "
            f"{np.exp(before.mean_nll):.1f} to {np.exp(after.mean_nll):.1f})"
        )
        if self.train_length is not None and before.length > self.train_length + 1:
            # A window of so many inputs has as many targets: the last one was trained too.
            change = after.nll - before.nll
            within, beyond = change[: self.train_length], change[self.train_length :]
            words += (
                f"; {signed(within.mean())} on the first {self.train_length} predicted tokens, "
                f"{signed(beyond.mean())} on the {len(beyond)} beyond the training length"
            )
        return f"{words}."

    def sentence_for(self, head: HeadOfRun) -> str:
        """Returns the sentence, and how much of one head's attention the change moves.

        Args:
            head: The head, with the model's own slopes.
        """
        moved = moved_share(*self._both, head.place, head.place)
        words = self.sentence()
        if moved is None or (words.startswith(("one token", "nothing")) and not moved):
            return words
        return f"{words} The change moves {percent(moved)} of this head's attention to other keys."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return self.run.state()


def attention_sentence(run: Run) -> str:
    """Returns which heads look further than their slopes would, and what the first token takes.

    Args:
        run: The model and the text.
    """
    measures, theory, slopes = run.overview.measures, run.theory, run.capture.slopes
    first = _first_token_words(run)
    if theory is None or slopes is None:
        low, high = measures.window.min(), measures.window.max()
        is_short = measures.mean_by_distance.shape[-1] < SHORTEST_LINE
        why = "so short a text tells no slope" if is_short else "no slope limits these heads"
        return (
            f"{why}; their mean windows run from {_number(low)} to {_number(high)} tokens. {first}"
        )
    ratio = measures.window / theory.window
    further, total = int((ratio > FURTHER).sum()), ratio.size
    if not further:
        return (
            f"none of the {total} heads looks further than its slope alone would: content moves "
            f"attention within the window, not beyond it. {first}"
        )
    layer, head = np.unravel_index(int(ratio.argmax()), ratio.shape)
    name = slope_text(float(slopes[layer, head]), READ_BACK_ROUNDING)
    return (
        f"{further} of {total} heads {'look' if further != 1 else 'looks'} further than the slope "
        f"alone would (window more than {FURTHER - 1:.0%} larger), most of all layer {layer + 1}, "
        f"head {head + 1}: {_number(measures.window[layer, head])} tokens where slope {name} alone "
        f"needs {_number(theory.window[layer, head])}. {first}"
    )


def _first_token_words(run: Run) -> str:
    shares, theory = run.overview.measures.first_token, run.theory
    layer, head = np.unravel_index(int(shares.argmax()), shares.shape)
    resting = int((shares >= SINK).sum())
    words = (
        f"The first token takes {percent(float(shares.mean()))} of the attention on average and "
        f"{percent(float(shares.max()))} in layer {layer + 1}, head {head + 1}"
    )
    if theory is not None:
        alone = percent(float(theory.first_token[layer, head]))
        words += f", where the slope alone would give it {alone}"
    if resting:
        rest = "rests" if resting == 1 else "rest"
        words += f"; {resting} of {shares.size} heads {rest} {percent(SINK)} or more on it"
    return f"{words}."


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
