"""Do slopes stay what they are in longer texts, at once and with a cache, and at any distance?"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter, RunAsked
from alibi_viz.inspection.errors import RUN_ERRORS
from alibi_viz.inspection.probe.finding import Finding, FindingPlace
from alibi_viz.inspection.probe.shapes import (
    Shape,
    same_shape,
    shape_of,
    smallest_missed,
    smallest_read,
)
from alibi_viz.inspection.probe.sheets import Sheet, read_sheet
from alibi_viz.inspection.probe.situations import text_ids
from alibi_viz.inspection.probe.slopes import Fault, Head, faults_of
from alibi_viz.inspection.probe.tell import tell
from alibi_viz.inspection.probe.usual import Usual

LONG_LENGTH = 1100
"""Tokens of the longest text, unless the model's limit is lower, or higher: then that is tried."""
HIGHEST_LIMIT = 2048
"""Limits above are not tried by themselves: attention takes the square of a length."""
BETWEEN = (190, 600, 1100)
# Near keys that all texts are read at, and first keys, whose distance grows with the query.
NEAR = (0, 1, 4, 16, 60)
FIRST = (1, 2, 3)
# A text whose last tokens come from a cache.
CACHED_LENGTH = 300
# Lengths at which the logits of a layer take more bytes are not tried.
LARGEST_LAYER = 2_000_000_000


def lengths_for(adapter: Adapter, longest: int) -> tuple[list[int], list[Finding]]:
    """Returns the lengths to try, ascending, and what is to be said of the limit.

    Args:
        adapter: A loaded model.
        longest: Tokens of the longest text that is wanted.
    """
    limit, setting = adapter.facts.limit, adapter.facts.limit_name
    most, findings = max(longest, adapter.changes_at or 0), []
    if limit is not None:
        reason = adapter.why_no_longer() if _fits(adapter, limit + 1) else "not tried"
        numbers = {"limit": limit, "setting": setting, "error": reason}
        words = f"The configuration names a limit, {setting}: {limit:,}; longer texts run as well."
        if reason == "not tried":
            words = f"The limit {setting}: {limit:,} was not tried: it takes too much memory."
        elif reason is not None:
            words = f"One token past {setting}: {limit:,} the model fails: {reason}."
            most = min(most, limit)
        if longest >= LONG_LENGTH and most < limit <= HIGHEST_LIMIT:
            most = limit
        findings.append(Finding("limit", False, words, numbers))
    while not _fits(adapter, most):
        most //= 2
    if most < longest and (limit is None or most < limit):
        words = f"Texts of more than {most:,} tokens were not tried: they take too much memory."
        findings.append(Finding("unread", False, words, {"length": most}))
    return [*(length for length in BETWEEN if length < most), most], findings


def _fits(adapter: Adapter, length: int) -> bool:
    return 3 * 4 * adapter.facts.n_head * length**2 <= LARGEST_LAYER


def check_lengths(
    adapter: Adapter, usual: Usual, longest: int
) -> tuple[list[Finding], Sheet | None]:
    """Returns what is other in longer texts, and the reading of the longest one.

    Args:
        adapter: A loaded model.
        usual: What it does with a short one.
        longest: Tokens of the longest text, if the model takes as many.
    """
    lengths, findings = lengths_for(adapter, longest)
    checked = usual.sheet.asked.length
    lengths = [length for length in lengths if length > checked]
    known: set[Head] = set()
    told, sheet = set[tuple[Any, ...]](), None
    for length in lengths:
        try:
            sheet = read_long(adapter, length)
        except RUN_ERRORS as error:
            words = f"At {length:,} tokens the model fails: {first_lines(error)}."
            findings.append(Finding("fails", True, words, {"length": length}))
            break
        others = usual.other_shapes(sheet)
        new = {place: shape for place, shape in others.items() if place not in known}
        for fault in faults_of(new, usual.expected, sheet.shape[1]):
            start = first_length(adapter, usual, _heads_of(fault, sheet), checked, length)
            numbers = {"from_length": start} if fault.kind != "coarse" else {"length": length}
            findings.append(tell(fault, usual.promise, numbers=numbers))
            told.add((fault.kind, fault.layers, fault.heads))
        known |= set(others)
        checked = length
    if sheet is not None:
        findings += _far_findings(adapter, usual, sheet, known, told)
        findings += _piece_findings(adapter, usual, min(checked, CACHED_LENGTH), known)
    return findings, sheet


def _heads_of(fault: Fault, sheet: Sheet) -> list[Head]:
    heads = fault.heads or tuple(range(1, sheet.shape[1] + 1))
    return [(layer - 1, head - 1) for layer in fault.layers for head in heads]


def read_long(adapter: Adapter, length: int, *, is_short: bool = False) -> Sheet:
    """Returns what all queries of a long text give to its nearest, first and some other keys.

    Args:
        adapter: A loaded model.
        length: Tokens.
        is_short: Whether the last query is enough.
    """
    asked = RunAsked((text_ids(length, adapter.facts.vocab_size),), adapter.default_path)
    queries = np.array([length - 1]) if is_short else None
    return read_sheet(adapter, asked, _keys(length), queries)


def _keys(length: int) -> NDArray[np.int64]:
    last = length - 1
    keys = np.array([*(last - distance for distance in NEAR), *FIRST])
    return np.unique(keys[(keys >= 0) & (keys <= last)])


def first_length(adapter: Adapter, usual: Usual, heads: list[Head], good: int, bad: int) -> int:
    """Returns the shortest text in which some heads are other than in a short one, by halving.

    Args:
        adapter: A loaded model.
        usual: What it does with a short text.
        heads: (layer, head) of those that change.
        good: A length at which none of them does.
        bad: A longer one at which all do.
    """
    while bad - good > 1:
        middle = (good + bad) // 2
        others = usual.other_shapes(read_long(adapter, middle, is_short=True))
        good, bad = (good, middle) if any(head in others for head in heads) else (middle, bad)
    return bad


def _far_findings(
    adapter: Adapter, usual: Usual, sheet: Sheet, known: set[Head], told: set[tuple[Any, ...]]
) -> Iterator[Finding]:
    """Yields what is other at distances that a short text does not have."""
    slopes = usual.expected.slopes
    assert slopes is not None
    if usual.promise.method == "nonlinear":
        return
    short = {(fault.kind, layer) for fault in usual.faults for layer in fault.layers}
    shapes = {}
    for place in usual.shapes:
        if place in known or usual.shapes[place].kind == "bent":
            continue
        slope = float(slopes[place])
        shape = shape_of(sheet.points(place[0], 0, place[1]), slope, usual.promise.factor)
        # Which hidden key is the nearest is read from the queries on the way.
        if (shape.kind, place[0] + 1) in short or shape.kind == "holes":
            continue
        if shape.kind == "window":
            shape = _exact_window(sheet, place, shape)
        shapes[place] = shape
    for fault in faults_of(shapes, usual.expected, sheet.shape[1]):
        if fault.kind in {one.kind for one in usual.faults}:
            continue
        numbers = {"length": sheet.asked.length}
        if (fault.kind, fault.layers, fault.heads) not in told:
            yield tell(fault, usual.promise, numbers=numbers)
    yield from _on_the_way(adapter, usual, sheet, known | usual.odd_heads | set(_other(shapes)))


def _other(shapes: dict[Head, Shape]) -> list[Head]:
    return [place for place, shape in shapes.items() if shape.kind not in ("straight", "unread")]


def _exact_window(sheet: Sheet, place: Head, shape: Shape) -> Shape:
    """Returns the window with the number of keys that queries on the way see of the first ones."""
    widest = 0
    for index in range(len(sheet.keys)):
        weight = sheet.weights[place[0], 0, place[1], :, index]
        away = sheet.queries - sheet.keys[index]
        seen = away[(weight > 0) & (away >= 0)]
        # A key whose window ends before the text does.
        if len(seen) and away[-1] > seen.max():
            widest = max(widest, int(seen.max()) + 1)
    return Shape("window", shape.slope, shape.precision, {"keys": widest or shape.numbers["keys"]})


def _on_the_way(
    adapter: Adapter, usual: Usual, sheet: Sheet, known: set[Head]
) -> Iterator[Finding]:
    """Yields bends, steps and hidden keys at distances, or at queries, before the last one.

    Two neighbouring keys differ by the slope at their distance; the first ones are seen by every
    query, and so at every distance.
    """
    found: dict[tuple[str, int, int], list[Head]] = defaultdict(list)
    for place, shape in usual.shapes.items():
        if place not in known and shape.kind == "straight" and not usual.is_flat(place):
            off, kind = _odd_queries(usual, sheet, place)
            if len(off):
                found[kind, int(off[0]), int(off[-1])].append(place)
    for (kind, first, last), places in found.items():
        at_queries = _at_query(adapter, usual, sheet, last, places)
        numbers = {"length": sheet.asked.length}
        for fault in faults_of(at_queries, usual.expected, sheet.shape[1]):
            when = [f"at tokens {first + 1:,} to {last + 1:,} of a text"]
            yield tell(fault, usual.promise, when=when, numbers=numbers)
        distance = {"first": first - 1} if kind == "holes" else {"from_distance": first - 1}
        shapes = {
            place: Shape(kind, numbers={"first": first - 1})
            for place in places if place not in at_queries
        }  # fmt: skip
        for fault in faults_of(shapes, usual.expected, sheet.shape[1]):
            yield tell(fault, usual.promise, numbers={**distance, **numbers})


def _odd_queries(usual: Usual, sheet: Sheet, place: Head) -> tuple[NDArray[np.int64], str]:
    """Returns the queries that give two neighbouring keys other weights than the slope says."""
    shape = usual.shapes[place]
    keys = [index for index, key in enumerate(sheet.keys) if key in (1, 2)]
    near = sheet.weights[place[0], 0, place[1]][:, keys]
    none = np.zeros(0, np.int64), "bent"
    if len(keys) < 2 or not np.isfinite(near).all():
        return none
    seen, is_later = near >= smallest_read(sheet.dtype), sheet.queries > 2
    hidden = (seen.sum(1) == 1) & (near.max(1) > smallest_missed(sheet.dtype)) & is_later
    if hidden.any():
        return sheet.queries[hidden], "holes"
    readable = seen.all(1) & is_later
    if readable.sum() < 2:
        return none
    local = np.diff(np.log(near[readable]), axis=1)[:, 0]
    tolerance = sheet.points(place[0], 0, place[1]).tolerance(shape.slope)
    off = np.abs(local - shape.slope) > 2 * tolerance + shape.precision
    return sheet.queries[readable][off], "bent"


def _at_query(
    adapter: Adapter, usual: Usual, sheet: Sheet, query: int, places: list[Head]
) -> dict[Head, Shape]:
    """Returns those heads that are other at one query of a text, its nearest keys included."""
    near = query - np.array([distance for distance in NEAR if distance <= query])
    single = read_sheet(adapter, sheet.asked, near, np.array([query]))
    others = usual.other_shapes(single)
    return {place: others[place] for place in places if place in others}


def _piece_findings(
    adapter: Adapter, usual: Usual, length: int, known: set[Head]
) -> Iterator[Finding]:
    """Yields what is other in a long text whose last tokens come from a cache."""
    if not adapter.has_cache:
        return
    for pieces, words in (((1,), "token by token with a cache"), ((5,), "in chunks with a cache")):
        try:
            sheet = _in_pieces(adapter, length, pieces)
        except RUN_ERRORS as error:
            words = f"At {length:,} tokens the model fails {words}: {first_lines(error)}."
            yield Finding(
                "fails", True, words, {"length": length}, FindingPlace(situations=(words,))
            )
            continue
        others = usual.other_shapes(sheet)
        if known:
            # What is other at this length anyway is held to the same text at once.
            at_once = read_long(adapter, length, is_short=True)
            others = {
                place: shape for place, shape in others.items()
                if place not in known or not _is_same(usual, sheet, at_once, place)
            }  # fmt: skip
        for fault in faults_of(others, usual.expected, sheet.shape[1]):
            if fault.kind != "coarse":
                yield tell(fault, usual.promise, when=[words], numbers={"length": length})


def _is_same(usual: Usual, sheet: Sheet, other: Sheet, place: Head) -> bool:
    slopes = usual.expected.slopes
    assert slopes is not None
    mine, theirs = (one.points(place[0], 0, place[1]) for one in (sheet, other))
    return same_shape(mine, theirs, float(slopes[place]))


def _in_pieces(adapter: Adapter, length: int, pieces: tuple[int, ...]) -> Sheet:
    ids = text_ids(length, adapter.facts.vocab_size)
    asked = RunAsked((ids,), adapter.default_path, cuts=(length - pieces[0],))
    return read_sheet(adapter, asked, _keys(length), np.array([length - 1]))
