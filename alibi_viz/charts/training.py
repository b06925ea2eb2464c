"""The loss of a training run, while it goes on and afterwards."""

import math
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.figures.trained.training import TrainingCurves, training_figure

Points = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class TrainingChart(Chart):
    """Both loss curves of a run: on the text that is learned from, and on one that is not."""

    what: str = "ALiBi"
    """What is trained, in words."""
    position: str = "alibi"
    """Key of the position method."""
    train: Points = ()
    """(training tokens seen, nats per token) on the text that is learned from."""
    validation: Points = ()
    """The same on text that is not."""
    tokens: int = 1_000_000
    """Training tokens in all."""
    vocabulary: int = 1024
    """Tokens to guess among."""
    name = "loss"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Loss of {self.what}"

    @property
    def _curves(self) -> TrainingCurves:
        return TrainingCurves(
            self.position, self.train, self.validation, self.tokens, self.vocabulary
        )

    @property
    def _seen(self) -> int:
        """Training tokens seen."""
        return max((tokens for tokens, _ in (*self.train, *self.validation)), default=0)

    def draw(self, dark: bool) -> go.Figure:
        """Returns both curves over the whole budget."""
        return training_figure(self._curves, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns every point of both curves, one a row."""
        return pd.DataFrame(
            [
                (name, tokens, loss, math.exp(loss))
                for name, curve in (("training", self.train), ("validation", self.validation))
                for tokens, loss in curve
            ],
            columns=["text", "training tokens", "loss, nats per token", "perplexity"],
        )

    def alt(self) -> str:
        """Returns where the training loss stands, for those who cannot see it."""
        if not self.train:
            return "Loss against training tokens; no point is there yet."
        (_, first), (_, last) = self.train[0], self.train[-1]
        return (
            f"Loss in nats per token against training tokens. The training loss goes from "
            f"{first:.2f} to {last:.2f} after {self._seen:,} of {self.tokens:,} tokens; an even "
            f"guess costs {self._curves.even_guess:.2f}."
        )

    def sentence(self) -> str:
        """Returns what the validation loss means, and how it fell at the end."""
        if not self.validation:
            return (
                f"both curves begin near {self._curves.even_guess:.2f} nats, where all "
                f"{self.vocabulary:,} tokens are equally likely, and fall as soon as the model "
                "knows which are common."
            )
        seen, loss = self.validation[-1]
        said = (
            f"on text that it is not trained on, its loss is {loss:.2f} nats per token, a "
            f"perplexity of {math.exp(loss):,.1f}: it is as unsure as among {math.exp(loss):,.0f} "
            f"equally likely tokens, of {self.vocabulary:,}."
        )
        early = [value for tokens, value in self.validation if tokens <= 0.75 * self.tokens]
        if seen < self.tokens or not early:
            return said
        return (
            f"{said} Over the last quarter, in which the learning rate runs down to 0, it fell by "
            f"{early[-1] - loss:.2f} nats."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {"training tokens": f"{self._seen:,} of {self.tokens:,}"}
