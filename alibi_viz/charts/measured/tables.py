"""`python -m alibi_viz tables`: what was measured in words and tables, as in docs/findings.md."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from alibi_viz.charts.measured.curves import own_curves, position_curves, spread_text
from alibi_viz.charts.measured.findings import by_word, findings, spread_over_seeds
from alibi_viz.charts.measured.read import (
    all_records,
    measured_texts,
    own_records,
    same_text_records,
)
from alibi_viz.charts.measured.stretched import (
    STAGES,
    STRETCHINGS,
    StretchedChart,
    StretchedLine,
    against_alibi,
)
from alibi_viz.evaluation.comparisons import comparison_of, side
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.score import PROTOCOLS, Protocol
from alibi_viz.evaluation.stretch import SAMPLE_TOKENS, named_stretch
from alibi_viz.figures.measured.extrapolation import MethodCurve
from alibi_viz.files import write_bytes
from alibi_viz.paths import FIRST_TEXT
from alibi_viz.positions import METHODS
from alibi_viz.words import listed, percent

MARK = "<!-- From here on: python -m alibi_viz tables --into docs/findings.md -->\n"
"""What stands in a Markdown file above all that is computed."""
NAMES: dict[Protocol, str] = {
    "nonoverlapping": "nonoverlapping windows",
    "sliding_window": "sliding window",
}
EVERY = 2
"""Of the bands of context, that many an octave, one in so many has a column."""


def measured_part() -> str:
    """Returns all that the committed records say, as Markdown.

    Raises:
        ValueError: A file of records that cannot be read.
    """
    parts = [part for text in measured_texts() for part in _of_text(text)]
    return "\n\n".join([*parts, *_slopes(), *_stretched()]) + "\n"


def _of_text(text: str) -> Iterable[str]:
    records = own_records(text=text)
    yield f"## Measured on {text}"
    lines = [_scored(text, records), *_in_words(text, records)]
    yield "\n".join(f"* {line}" for line in lines if line)
    for protocol, name in NAMES.items():
        curves = own_curves(
            records, train_length=TRAIN_LENGTH, protocol=protocol, measure="perplexity"
        )
        lengths = _lengths(curves)
        if lengths:
            yield f"### Perplexity, {name} ({text})"
            yield markdown([curve.label for curve in curves], curves, lengths)
            yield f"### Against ALiBi, {name} ({text})"
            rows = {METHODS[key].label: {"method": key} for key in METHODS if key != "alibi"}
            shared = {"variant": "", "text": text, "protocol": protocol}
            yield _against(records, {label: of | shared for label, of in rows.items()}, lengths)
        if table := _by_training_length(records, protocol):
            yield f"### Perplexity by training length, {name} ({text})"
            yield table
    if curves := position_curves(records, train_length=TRAIN_LENGTH):
        yield f"### Perplexity by tokens of context ({text})"
        yield markdown([curve.label for curve in curves], curves, _lengths(curves)[::EVERY])


def _scored(text: str, records: Sequence[Record]) -> str:
    whole, sample = named_stretch(text), named_stretch(text, SAMPLE_TOKENS)
    shares = whole.shares()
    largest = max(shares, key=lambda name: shares[name])
    return (
        f"Scored in nonoverlapping windows: {len(whole.targets):,} tokens of {len(shares)} files, "
        f"{percent(shares[largest] / len(whole.targets))} of them {largest}; with a sliding "
        f"window: {len(sample.targets):,} of them, from every file. {_seeds(records)}"
    )


def _seeds(records: Sequence[Record]) -> str:
    """Which seeds of which methods were measured how."""
    told = []
    for protocol, name in NAMES.items():
        seeds: dict[str, list[str]] = {}
        for key, method in METHODS.items():
            of = {r.seed for r in records if (r.method, r.protocol) == (key, protocol)}
            if of:
                seeds.setdefault(listed([str(seed) for seed in sorted(of)]), []).append(
                    method.label
                )
        parts = [f"{number} of {listed(labels)}" for number, labels in seeds.items()]
        told += [f"{name}: {'; '.join(parts)}"] if parts else []
    return f"Seeds, {'. Seeds, '.join(told)}."


def _in_words(text: str, records: Sequence[Record]) -> Iterable[str]:
    """Sentences about the models of one training length, by the rule for words."""
    yield from findings(
        records,
        same_text_records(text=text),
        tuple(METHODS),
        train_length=TRAIN_LENGTH,
        protocol="nonoverlapping",
    )
    for protocol, name in NAMES.items():
        for length in sorted({r.eval_length for r in records if r.protocol == protocol}):
            told = by_word(
                records,
                tuple(METHODS),
                train_length=TRAIN_LENGTH,
                protocol=protocol,
                eval_length=length,
            )
            if told and not (protocol == PROTOCOLS[0] and length == TRAIN_LENGTH):
                yield f"{name.capitalize()}, {length:,} tokens: {told}"
    yield spread_over_seeds(records, TRAIN_LENGTH)


def _lengths(curves: Sequence[MethodCurve]) -> list[int]:
    return sorted({int(length) for curve in curves for length in curve.lengths})


def _by_training_length(records: Sequence[Record], protocol: Protocol) -> str:
    """A row for each training length of the methods that have several; "" where none has."""
    rows = {}
    for method in METHODS:
        trained = sorted({r.train_length for r in records if r.method == method})
        for length in trained if len(trained) > 1 else ():
            for curve in own_curves(
                [r for r in records if r.method == method],
                train_length=length,
                protocol=protocol,
                measure="perplexity",
            ):
                rows[f"{curve.label}, trained on {length}"] = curve
    return markdown(list(rows), list(rows.values()), _lengths(list(rows.values()))) if rows else ""


def _stretched() -> Iterable[str]:
    """Stretched models, at once and after a short training; nothing until some are measured."""
    shown = StretchedChart().lines
    if not shown:
        return
    yield "## Measured stretched"
    tokens = f"{shown[0].measured.weights.sum():,.0f} tokens of {FIRST_TEXT}"
    yield f"* Scored: {tokens}, the same for every row; sentences and differences below are paired."
    for protocol, name in NAMES.items():
        for stage in STAGES[:2]:
            chart = StretchedChart(STRETCHINGS, stage, protocol)
            # What was trained on is compared with the same seeds as trained.
            is_tuned = stage != "at once"
            lines = chart.lines_of(same_seeds=is_tuned)
            if lines:
                names = [line.label + f", {line.stage}" * is_tuned for line in lines]
                curves = [line.drawn for line in lines]
                yield f"### Stretched {stage}, {name}"
                yield _seeds_of(lines)
                yield markdown(names, curves, _lengths(curves))
        chart = StretchedChart(protocol=protocol)
        lengths = [length for length in _lengths(chart.curves) if length > TRAIN_LENGTH]
        found = against_alibi(chart.lines)
        cells = {key: [of.get(length, "-") for length in lengths] for key, of in found.items()}
        if cells:
            yield f"### Stretched at once against ALiBi as trained, {name}"
            yield f"Seeds {chart.state()['seeds']}. {chart.sentence()}"
            yield _table(lengths, cells)


def _seeds_of(lines: Sequence[StretchedLine]) -> str:
    """Returns which rows have which seeds."""
    rows: dict[tuple[int, ...], int] = {}
    for line in lines:
        rows[line.measured.seeds] = rows.get(line.measured.seeds, 0) + 1
    told = [f"seeds {listed(list(map(str, key)))}: {count}" for key, count in rows.items()]
    return f"Rows by their seeds: {'; '.join(told)}. A range in brackets is over several."


def _slopes() -> Iterable[str]:
    """ALiBi with other slopes and heads against ALiBi as published; nothing until trained."""
    known = all_records()
    variants = sorted({record.variant for record in known if record.variant})
    for protocol, name in NAMES.items() if variants else ():
        shared = {"method": "alibi", "text": FIRST_TEXT, "protocol": protocol}
        rows = {variant: {"variant": variant, **shared} for variant in variants}
        lengths = {r.eval_length for r in known if r.variant and r.protocol == protocol}
        if lengths:
            yield f"### ALiBi otherwise against ALiBi as published, {name} ({FIRST_TEXT})"
            yield _against(known, rows, sorted(lengths))


def _against(
    known: Sequence[Record], rows: dict[str, dict[str, str]], lengths: Sequence[int]
) -> str:
    """A table of differences to ALiBi as published, a row each."""
    cells = {}
    for name, fields in rows.items():
        found = []
        for length in lengths:
            shared = {"train_length": TRAIN_LENGTH, "eval_length": length}
            usual = fields | {"method": "alibi", "variant": ""}
            found.append(
                difference_text(side(known, **shared, **fields), side(known, **shared, **usual))
            )
        if any(cell != "-" for cell in found):
            cells[name] = found
    return _table(lengths, cells)


def difference_text(own: Sequence[Record], other: Sequence[Record]) -> str:
    """Returns how one side differs from the other, for a table; "-" where none can be compared.

    Args:
        own: One record a seed.
        other: One record a seed.
    """
    compared = comparison_of(own, other)
    if compared is None:
        return "-"
    middle, low, high = compared.percent
    return f"{middle:+.1f} % ({low:+.1f} to {high:+.1f}), {compared.word}"


def markdown(names: Sequence[str], curves: Sequence[MethodCurve], lengths: Sequence[int]) -> str:
    """Returns a Markdown table of one row a curve.

    Args:
        names: (row,) first cell of each row.
        curves: (row,) what the rows hold.
        lengths: (column,) where on the curves.
    """
    cells = {
        name: [spread_text(curve, length) for length in lengths]
        for name, curve in zip(names, curves, strict=True)
    }
    return _table(lengths, cells)


def _table(lengths: Sequence[int], cells: dict[str, list[str]]) -> str:
    rows = [["", *(f"{length:,}" for length in lengths)], *([k, *v] for k, v in cells.items())]
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join([head.replace("|  |", "| |"), "|---|" + "--:|" * len(lengths), *body])


def with_measured(text: str, measured: str) -> str:
    """Returns a Markdown text with everything below `MARK` replaced.

    Args:
        text: Has the mark.
        measured: What stands below it.

    Raises:
        ValueError: The mark is not there.
    """
    before, found, _ = text.partition(MARK)
    if not found:
        raise ValueError(f"no line {MARK.strip()!r} to put what was measured below")
    return f"{before}{found}\n{measured}"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `tables` to the command line."""
    parser = subparsers.add_parser(
        "tables",
        help="print what was measured as Markdown",
        description="Print what the committed records say, as docs/findings.md has it.",
    )
    parser.add_argument("--into", type=Path, metavar="FILE", help="replace it in this file")
    parser.set_defaults(action=run_tables)


def run_tables(args: argparse.Namespace) -> int:
    """Prints or replaces what was measured; returns the exit status."""
    measured = measured_part()
    if args.into is None:
        print(measured, end="")
    else:
        text = args.into.read_text(encoding="utf-8")
        write_bytes(args.into, with_measured(text, measured).encode())
    return 0
