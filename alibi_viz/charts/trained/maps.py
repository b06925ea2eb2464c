"""Maps of a trained model's attention: one head, the difference of two, all heads small."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.trained.measures import attention_sentence
from alibi_viz.charts.trained.run import ChartOfRun, HeadOfRun, Run
from alibi_viz.figures.trained.token_map import Quantity, heads_figure, token_map_figure
from alibi_viz.inspection.adapters.records import Floats32
from alibi_viz.inspection.text.compare import moved_share
from alibi_viz.words import count, percent


def _named(quantity: Quantity) -> str:
    return "Attention weight" if "weight" in quantity else quantity.capitalize()


def _values(head: HeadOfRun, quantity: Quantity) -> Floats32:
    """Returns (query, key) numbers of a head, NaN where masked; weights for "log weight"."""
    seen = head.capture.attention(*head.place)
    part = {"weight": "weights", "log weight": "weights", "logit": "logits"}.get(quantity, quantity)
    values: Floats32 = np.where(seen.visible, getattr(seen, part), np.nan)
    return values


def _map_table(values: Floats32, head: HeadOfRun, name: str) -> pd.DataFrame:
    """Returns a row a cell that is not masked, with the tokens that it joins."""
    query, key = np.nonzero(~np.isnan(values))
    tokens = np.array(head.tokens, dtype=object)
    return pd.DataFrame(
        {
            "query": query,
            "query's token": tokens[query],
            "key": key,
            "key's token": tokens[key],
            name: values[query, key],
        }
    )


@dataclass(frozen=True)
class AttentionMapChart(ChartOfRun):
    """One head's map over a text."""

    head: HeadOfRun = HeadOfRun()
    """The head."""
    quantity: Quantity = "log weight"
    """What is coloured."""
    number: int = 1
    """Which of the maps on a page it is, from 1."""

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"map_{self.number}"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{_named(self.quantity)} of layer {self.head.layer}, head {self.head.head}"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a causal map, query down and key across, masked keys hatched."""
        values = _values(self.head, self.quantity)
        return token_map_figure(values, self.head.tokens, quantity=self.quantity, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a cell that is not masked; weights where their logarithm is coloured."""
        unit = "attention weight" if "weight" in self.quantity else f"{self.quantity}, nats"
        return _map_table(_values(self.head, self.quantity), self.head, unit)

    def alt(self) -> str:
        """Returns what the map shows, for those who cannot see it."""
        length = count(self.head.capture.length, "token")
        return f"Map of a head over {length}, queries down and keys across"

    def sentence(self) -> str:
        """Returns where the head's largest weights lie on average."""
        measures, place = self.head.run.overview.measures, self.head.place
        return (
            f"on average {percent(measures.mass)} of this head's attention lies on the "
            f"{measures.window[place]:.3g} nearest tokens, "
            f"{percent(float(measures.previous_token[place]))} on the token before and "
            f"{percent(float(measures.first_token[place]))} on the first one."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return self.head.state() | {"colour": self.quantity}


@dataclass(frozen=True)
class DifferenceMapChart(ChartOfRun):
    """The map of one head minus that of another over the same tokens."""

    first: HeadOfRun = HeadOfRun()
    """What is taken away."""
    second: HeadOfRun = HeadOfRun(layer=2, head=8)
    """What it is taken from."""
    quantity: Quantity = "log weight"
    """What is coloured."""
    label: str = "second − first"
    """What the difference is called."""
    name = "map_difference"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{_named(self.quantity)}: {self.label}"

    @property
    def _difference(self) -> Floats32:
        first, second = (_values(head, self.quantity) for head in (self.first, self.second))
        if self.quantity == "log weight":
            with np.errstate(divide="ignore"):
                first, second = np.log(first), np.log(second)
        return second - first

    def draw(self, dark: bool) -> go.Figure:
        """Returns a causal map in the colours of differences."""
        return token_map_figure(
            self._difference,
            self.first.tokens,
            quantity=self.quantity,
            is_difference=True,
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns a row a cell that is not masked."""
        return _map_table(self._difference, self.first, f"difference of {self.quantity}")

    def alt(self) -> str:
        """Returns what the map shows, for those who cannot see it."""
        return f"Map of a difference over {count(self.first.capture.length, 'token')}"

    def sentence(self) -> str:
        """Returns how much of a query's attention the two put on different keys."""
        captures = (self.first.capture, self.second.capture)
        moved = moved_share(*captures, self.first.place, self.second.place)
        if moved is None:
            return "the two cut the text differently, so their maps have no common axes."
        return f"the two put {percent(moved)} of a query's attention on different keys."

    def state(self) -> dict[str, str]:
        """Returns every setting in words, those of the second where they differ."""
        first = self.first.state()
        second = {
            f"second {key}": value
            for key, value in self.second.state().items()
            if value != first.get(key)
        }
        return first | second | {"colour": self.quantity}


@dataclass(frozen=True)
class ModelHeadsChart(ChartOfRun):
    """The attention of all heads as small maps, a layer a row."""

    run: Run = Run()
    """The model and the text."""
    name = "model_heads"
    title = "Attention of all heads, a layer a row"

    def draw(self, dark: bool) -> go.Figure:
        """Returns small maps, each labelled with layer, head and slope."""
        return heads_figure(self.run.overview.thumbnails, self.run.capture.slopes, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns the cells of all small maps, one a row; the future is left out."""
        small = self.run.overview.thumbnails
        layer, head, row, column = np.indices(small.shape).reshape(4, -1)
        seen = column <= row
        columns = {"layer": layer + 1, "head": head + 1, "row of cells": row}
        table = {name: values[seen] for name, values in columns.items()}
        table["column of cells"] = column[seen]
        return pd.DataFrame({**table, "largest weight": small.ravel()[seen]})

    def alt(self) -> str:
        """Returns what the maps show, for those who cannot see them."""
        layers, heads = self.run.overview.thumbnails.shape[:2]
        return f"Small maps of {count(layers, 'layer')} and {count(heads, 'head')}"

    def sentence(self) -> str:
        """Returns which heads look further than their slopes alone would."""
        return attention_sentence(self.run)

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return self.run.state()
