"""The live view's four parts as charts: all heads, one head, one query's row, the slope ladder."""

from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.heads import AlibiChart, AlibiHeads
from alibi_viz.figures.distance import slope_text
from alibi_viz.figures.heads.biases import (
    Colour,
    Scale,
    all_heads_figure,
    head_map_figure,
    row_figure,
)
from alibi_viz.figures.heads.slopes import slope_ladder_figure
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import SLOPE_RULES, SlopeRule, alibi_slopes, rules_differ
from alibi_viz.maths.windows import WINDOW_MASS, effective_window, half_life
from alibi_viz.words import percent, tokens

# Rows of the table of all heads at most; there are as many columns as heads.
MOST_DISTANCES = 2048


@dataclass(frozen=True)
class _ColouredMap(AlibiChart):
    """A map of queries and keys."""

    colour: Colour = "log weight"
    """What is coloured."""
    scale: Scale = "shared"
    """Whether all heads share the colours' ends."""

    @property
    def _quantity(self) -> str:
        return "Bias" if self.colour == "bias" else "Attention weight at equal content"

    @property
    def _colours(self) -> dict[str, str]:
        return {"colour": self.colour, "scale": self.scale}


@dataclass(frozen=True)
class AllHeadsChart(_ColouredMap):
    """The maps of all heads side by side."""

    name = "all_heads"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{self._quantity} of all heads"

    def draw(self, dark: bool) -> go.Figure:
        """Returns small maps, each labelled with its head's number and slope."""
        return all_heads_figure(
            self.slopes, length=self.length, colour=self.colour, scale=self.scale, dark=dark
        )

    def table(self) -> pd.DataFrame:
        """Returns every head's bias by distance, a column a head: nothing else decides it."""
        last = self.length - 1
        distances = np.unique(np.linspace(0, last, min(self.length, MOST_DISTANCES)).astype(int))
        columns = {
            f"head {head + 1}, slope {slope_text(float(slope))}: bias, nats": -slope * distances
            for head, slope in enumerate(self.slopes)
        }
        return pd.DataFrame({"distance, tokens": distances, **columns})

    def alt(self) -> str:
        """Returns what the maps show, for those who cannot see them."""
        return f"Maps of {self.heads} heads, queries down and keys across: {self.colour}"

    def sentence(self) -> str:
        """Returns how fast the steepest and the flattest head forget, for the last query."""
        pair = self.slopes[[self.steepest, self.flattest]]
        halves = half_life(pair)
        windows = effective_window(attention_by_distance(pair, self.length), WINDOW_MASS)
        steep = (
            f"**at equal content**, head {self.steepest + 1} halves its attention weight every "
            f"{tokens(halves[0])}. The last query keeps {percent(WINDOW_MASS)} of it on the "
            f"{windows[0]:,} nearest of its {self.length:,} keys"
        )
        if self.heads == 1:
            return f"{steep}."
        return (
            f"{steep}. Head {self.flattest + 1} halves it every {tokens(halves[1])} and needs "
            f"{windows[1]:,}."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return self.settings_and_length | self._colours


@dataclass(frozen=True)
class HeadMapChart(_ColouredMap):
    """One head's map, a cell of it marked."""

    cell: tuple[int, int] = (400, 352)
    """The marked (query, key)."""
    name = "head"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{self._quantity} of head {self.head}"

    def draw(self, dark: bool) -> go.Figure:
        """Returns a causal map, the future hatched."""
        return head_map_figure(
            self.slopes,
            head=self.head,
            length=self.length,
            colour=self.colour,
            scale=self.scale,
            cell=self.cell,
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns the last query's bias and weight at every distance."""
        return _row(self, self.length - 1)

    def alt(self) -> str:
        """Returns what the map shows, for those who cannot see it."""
        return f"Map of head {self.head}, queries down and keys across: {self.colour}"

    def sentence(self) -> str:
        """Returns what the marked cell holds."""
        query, key = self.cell
        distance = query - key
        weight = attention_by_distance([self.slope], self.length, query)[0, distance]
        return (
            f"the bias depends on the distance alone. Query {query:,} and key {key:,} lie "
            f"{tokens(distance)} apart: bias {-self.slope * distance:.4g} nats, weight "
            f"{weight:.3g} at equal content."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return self.settings_and_length | self.head_and_slope | self._colours


@dataclass(frozen=True)
class QueryRowChart(AlibiChart):
    """One query's bias by distance, and below it the attention weights that it gives."""

    query: int = 400
    """Position of the query."""
    key: int = 352
    """Position of the marked key."""
    name = "query_row"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return "One query's bias by distance, and the attention that it gives"

    def draw(self, dark: bool) -> go.Figure:
        """Returns two panels over one axis of distance."""
        return row_figure(
            self.slopes,
            head=self.head,
            length=self.length,
            query=self.query,
            key=self.key,
            dark=dark,
        )

    def table(self) -> pd.DataFrame:
        """Returns the query's bias and weight at every distance, and the share up to there."""
        return _row(self, self.query)

    def short_table(self) -> pd.DataFrame:
        """Returns the rows of the table at distances 0, 1, 2, 4 ... and the farthest."""
        doubling = 2 ** np.arange(0, max(self.query, 1).bit_length())
        distances = np.unique([0, *doubling[doubling < self.query], self.query])
        return self.table().iloc[distances].reset_index(drop=True)

    def alt(self) -> str:
        """Returns what the panels show, for those who cannot see them."""
        return f"Bias and attention weight of head {self.head} and query {self.query} by distance"

    def sentence(self) -> str:
        """Returns how many keys hold most of the query's attention."""
        weights = attention_by_distance([self.slope], self.length, self.query)
        window = int(effective_window(weights[:, : self.query + 1], WINDOW_MASS)[0])
        return (
            f"the bias falls in a straight line, so the weight falls exponentially. The nearest "
            f"{tokens(window)} hold {percent(WINDOW_MASS)} of this query's attention."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        place = {"query": f"{self.query}", "key marked": f"{self.key}"}
        return self.settings_and_length | self.head_and_slope | place


@dataclass(frozen=True)
class SlopeLadderChart(AlibiChart):
    """The slopes of all heads on a base-2 axis, beside those of the other rule where it differs."""

    name = "slope_ladder"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return "The slopes of all heads"

    @property
    def _other(self) -> SlopeRule:
        return next(rule for rule in SLOPE_RULES if rule != self.rule)

    def draw(self, dark: bool) -> go.Figure:
        """Returns a dot a head, the chosen one ringed."""
        other = None
        if rules_differ(self.heads):
            other = (self._other, alibi_slopes(self.heads, self.exponent, self._other))
        return slope_ladder_figure(self.slopes, head=self.head, other=other, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a head: slope, half-life, and window of the last query."""
        return slopes_table(self.of_heads).copy()

    def alt(self) -> str:
        """Returns what the ladder shows, for those who cannot see it."""
        return f"Slopes of {self.heads} heads on a base-2 axis"

    def sentence(self) -> str:
        """Returns where the ladder begins and ends, and what the choice of the rule changes."""
        first, last = (slope_text(float(self.slopes[at])) for at in (self.steepest, self.flattest))
        plain = f"the slopes run from {first} (head {self.steepest + 1}) to {last}"
        return f"{plain} (head {self.flattest + 1}). {self.rule_effect() or ''}".rstrip()

    def rule_effect(self) -> str | None:
        """Returns what the choice of the rule changes most; None where the rules agree."""
        if not rules_differ(self.heads):
            return None
        both = {rule: alibi_slopes(self.heads, self.exponent, rule) for rule in SLOPE_RULES}
        head = int(np.argmax(np.abs(np.log(both["geometric"] / both["interleaved"]))))
        return (
            f"{self.heads} heads are not a power of two, so the rules differ, most for head "
            f"{head + 1}: slope {slope_text(both['geometric'][head])} by the geometric rule, "
            f"{slope_text(both['interleaved'][head])} by the interleaved one. Hollow dots in the "
            "slope ladder show the rule that is not chosen."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return self.settings | self.head_and_slope


@dataclass(frozen=True)
class LiveParts:
    """The four parts of the live view in one state."""

    overview: AllHeadsChart
    head_map: HeadMapChart
    row: QueryRowChart
    ladder: SlopeLadderChart

    @classmethod
    def of(cls, head_map: HeadMapChart) -> "LiveParts":
        """Returns the parts whose state is that of the map of the chosen head."""
        state = asdict(head_map.of_heads) | {"head": head_map.head}
        query, key = head_map.cell
        return cls(
            AllHeadsChart(**state, colour=head_map.colour, scale=head_map.scale),
            head_map,
            QueryRowChart(**state, query=query, key=key),
            SlopeLadderChart(**state),
        )

    def named(self) -> dict[str, Chart]:
        """Returns the parts by what they are called beside the view."""
        return {
            "all heads": self.overview,
            f"head {self.row.head}": self.head_map,
            f"query {self.row.query}": self.row,
            "slope ladder": self.ladder,
        }


def _row(chart: AlibiChart, query: int) -> pd.DataFrame:
    slope = [chart.slope]
    distance = np.arange(query + 1)
    weights = attention_by_distance(slope, chart.length, query)[0, : query + 1]
    return pd.DataFrame(
        {
            "distance, tokens": distance,
            "key": query - distance,
            "bias, nats": bias_by_distance(slope, query + 1)[0],
            "attention weight": weights,
            "held up to here": weights.cumsum(),
        }
    )


@lru_cache(maxsize=256)
def slopes_table(heads: AlibiHeads) -> pd.DataFrame:
    """Returns one row a head: slope, as a power of two, half-life, and window at this length.

    Shared: whoever hands it on makes a copy.

    Args:
        heads: The heads and the length.
    """
    # One head at a time: all of them at 16,384 tokens would be a million weights at once.
    windows = [
        int(effective_window(attention_by_distance([slope], heads.length), WINDOW_MASS)[0])
        for slope in heads.slopes
    ]
    return pd.DataFrame(
        {
            "head": np.arange(1, heads.heads + 1),
            "slope, nats per token": heads.slopes,
            "as a fraction": [slope_text(slope) for slope in heads.slopes],
            "log2 of the slope": np.log2(heads.slopes),
            "half-life, tokens": half_life(heads.slopes),
            f"{WINDOW_MASS:.0%} window at {heads.length} tokens": windows,
        }
    )
