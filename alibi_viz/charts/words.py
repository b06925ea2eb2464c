"""One untrained head's attention over a sentence of six words."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.figures.methods.words import words_figure
from alibi_viz.maths.arrays import Floats
from alibi_viz.positions import METHODS
from alibi_viz.positions.sentence import word_attention

REPEATED = "the"
"""The word that stands in the sentence twice."""


@dataclass(frozen=True)
class WordsChart(Chart):
    """The attention of a sentence's last word over all its words."""

    position: str = "nope"
    """Key of the position method; one that needs no training."""
    order: str = "dog first"
    """Name of the sentence."""
    name = "words"

    @property
    def _words(self) -> tuple[str, ...]:
        return word_attention(self.position, self.order).words

    @property
    def _weights(self) -> Floats:
        weights: Floats = word_attention(self.position, self.order).attn_weights[-1]
        return weights

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Attention of the word “{self._words[-1]}” over its sentence"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a bar a word, in the order of the sentence."""
        return words_figure(
            self._words, self._weights, method=self.position, marked=REPEATED, dark=dark
        )

    def table(self) -> pd.DataFrame:
        """Returns one row a word."""
        places = range(len(self._words))
        return pd.DataFrame({"position": places, "word": self._words, "weight": self._weights})

    def alt(self) -> str:
        """Returns every weight, for those who cannot see the bars."""
        pairs = zip(self._words, self._weights, strict=True)
        return (
            f"{self.title}, position method {METHODS[self.position].label}. Weights: "
            f"{', '.join(f'{word} {weight:.3f}' for word, weight in pairs)}."
        )

    def sentence(self) -> str:
        """Returns the weights of the repeated word."""
        pairs = zip(self._words, self._weights, strict=True)
        first, second = (weight for word, weight in pairs if word == REPEATED)
        alike = "the same" if abs(first - second) < 1e-6 else "not the same"
        return f"the two *{REPEATED}* get {first:.3f} and {second:.3f}: {alike}."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {"position method": METHODS[self.position].label, "order": self.order}
