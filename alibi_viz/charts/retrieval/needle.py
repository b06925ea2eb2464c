"""One needle: which head finds it, what its slope takes for the distance, and what that needs.

What a model answers is computed when it is asked for, and only then brings in torch.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.retrieval.contenders import contender
from alibi_viz.figures.distance import slope_text
from alibi_viz.figures.measured.needle import (
    KeysOfHead,
    NeedleHeads,
    needle_figure,
    needle_keys_figure,
)
from alibi_viz.maths.arrays import AnyFloats, Floats, read_only
from alibi_viz.paths import RECALL_MODELS
from alibi_viz.retrieval.needles import (
    COLOURS,
    FIRST_NEEDLE,
    FIRST_QUESTION,
    asked_window,
    token_names,
)
from alibi_viz.retrieval.plan import RECALL_VARIANTS
from alibi_viz.words import percent

if TYPE_CHECKING:
    from alibi_viz.model.transformer import Transformer

# The models of this seed lie beside the app.
SEED = 0


@dataclass(frozen=True)
class Found:
    """What a model does with one question; shared by all, so nobody may change it."""

    weights: AnyFloats
    """(head, distance) attention of the question."""
    answers: AnyFloats
    """(number,) probability of each answer."""
    needles: dict[int, str]
    """What the needles are called, by distance in tokens."""
    slopes: tuple[float, ...] | None
    """(head,) in nats per token; None where the bias is no slope."""
    prices: Floats | None
    """(head,) nats that the bias takes from the needle; None where position lies in the content."""
    content: Floats | None
    """(head,) the needle's content logit above filler's, in nats."""
    needed: Floats | None
    """(head,) content for half the attention, in nats."""


def offered_models() -> tuple[str, ...]:
    """Returns the keys of the recall models that lie beside the app, in their order."""
    return tuple(
        key
        for key in RECALL_VARIANTS
        if (RECALL_MODELS / f"{key}-s{SEED}" / "config.json").is_file()
    )


@dataclass(frozen=True)
class _OneNeedle(Chart):
    """A question about a needle at a chosen distance."""

    model: str = "alibi"
    """Key of a recall model."""
    length: int = 512
    """Tokens in the window."""
    distance: int = 200
    """From the question back to the needle, in tokens; less than the window."""
    colour: str = COLOURS[0]
    """Of the needle."""
    number: int = 3
    """On the needle, from 1: the right answer."""

    def look(self) -> None:
        """Lets the model look for the needle, which takes long where it is the first time."""
        _found(self.model, self.length, self.distance, self.colour, self.number)

    @property
    def found(self) -> Found:
        """What the model does."""
        return _found(self.model, self.length, self.distance, self.colour, self.number)

    @property
    def head(self) -> int:
        """The head that looks most at the needle, from 0."""
        return int(self.found.weights[:, self.distance].argmax())

    @property
    def answer(self) -> tuple[int, float]:
        """The most probable number, from 1, and its probability."""
        best = int(self.found.answers.argmax())
        return best + 1, float(self.found.answers[best])

    def _head_words(self) -> str:
        slopes = self.found.slopes
        if slopes is None:
            return f"head {self.head + 1}"
        slope = slopes[self.head]
        return f"head {self.head + 1} ({f'slope {slope_text(slope)}' if slope else 'free'})"

    def _answer_words(self) -> str:
        number, share = self.answer
        right = "which is right" if number == self.number else f"wrongly: it is {self.number}"
        return f"The model answers {number} with {percent(share)}, {right}."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "model": f"{contender(self.model).label}, seed {SEED}",
            "window": f"{self.length:,} tokens",
            "needle": f"{self.colour} {self.number}, {self.distance:,} tokens back",
        }


@dataclass(frozen=True)
class NeedleChart(_OneNeedle):
    """What every head pays for the distance, has of content, and gives to the needle."""

    name = "needle"
    title = "A look back: attention on the needle, its price, and the content that pays it"

    def draw(self, dark: bool) -> go.Figure:
        """Returns attention by head, and below it price, rivals and content."""
        found = self.found
        data = NeedleHeads(
            found.weights[:, self.distance],
            found.slopes,
            found.prices,
            found.content,
            found.needed,
        )
        return needle_figure(data, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a head."""
        found = self.found
        columns = {
            "head": range(1, len(found.weights) + 1),
            "slope, nats/token": found.slopes,
            "attention on the needle": found.weights[:, self.distance],
            "price, nats": found.prices,
            "content that it has, nats": found.content,
            "content for half the attention, nats": found.needed,
        }
        return pd.DataFrame(
            {name: values for name, values in columns.items() if values is not None}
        )

    def alt(self) -> str:
        """Returns what each head gives, for those who cannot see it."""
        weights = self.found.weights[:, self.distance]
        given = ", ".join(f"head {head + 1} {percent(w)}" for head, w in enumerate(weights))
        return f"Attention on a needle {self.distance:,} tokens back: {given}."

    def sentence(self) -> str:
        """Returns what the best head pays, what it has, and what the model answers."""
        found, head = self.found, self.head
        weight = float(found.weights[head, self.distance])
        text = f"{self._head_words()} gives the needle most: {percent(weight)} of its attention. "
        if found.prices is None or found.needed is None or found.content is None:
            return (
                f"{text}Here position lies in the content itself, so there is no price to tell "
                f"apart. {self._answer_words()}"
            )
        price, needed, has = (
            float(part[head]) for part in (found.prices, found.needed, found.content)
        )
        text += (
            f"The distance takes {price:.1f} nats, all other keys together {needed - price:.1f}; "
            f"half the attention needs content of {needed:.1f} nats, and the needle has {has:.1f}. "
        )
        slope = found.slopes[head] if found.slopes else 0.0
        if slope:
            farther = 1 / slope
            text += f"Every {farther:,.0f} tokens farther cost one nat more. "
        return text + self._answer_words()


@dataclass(frozen=True)
class NeedleKeysChart(_OneNeedle):
    """Where the head that finds the needle looks."""

    name = "needle_keys"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Where head {self.head + 1} looks from the question “{self.colour}?”"

    def draw(self, dark: bool) -> go.Figure:
        """Returns the head's attention by distance, needles named."""
        found, head = self.found, self.head
        data = KeysOfHead(
            found.weights[head],
            self.distance,
            found.needles,
            found.slopes[head] if found.slopes else None,
            (head, len(found.weights)),
        )
        return needle_keys_figure(data, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a key, the nearest first."""
        found = self.found
        weights = found.weights[self.head]
        names = [found.needles.get(distance, "filler") for distance in range(len(weights))]
        names[0] = f"{self.colour}?"
        return pd.DataFrame(
            {"distance, tokens": range(len(weights)), "token": names, "attention": weights}
        )

    def alt(self) -> str:
        """Returns the weights of the needles, for those who cannot see them."""
        weights = self.found.weights[self.head]
        told = ", ".join(
            f"{name} {weights[distance]:.2g} at {distance:,}"
            for distance, name in sorted(self.found.needles.items())
        )
        return f"Attention of {self._head_words()} against distance. Needles: {told} tokens."

    def sentence(self) -> str:
        """Returns how far above filler the needle lies, and what the other needles get."""
        found, head = self.found, self.head
        weights = found.weights[head]
        others = max(float(weights[d]) for d in found.needles if d != self.distance)
        text = (
            f"dots are filler, the star is the needle. {self._head_words().capitalize()} gives it "
            f"{percent(float(weights[self.distance]))}, other needles {percent(others)} at most"
        )
        if found.slopes is None:
            return f"{text}."
        slope = found.slopes[head]
        line = "The dashed line falls with the slope" if slope else "No slope: the line is level"
        return f"{text}. {line}; content lifts the star above it."


@lru_cache(maxsize=64)
def _found(model: str, length: int, distance: int, colour: str, number: int) -> Found:
    from alibi_viz.retrieval.heads import look_back

    window = asked_window(
        COLOURS.index(colour), number - 1, distance=distance, length=length, seed=SEED
    )
    loaded = _loaded(model)
    seen = look_back(loaded, window)
    slopes = loaded.position.slopes()
    tokens = window.tokens[0, ::-1]
    at = np.nonzero((tokens >= FIRST_NEEDLE) & (tokens < FIRST_QUESTION))[0]
    names = token_names()
    return Found(
        read_only(seen.weights[:, ::-1].copy()),
        read_only(seen.answers),
        {int(place): names[tokens[place]] for place in at},
        None if slopes is None else tuple(slopes.double().tolist()),
        seen.prices,
        seen.content,
        seen.needed,
    )


@lru_cache(maxsize=len(RECALL_VARIANTS))
def _loaded(model: str) -> "Transformer":
    """Loads a model once for all visitors; nobody changes it."""
    from alibi_viz.model.checkpoint import load_checkpoint

    return load_checkpoint(RECALL_MODELS / f"{model}-s{SEED}")[0]
