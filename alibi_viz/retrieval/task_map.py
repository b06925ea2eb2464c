"""The map task x length -> method: who is ahead where, from every record; torch-free.

A cell compares one contender with ALiBi as it was trained, by the one rule for words: ahead or
behind only where the interval and every seed agree, level within 1 %, undecided otherwise. 1 % is
of perplexity, one point of accuracy, or a hundredth of a nat of gain. Lengths at which a method is
missing that was given the task elsewhere have no cells: nobody leads by being alone.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal, get_args

from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.store import Stored, last_change
from alibi_viz.maths.paired import Comparison, Word
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import AS_TRAINED
from alibi_viz.retrieval.records import CopyRecord, RecallRecord, StretchedRecord
from alibi_viz.retrieval.results import (
    Curve,
    compare_at,
    copy_curves,
    perplexity_curves,
    recall_curves,
)

Task = Literal["perplexity", "perplexity in sliding windows", "recall", "copying"]
TASKS: tuple[Task, ...] = get_args(Task)
MORE_IS_BETTER: tuple[Task, ...] = ("recall", "copying")
REFERENCE = "alibi"


@dataclass(frozen=True)
class _Source:
    """Where what was measured of a task comes from."""

    read: Callable[[], tuple[Curve, ...]]
    kinds: tuple[type[Stored], ...]
    """Of the records; the last one's file is named as the evidence."""


_PERPLEXITY = (Record, StretchedRecord)
_SOURCES: dict[Task, _Source] = {
    "perplexity": _Source(perplexity_curves, _PERPLEXITY),
    "perplexity in sliding windows": _Source(
        partial(perplexity_curves, "sliding_window"), _PERPLEXITY
    ),
    "recall": _Source(recall_curves, (RecallRecord,)),
    "copying": _Source(copy_curves, (CopyRecord,)),
}


@dataclass(frozen=True)
class MapCell:
    """One contender at one task and length."""

    task: Task
    """What is asked."""
    length: int
    """Tokens in a window; of copying, from copy to copy."""
    contender: str
    """Kind of model, as in "alibi-e16"."""
    stretching: str
    """How it was stretched; "as-trained" if it was not."""
    value: float
    """Perplexity, accuracy 0 .. 1, or gain in nats per token; mean over seeds."""
    low: float
    """Lower end of its 95 % interval, for other text of the kind."""
    high: float
    """Upper end."""
    seeds: int
    """Training runs."""
    against: Comparison
    """Against ALiBi as trained, in nats or points; below 0 the contender is better."""
    file: str
    """Where the records lie."""

    @property
    def word(self) -> Word:
        """How the contender stands to ALiBi as trained."""
        return self.against.word


def task_map() -> tuple[MapCell, ...]:
    """Returns every cell that was measured: as trained or stretched, without further training.

    Models are those of the length that all methods share, on code.
    """
    return tuple(cell for task in TASKS for cell in _cells(task))


def leaders(
    task: Task, length: int, among: Callable[[str, str], bool] = lambda contender, stretching: True
) -> tuple[tuple[str, str], ...]:
    """Returns the contenders and stretchings that nobody is ahead of, the best mean first.

    Args:
        task: What is asked.
        length: Tokens in a window, or from copy to copy.
        among: Whether a contender, stretched in a way, may lead; all may if left out.

    Raises:
        ValueError: Nothing was measured of that task at that length.
    """
    curves = {
        key: curve
        for key, curve in contenders(task).items()
        if length in curve.places and among(*key)
    }
    if not curves:
        raise ValueError(f"nothing was measured of {task} at {length} tokens")
    sign = -1 if task in MORE_IS_BETTER else 1
    means = {key: sign * curve.mean_at(length) for key, curve in curves.items()}
    first, *others = sorted(means, key=lambda key: means[key])
    return (
        first,
        *(
            key
            for key in others
            if compare_at(
                curves[key], curves[first], length, more_is_better=task in MORE_IS_BETTER
            ).word
            != "behind"
        ),
    )


def contenders(task: Task) -> Mapping[tuple[str, str], Curve]:
    """Returns curves by contender and stretching; of language models those of the shared length.

    Args:
        task: What is asked.
    """
    return _contenders(task, last_change(*_SOURCES[task].kinds))


@lru_cache(maxsize=2 * len(TASKS))
def _contenders(task: Task, changed: object) -> Mapping[tuple[str, str], Curve]:
    """Read again only where the files have changed."""
    ending = f"-L{TRAIN_LENGTH}"
    return {
        (curve.model.removesuffix(ending), curve.stretching): curve
        for curve in _SOURCES[task].read()
        if not curve.tuned_length and (task == "recall" or curve.model.endswith(ending))
    }


def _methods_missing(curves: Mapping[tuple[str, str], Curve], length: int) -> set[str]:
    """Returns the methods that were given a task, could be at that length, and were not."""
    return {
        contender
        for (contender, stretching), curve in curves.items()
        if stretching == AS_TRAINED and contender in METHODS and length not in curve.places
        if length <= TRAIN_LENGTH or not METHODS[contender].ends_at_train_length
    }


def _cells(task: Task) -> Iterator[MapCell]:
    curves, file = contenders(task), _SOURCES[task].kinds[-1].file.name
    reference = curves.get((REFERENCE, AS_TRAINED))
    if reference is None:
        return
    more_is_better = task in MORE_IS_BETTER
    for (contender, stretching), curve in curves.items():
        means, ends = curve.mean, curve.intervals
        for index, place in enumerate(curve.places):
            if place not in reference.places or _methods_missing(curves, place):
                continue
            shown = [float(means[index]), *ends[index].tolist()]
            value, low, high = shown if more_is_better else map(math.exp, shown)
            yield MapCell(
                task=task,
                length=place,
                contender=contender,
                stretching=stretching,
                value=value,
                low=low,
                high=high,
                seeds=len(curve.seeds),
                against=compare_at(curve, reference, place, more_is_better=more_is_better),
                file=file,
            )
