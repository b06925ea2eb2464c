"""`python -m alibi_viz tables`: what was measured as Markdown tables, those of docs/findings.md."""

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from alibi_viz.charts.measured.curves import comparable, own_curves, position_curves, spread_text
from alibi_viz.evaluation.comparisons import compare_records, side
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.evaluation.store import load_records
from alibi_viz.figures.extrapolation import MethodCurve
from alibi_viz.files import write_bytes
from alibi_viz.paths import FIRST_TEXT
from alibi_viz.positions import METHODS

LENGTHS: dict[Protocol, tuple[int, ...]] = {
    "nonoverlapping": (64, 128, 256, 512, 2048, 4096, 16_384),
    "sliding_window": (64, 128, 256, 512, 2048),
}
NAMES: dict[Protocol, str] = {
    "nonoverlapping": "Nonoverlapping windows",
    "sliding_window": "Sliding window",
}
CONTEXTS = (1, 4, 19, 38, 76, 108, 152, 304, 608, 861, 1217, 1722, 2435, 3444)
"""Tokens of context: geometric means of the bands that were measured."""


def findings_tables() -> dict[str, str]:
    """Returns the tables of the committed records, mean and range over seeds, by their headings.

    Raises:
        ValueError: A file of records that cannot be read.
    """
    known = load_records(Record)
    # Records without the losses of their blocks cannot be compared block by block.
    return _perplexities(known) | _differences([record for record in known if record.blocks])


def _perplexities(known: Sequence[Record]) -> dict[str, str]:
    """Means over seeds with their ranges, of the methods as published."""
    records = comparable(known)

    def measured(train_length: int, protocol: Protocol) -> list[MethodCurve]:
        return own_curves(
            records, train_length=train_length, protocol=protocol, measure="perplexity"
        )

    def at_every_training_length(protocol: Protocol) -> str:
        curves = {
            f"{curve.label}, trained on {train_length}": curve
            for method in METHODS
            if len(lengths := {r.train_length for r in records if r.method == method}) > 1
            for train_length in sorted(lengths)
            for curve in measured(train_length, protocol)
            if curve.method == method
        }
        return markdown(list(curves), list(curves.values()), LENGTHS[protocol])

    by_position = position_curves(records, train_length=TRAIN_LENGTH)
    tables = {"By position": markdown(_labels(by_position), by_position, CONTEXTS)}
    for protocol, name in NAMES.items():
        curves = measured(TRAIN_LENGTH, protocol)
        tables[name] = markdown(_labels(curves), curves, LENGTHS[protocol])
        tables[f"{name}, by training length"] = at_every_training_length(protocol)
    return tables


def _differences(known: Sequence[Record]) -> dict[str, str]:
    """Paired differences to ALiBi, of every method and of ALiBi with other slopes and heads."""
    tables = {}
    texts = sorted({record.text for record in known} - {""})
    for text, (protocol, name) in product(texts, NAMES.items()):
        rows = {
            METHODS[key].label: {"method": key, "variant": ""} for key in METHODS if key != "alibi"
        }
        tables[f"{name} against ALiBi, {text}"] = _against(known, rows, text, protocol)
    variants = sorted({record.variant for record in known if record.variant})
    rows = {variant: {"method": "alibi", "variant": variant} for variant in variants}
    for protocol, name in NAMES.items() if rows else ():
        tables[f"{name}, slopes otherwise"] = _against(known, rows, FIRST_TEXT, protocol)
    return tables


def _against(
    known: Sequence[Record], rows: dict[str, dict[str, str]], text: str, protocol: Protocol
) -> str:
    shared = {"text": text, "protocol": protocol, "train_length": TRAIN_LENGTH}
    lengths, cells = LENGTHS[protocol], {}
    for name, fields in rows.items():
        pairs = [
            (
                side(known, **shared, **fields, eval_length=length),
                side(known, **shared, method="alibi", variant="", eval_length=length),
            )
            for length in lengths
        ]
        if any(own for own, _ in pairs):
            cells[name] = [difference_text(own, alibi) for own, alibi in pairs]
    return _table(lengths, cells)


def difference_text(own: Sequence[Record], other: Sequence[Record]) -> str:
    """Returns how one side differs from the other, for a table; "-" where none can be compared.

    Args:
        own: One record a seed.
        other: One record a seed.
    """
    if not {record.seed for record in own} & {record.seed for record in other}:
        return "-"
    compared = compare_records(own, other)
    middle, low, high = compared.percent
    return f"{middle:+.1f} % ({low:+.1f} to {high:+.1f}), {compared.word}"


def _labels(curves: Sequence[MethodCurve]) -> list[str]:
    return [curve.label for curve in curves]


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


def with_tables(text: str, tables: dict[str, str]) -> str:
    """Returns a Markdown text with the first table below each heading replaced.

    Args:
        text: Where every table has a heading of the third level.
        tables: By their headings.

    Raises:
        ValueError: A heading that is not there, or has no table.
    """
    for heading, table in tables.items():
        before, found, after = text.partition(f"### {heading}\n")
        part, *rest = after.split("\n#", 1)
        lines = part.splitlines(keepends=True)
        held = [index for index, line in enumerate(lines) if line.startswith("|")]
        if not found or not held:
            raise ValueError(f"no table below a heading '### {heading}'")
        lines[held[0] : held[-1] + 1] = [table + "\n"]
        text = before + found + "\n#".join(["".join(lines), *rest])
    return text


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `tables` to the command line."""
    parser = subparsers.add_parser(
        "tables",
        help="print what was measured as Markdown",
        description="Print the tables of docs/findings.md from the committed records.",
    )
    parser.add_argument("--into", type=Path, metavar="FILE", help="replace them in this file")
    parser.set_defaults(action=run_tables)


def run_tables(args: argparse.Namespace) -> int:
    """Prints or replaces the tables; returns the exit status."""
    tables = findings_tables()
    if args.into is None:
        print("\n\n".join(f"### {heading}\n\n{table}" for heading, table in tables.items()))
    else:
        text = args.into.read_text(encoding="utf-8")
        write_bytes(args.into, with_tables(text, tables).encode())
    return 0
