"""Do the same tokens give the same weights and predictions, however they come?"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter, RunAsked
from alibi_viz.inspection.errors import RUN_ERRORS
from alibi_viz.inspection.probe.finding import Finding, FindingPlace
from alibi_viz.inspection.probe.sheets import read_sheet
from alibi_viz.inspection.probe.situations import (
    Situation,
    has_room,
    short_length,
    situations,
    text_ids,
)
from alibi_viz.inspection.probe.slopes import Fault
from alibi_viz.inspection.probe.tell import effect_words, tell
from alibi_viz.inspection.probe.usual import Usual, usual_of
from alibi_viz.words import listed

# Methods that count positions from the first token, padding or not, unless told otherwise.
ABSOLUTE = ("learned", "sinusoidal")


@dataclass(frozen=True)
class Heard:
    """What one situation showed."""

    situation: str
    faults: dict[Fault, tuple[int, ...]]
    """Each with the rows of the batch that have it; none where it has no rows of its own."""
    length: int
    """Tokens."""
    nats: float | None
    """How far predictions move, see `divergence`; None where they move by rounding only."""
    failure: str | None = None
    """Why it could not be run."""
    unread: str | None = None
    """Why its weights could not be read."""
    is_padded: bool = False
    """Whether padding comes before a row's first token."""


def divergence(right: Tensor, acting: Tensor) -> float:
    """Returns the mean over positions of KL(right || acting) in nats: sum of p ln(p / q).

    Args:
        right: (position, vocab_size) logits.
        acting: (position, vocab_size) logits.
    """
    p, q = (torch.log_softmax(logits.double(), -1) for logits in (right, acting))
    return max(float((p.exp() * (p - q)).sum(-1).mean()), 0.0)


def is_other(usual: Tensor, logits: Tensor, dtype: torch.dtype) -> bool:
    """Returns whether logits differ by more than rounding, measured in their spread."""
    largest = float((logits - usual).abs().max())
    return not largest <= (1e-3 + 32 * torch.finfo(dtype).eps) * float(usual.std())


def check_situations(adapter: Adapter, usual: Usual, method: tuple[str, ...]) -> Iterator[Finding]:
    """Yields what depends on how texts come.

    Args:
        adapter: A loaded model.
        usual: What it does with one text at once.
        method: Keys of the position methods that were found.
    """
    alone = Alone(adapter)
    heard = []
    for situation in situations(adapter):
        heard.append(hear(adapter, usual, situation, alone))
    yield from told(heard, usual, method)
    if adapter.has_cache and not has_room(adapter):
        words = (
            f"A static cache was not tried: the limit {adapter.facts.limit_name}: "
            f"{adapter.facts.limit} leaves no room for one."
        )
        yield Finding("unread", False, words)


class Alone:
    """What a model predicts of each text alone, at once, by the usual path; each run once."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.kept: dict[tuple[int, ...], Tensor] = {}

    def predictions(self, ids: Tensor) -> Tensor:
        """Returns (length, vocab_size) logits."""
        key = tuple(ids.tolist())
        if key not in self.kept:
            asked = RunAsked((ids,), self.adapter.default_path)
            self.kept[key] = self.adapter.predictions(asked)[0]
        return self.kept[key]


def hear(adapter: Adapter, usual: Usual, situation: Situation, alone: Alone) -> Heard:
    """Returns what one situation shows."""
    length = short_length(adapter)
    asked = situation.asked(length, adapter.facts.vocab_size)
    try:
        right, acting = _both(adapter, asked, alone)
    except RUN_ERRORS as error:
        return Heard(situation.words, {}, length, None, first_lines(error))
    if not bool(torch.isfinite(acting).all()):
        nats: float | None = float("nan")
    else:
        nats = divergence(right, acting) if is_other(right, acting, adapter.dtype) else None
    try:
        faults, unread = usual.other_faults(read_sheet(adapter, asked)), None
    except RUN_ERRORS as error:
        faults, unread = {}, first_lines(error)
    is_padded = situation.side == "left"
    return Heard(situation.words, faults, length, nats, None, unread, is_padded)


def _both(adapter: Adapter, asked: RunAsked, alone: Alone) -> tuple[Tensor, Tensor]:
    """Returns (position, vocab_size) of the last pass's tokens: each text alone, and so."""
    logits = adapter.predictions(asked)
    first = asked.length - logits.shape[1]
    right, acting = [], []
    for row, (ids, start) in enumerate(zip(asked.rows, asked.starts, strict=True)):
        here = slice(max(start, first) - first, start + len(ids) - first)
        acting.append(logits[row, here])
        right.append(alone.predictions(ids)[max(first - start, 0) :])
    return torch.cat(right), torch.cat(acting)


def told(heard: list[Heard], usual: Usual, method: tuple[str, ...]) -> Iterator[Finding]:
    """Yields what situations showed, each thing once with all situations that have it."""
    alike: dict[tuple[Fault, tuple[int, ...]], list[Heard]] = defaultdict(list)
    failures: dict[str, list[Heard]] = defaultdict(list)
    for one in heard:
        if one.failure is not None:
            failures[one.failure].append(one)
        for fault, rows in one.faults.items():
            alike[fault, rows].append(one)
    for (fault, rows), group in alike.items():
        yield tell(fault, usual.promise, when=_when(group), numbers=_numbers(group, rows))
    for reason, group in failures.items():
        # Where nothing is promised of biases, a cache that a class does not take is no fault.
        disagrees = usual.promise.method == "alibi" or not _only_static(group)
        words = f"The model fails {listed(_when(group))}: {reason}."
        where = FindingPlace(situations=tuple(_when(group)))
        yield Finding("fails", disagrees, words, {"error": reason}, where)
    silent = [one for one in heard if not one.faults]
    yield from _unexplained(silent, method, usual.promise.method == "alibi")
    for one in heard:
        if one.unread is not None and one.failure is None:
            words = f"Weights could not be read {one.situation}: {one.unread}."
            yield Finding("unread", False, words, {}, FindingPlace(situations=(one.situation,)))


def _only_static(group: list[Heard]) -> bool:
    return all("static" in one.situation for one in group)


def _unexplained(
    heard: list[Heard], method: tuple[str, ...], is_promised: bool
) -> Iterator[Finding]:
    """Yields predictions that move although all weights that were read are right."""
    moved = [one for one in heard if one.nats is not None]
    absolute = any(key in ABSOLUTE for key in method)
    counted = [one for one in moved if one.is_padded and absolute]
    broken = [one for one in moved if one.nats != one.nats]
    rest = [one for one in moved if one not in counted and one not in broken]
    if counted:
        words = (
            f"The model counts padding as positions unless told where to start: predictions differ "
            f"{listed(_when(counted))}.{effect_words(_numbers(counted))}"
        )
        where = FindingPlace(situations=tuple(_when(counted)))
        yield Finding("padding", False, words, _numbers(counted), where)
    if broken:
        words = f"Predictions are no numbers {listed(_when(broken))}."
        yield Finding("not_finite", True, words, {}, FindingPlace(situations=tuple(_when(broken))))
    if rest:
        words = (
            f"Predictions differ {listed(_when(rest))}, although no weight that was read does."
            f"{effect_words(_numbers(rest))}"
        )
        where = FindingPlace(situations=tuple(_when(rest)))
        disagrees = is_promised or not _only_static(rest)
        yield Finding("differs", disagrees, words, _numbers(rest), where)


def _when(group: list[Heard]) -> list[str]:
    return [one.situation for one in group]


def _numbers(group: list[Heard], rows: tuple[int, ...] = ()) -> dict[str, Any]:
    """Returns the largest effect of some situations, and the rows that have the fault."""
    known = [one for one in group if one.nats is not None and one.nats == one.nats]
    numbers: dict[str, Any] = {"rows": list(rows)} if rows else {}
    if known:
        most = max(known, key=lambda one: one.nats or 0.0)
        numbers |= {"nats": most.nats, "length": most.length}
    return numbers


def check_float32(adapter: Adapter, usual: Usual) -> Iterator[Finding]:
    """Yields what is other once all numbers are float32, where the file's are shorter."""
    if adapter.dtype == torch.float32:
        return
    try:
        longer = adapter.in_float32()
        ids = text_ids(usual.sheet.asked.length, adapter.facts.vocab_size)
        asked = RunAsked((ids,), longer.default_path)
        here, there = adapter.predictions(asked)[0], longer.predictions(asked)[0]
        sheet = read_sheet(longer, asked)
    except (*RUN_ERRORS, MemoryError) as error:
        words = f"The model could not be tried in float32: {first_lines(error)}."
        yield Finding("unread", False, words)
        return
    numbers = {"nats": divergence(there, here), "length": len(ids)}
    known = {(fault.kind, fault.layers, fault.heads) for fault in usual.faults}
    for fault in usual_of(sheet, usual.promise).faults:
        if (fault.kind, fault.layers, fault.heads) not in known:
            yield tell(fault, usual.promise, when=["in float32"], numbers=numbers)
