"""What docs/findings.md says in numbers is what the committed records say."""

import re
from pathlib import Path

import pytest

from alibi_viz.charts.measured.curves import comparable, own_curves, position_curves, spread_text
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import load_records

FINDINGS = (Path(__file__).parents[1] / "docs" / "findings.md").read_text(encoding="utf-8")


def table(heading):
    """Column names, and rows by their first cell, of the table below a heading."""
    part = FINDINGS.split(f"### {heading}\n")[1].split("\n#")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    names, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return names[1:], {row[0]: row[1:] for row in rows}


@pytest.mark.parametrize(
    ("heading", "protocol"),
    [("Nonoverlapping windows", "nonoverlapping"), ("Sliding window", "sliding_window")],
)
def test_perplexities_are_those_of_the_records(heading, protocol):
    names, rows = table(heading)
    lengths = [int(re.sub(r"\D", "", name)) for name in names]
    curves = own_curves(
        comparable(load_records(Record)), train_length=128, protocol=protocol, measure="perplexity"
    )
    assert set(rows) == {curve.label for curve in curves}
    for curve in curves:
        assert rows[curve.label] == [spread_text(curve, length) for length in lengths]


def test_perplexities_by_position_are_those_of_the_records():
    names, rows = table("By position")
    curves = position_curves(comparable(load_records(Record)), train_length=128)
    assert set(rows) == {curve.label for curve in curves}
    for curve in curves:
        said = [spread_text(curve, int(re.sub(r"\D", "", name))) for name in names]
        assert rows[curve.label] == said
