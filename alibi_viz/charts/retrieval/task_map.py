"""Where each method wins: who leads at which task and length, from everything that was measured."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.charts.retrieval.contenders import Contender
from alibi_viz.evaluation.records import Record
from alibi_viz.figures.measured.task_map import LedCell, task_map_figure
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import AS_TRAINED
from alibi_viz.retrieval.records import CopyRecord, RecallRecord, StretchedRecord
from alibi_viz.retrieval.task_map import (
    MORE_IS_BETTER,
    REFERENCE,
    MapCell,
    Task,
    leaders,
    task_map,
)
from alibi_viz.words import count, listed

Among = Literal["methods", "variants", "stretched"]
AMONG: tuple[Among, ...] = get_args(Among)
"""Who may lead: methods as published, also their variants, also stretched ones."""
AMONG_WORDS: dict[Among, str] = {
    "methods": "methods as published, as trained",
    "variants": "variants of ALiBi too, as trained",
    "stretched": "variants and stretched models too",
}
RULE = (
    "A cell names all that nobody is ahead of. Ahead means that the 95 % interval of the "
    "difference and every seed say so; level is within 1 % of perplexity, one point of accuracy or "
    "a hundredth of a nat; all else is undecided, and then both are named. Only those that were "
    "given a task can lead at it: the table has them all. Lengths at which a method is missing "
    "that was given the task elsewhere stay empty."
)
# Leaders of a cell that are told to those who cannot see it.
_TOLD = 4


@dataclass(frozen=True)
class TaskMapChart(Chart):
    """The leaders at every task and length."""

    among: Among = "methods"
    """Who may lead."""
    name = "task_map"
    reads = (Record, StretchedRecord, RecallRecord, CopyRecord)
    title = "Where each method wins: the leaders by task and length"

    @property
    def cells(self) -> tuple[MapCell, ...]:
        """Every contender at every task and length."""
        return tuple(
            cell
            for cell in _cells(self.drawn_from())
            if _may_lead(self.among, Contender(*_key(cell)))
        )

    @property
    def leaders(self) -> dict[tuple[Task, int], tuple[Contender, ...]]:
        """By task and length those that nobody is ahead of, the best mean first."""
        return _leaders(self.among, self.drawn_from())

    def draw(self, dark: bool) -> go.Figure:
        """Returns a grid of names."""
        values = {(cell.task, cell.length, *_key(cell)): cell for cell in self.cells}
        drawn = []
        for (task, length), first in self.leaders.items():
            best = values[task, length, first[0].model, first[0].stretching]
            named = tuple((one.label, one.method) for one in first)
            drawn.append(LedCell(task, length, named, _value(best)))
        return task_map_figure(drawn, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns a row a task, length and contender, with its interval and its evidence."""
        first = self.leaders
        return pd.DataFrame(
            {
                "task": cell.task,
                "length, tokens": cell.length,
                "contender": Contender(*_key(cell)).label,
                "nobody is ahead": Contender(*_key(cell)) in first[cell.task, cell.length],
                "perplexity, share or nats": cell.value,
                "95 % from": cell.low,
                "95 % to": cell.high,
                "seeds": cell.seeds,
                "beside ALiBi as trained": cell.word,
                "records": cell.file,
            }
            for cell in self.cells
        )

    def alt(self) -> str:
        """Returns the leaders of every cell, for those who cannot see them."""
        parts = []
        for (task, length), first in self.leaders.items():
            labels = [one.label for one in first[:_TOLD]]
            if rest := len(first) - len(labels):
                labels.append(f"{rest} more")
            parts.append(f"{task} at {length:,} tokens: {listed(labels)}")
        return f"Leaders by task and length. {'; '.join(parts)}."

    def sentence(self) -> str:
        """Returns in how many cells each method is among the leaders, and where ALiBi is not."""
        found = self.leaders
        wins: dict[str, int] = {}
        for first in found.values():
            for method in dict.fromkeys(one.method for one in first):
                wins[method] = wins.get(method, 0) + 1
        ranked = sorted(wins, key=lambda method: -wins[method])
        shares = [f"{METHODS[method].label} in {wins[method]}" for method in ranked]
        text = f"of {count(len(found), 'cell')}, led or shared by {listed(shares)}. "
        by_task: dict[str, list[str]] = {}
        for (task, length), first in found.items():
            if REFERENCE not in {one.method for one in first}:
                by_task.setdefault(task, []).append(f"{length:,}")
        if not by_task:
            return f"{text}ALiBi is among the leaders everywhere."
        behind = [f"{task} at {listed(lengths)} tokens" for task, lengths in by_task.items()]
        return f"{text}ALiBi is not among them in {'; '.join(behind)}."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {"contenders": AMONG_WORDS[self.among]}


def _key(cell: MapCell) -> tuple[str, str]:
    return cell.contender, cell.stretching


def _may_lead(among: Among, one: Contender) -> bool:
    if among == "methods":
        return one.model in METHODS and one.stretching == AS_TRAINED
    return among == "stretched" or one.stretching == AS_TRAINED


def _value(cell: MapCell) -> str:
    if cell.task == "recall":
        return f"{100 * cell.value:.0f} %"
    return f"{cell.value:.2f} nats" if cell.task in MORE_IS_BETTER else f"{cell.value:.2f}"


@lru_cache(maxsize=2)
def _cells(changed: object) -> tuple[MapCell, ...]:
    return task_map()


@lru_cache(maxsize=2 * len(AMONG))
def _leaders(among: Among, changed: object) -> dict[tuple[Task, int], tuple[Contender, ...]]:
    def may_lead(model: str, stretching: str) -> bool:
        return _may_lead(among, Contender(model, stretching))

    asked = dict.fromkeys((cell.task, cell.length) for cell in _cells(changed))
    return {
        (task, length): tuple(Contender(*key) for key in leaders(task, length, may_lead))
        for task, length in asked
    }
