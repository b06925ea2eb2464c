"""Attention step by step: where a method acts, and every number between six tokens and output."""

import re
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from einops import rearrange

from alibi_viz.charts.base import Chart
from alibi_viz.figures.methods.pipeline import Step, pipeline_figure
from alibi_viz.figures.panels import Panel, panels_figure
from alibi_viz.maths.arrays import Floats, read_only
from alibi_viz.positions import find_method
from alibi_viz.positions.base import Place, PositionMethod

if TYPE_CHECKING:
    from alibi_viz.model.worked import WorkedExample

STAGE_STEPS = {
    "embedding": {"embedding"},
    "q, k, v": {"query, key, value"},
    "logits to weights": {"logits", "mask", "softmax"},
    "output": {"output"},
}
"""The steps of the diagram that each stage stands for."""
STAGES = tuple(STAGE_STEPS)
ABOUT = (
    "One layer, two heads of four channels, random weights from one seed, the same for every "
    "method; ALiBi's slopes are 1/2 and 1/4, and tables are random. “the” stands there twice: "
    "whatever tells its two places apart is position."
)
_PLACES: dict[Place, str] = {
    "embedding": "the token embedding",
    "query_key": "queries and keys",
    "logit": "the logits",
    "nowhere": "nothing; only the causal mask knows an order",
}


@cache
def example(method: str) -> "WorkedExample":
    """Returns the worked example of a method; shared, and read-only."""
    # Here, not at the top: it brings in torch, which the page's controls can do without.
    from alibi_viz.model.worked import worked_example

    made = worked_example(method)
    for field in fields(made):
        read_only(getattr(made, field.name))
    return made


@dataclass(frozen=True)
class MethodChart(Chart):
    """A chart of one position method."""

    position: str = "alibi"
    """Key of the position method."""

    def __post_init__(self) -> None:
        """Raises ValueError for a method that there is not."""
        find_method(self.position)

    @property
    def method(self) -> type[PositionMethod]:
        """The position method."""
        return find_method(self.position)


@dataclass(frozen=True)
class _StageChart(MethodChart):
    """A chart of one method and one stage of attention."""

    stage: str = STAGES[2]
    """One of `STAGES`."""

    def __post_init__(self) -> None:
        """Raises ValueError for a method or a stage that there is not."""
        super().__post_init__()
        if self.stage not in STAGES:
            raise ValueError(f"stage must be one of {'; '.join(STAGES)}, got {self.stage!r}")

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {"method": self.method.label, "numbers of": self.stage}


@dataclass(frozen=True)
class PipelineChart(_StageChart):
    """Attention from token to output, with the place lit where a method acts."""

    name: ClassVar[str] = "pipeline"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Where {self.method.label} enters attention"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, with the method's place and the shown stage marked."""
        own = self.method
        steps = (
            ("tokens", " ".join(example(self.position).words), ""),
            ("embedding", "x = E[token]", "embedding"),
            ("query, key, value", "q = W<sub>q</sub> x,  k = W<sub>k</sub> x,  v = W<sub>v</sub> x",
             "query_key"),
            ("logits", "q · k / √d", "logit"),
            ("mask", "a key after its query: −∞", ""),
            ("softmax", "the weights of a query sum to 1", ""),
            ("output", "Σ weight · v", ""),
        )  # fmt: skip
        return tuple(
            Step(
                name,
                own.formula if place == own.acts_on else formula,
                acts=place == own.acts_on,
                is_shown=name in STAGE_STEPS[self.stage],
            )
            for name, formula, place in steps
        )

    def draw(self, dark: bool) -> go.Figure:
        """Returns the steps as boxes, from top to bottom."""
        nowhere = self.method.acts_on == "nowhere"
        note = "nowhere: order comes from the mask alone" if nowhere else ""
        return pipeline_figure(self.steps, method=self.position, note=note, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns one row a step."""
        return pd.DataFrame(
            {
                "step": [step.name for step in self.steps],
                "formula": [re.sub(r"</?\w+>", "", step.formula) for step in self.steps],
                "position acts here": [step.acts for step in self.steps],
            }
        )

    def alt(self) -> str:
        """Returns the diagram in words."""
        return (
            "Tokens, embedding, query key and value, logits, mask, softmax, output. "
            f"{self.method.label} acts on {_PLACES[self.method.acts_on]}."
        )

    def sentence(self) -> str:
        """Returns where the method acts."""
        return f"{self.method.label} acts on {_PLACES[self.method.acts_on]}."


@dataclass(frozen=True)
class WorkedExampleChart(_StageChart):
    """The numbers of one stage of attention over six tokens, as small matrices."""

    head: int = 1
    """Head, counted from 1."""
    name: ClassVar[str] = "worked-example"

    def __post_init__(self) -> None:
        """Raises ValueError for a method, a stage or a head that there is not."""
        super().__post_init__()
        if self.head not in (1, 2):
            raise ValueError(f"head must be 1 or 2, got {self.head}")

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Attention over six tokens with {self.method.label}, in numbers"

    @property
    def panels(self) -> list[Panel]:
        """The matrices of the stage."""
        made, head, words = example(self.position), self.head - 1, example(self.position).words
        channel = [str(number + 1) for number in range(made.embedding.shape[-1])]
        if self.stage == "embedding":
            both = np.stack([made.token_embedding, made.embedding])
            ends = (float(both.min()), float(both.max()))
            return [
                Panel("token embedding, by channel", both[0], words, channel, ends),
                Panel("what enters the layer", both[1], words, channel, ends),
            ]
        if self.stage == "q, k, v":
            named = (("queries", made.q), ("keys", made.k), ("values", made.v))
            width = made.q.shape[2]
            of_head = f"of head {self.head}, by channel"
            return [
                Panel(f"{name} {of_head}", of[head], words, channel[:width]) for name, of in named
            ]
        weights = _past_only(made.weights)[head]
        if self.stage == "output":
            return [
                Panel("weights", weights, words, words, (0.0, 1.0)),
                Panel("weights times values", made.output[head], words, channel[: made.v.shape[2]]),
            ]
        added = self._added[head]
        span = float(np.nanmax(np.abs(added))) or 1.0
        change = (f"2  what {self.method.label} changes, nats", added, words, words, (-span, span))
        return [
            Panel("1  content, q · k / √d, nats", made.plain_logits[head], words, words),
            Panel(*change, is_difference=True),
            Panel("3  both, with the mask, nats", _past_only(made.logits)[head], words, words),
            Panel("4  weights", weights, words, words, (0.0, 1.0)),
        ]

    @property
    def _added(self) -> Floats:
        """(head, query, key) what a method changes in the logits; NaN where it says nothing.

        A bias is a function of the distance back to a key: of keys in the future it says nothing.
        """
        added = example(self.position).added
        return _past_only(added) if self.method.acts_on == "logit" else added

    def draw(self, dark: bool) -> go.Figure:
        """Returns the matrices side by side, each number in its cell."""
        return panels_figure(self.panels, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns every number between the tokens and the output, one a row, of all stages."""
        made = example(self.position)
        stages = {
            "token embedding": made.token_embedding[None],
            "embedding": made.embedding[None],
            "query": made.q,
            "key": made.k,
            "value": made.v,
            "content logit, nats": made.plain_logits,
            "change by position, nats": self._added,
            "weight": made.weights,
            "output": made.output,
        }
        tables = [_rows(stage, values, made.words) for stage, values in stages.items()]
        return pd.concat(tables, ignore_index=True).dropna(ignore_index=True)

    def alt(self) -> str:
        """Returns which matrices stand there."""
        words = " ".join(example(self.position).words)
        titles = "; ".join(panel.title for panel in self.panels)
        return f"{self.method.label}: matrices over {words}: {titles}"

    def sentence(self) -> str:
        """Returns whether the two equal words are told apart, and by how much."""
        made = example(self.position)
        last, plain = made.weights[self.head - 1, -1], made.plain_weights[self.head - 1, -1]
        first, second = (index for index, word in enumerate(made.words) if word == "the")
        if np.allclose(made.added, 0):
            return (
                f"nothing is added. The last word gives both “the” the same {last[first]:.2f}: in "
                "the first layer only the mask tells places apart, by how many words each can see."
            )
        largest = float(np.abs(np.tril(made.added[self.head - 1])).max())
        return (
            f"the last word gives the first “the” {last[first]:.2f} of its attention and the "
            f"second {last[second]:.2f}; without position both get {plain[first]:.2f}. The largest "
            f"change of a visible logit is {largest:.2f} nats."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return super().state() | {"head": f"{self.head}"}


def _past_only(values: Floats) -> Floats:
    """Returns (head, query, key) numbers with NaN where the key lies in the query's future."""
    past: Floats = np.where(np.tri(values.shape[-1], dtype=bool), values, np.nan)
    return past


def _rows(stage: str, values: Floats, words: tuple[str, ...]) -> pd.DataFrame:
    """Returns (head, row, column) numbers as a table."""
    head, row, column = np.indices(values.shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "stage": stage,
            "head": [str(index + 1) if len(values) > 1 else "all" for index in head],
            "token": [f"{index + 1} {words[index]}" for index in row],
            "column": column + 1,
            "value": rearrange(values, "head row column -> (head row column)"),
        }
    )
