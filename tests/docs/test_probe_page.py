"""docs/probe.md: its tables are those of `python -m benchmarks.probe`, its names those of the code.

The numbers found and explained take minutes of processor time; what is held here is
that no fault, no healthy model and no kind was left out of the tables or added since.
"""

import re
from collections import Counter

import pytest

from alibi_viz.inspection.probe.finding import KINDS
from alibi_viz.paths import PROJECT
from benchmarks.probe.faults import all_faults
from benchmarks.probe.healthy import all_healthy
from benchmarks.probe.held_out import held_out_faults

PAGE = (PROJECT / "docs" / "probe.md").read_text(encoding="utf-8")
GROUPS = {
    "developed on": all_faults,
    "held out": held_out_faults,
}


def rows(title):
    """The rows below the head of a table: a kind, and its numbers."""
    table = PAGE.split(f"| {title} | tried |")[1].split("\n\n")[0]
    found = re.findall(r"^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", table, re.MULTILINE)
    return {kind: [int(number) for number in numbers] for kind, *numbers in found}


@pytest.mark.parametrize("title", GROUPS)
def test_every_fault_is_counted_in_the_tables(title):
    faults, table = GROUPS[title](), rows(title)
    tried = {kind: numbers[0] for kind, numbers in table.items()}
    assert tried == Counter(fault.kind for fault in faults) | {"**all**": len(faults)}


@pytest.mark.parametrize("title", GROUPS)
def test_the_last_row_is_the_sum_of_the_others(title):
    table = rows(title)
    last = table.pop("**all**")
    assert last == [sum(column) for column in zip(*table.values(), strict=True)]
    for tried, found, explained, silent in table.values():
        assert explained <= found == tried - silent


def test_every_healthy_model_is_counted():
    count = re.search(r"^\| healthy models \|.*\n.*\n\| (\d+) \|", PAGE, re.MULTILINE)
    assert int(count[1]) == len(all_healthy())


def test_faults_and_healthy_models_are_as_many_as_were_asked_for():
    developed, left = len(all_faults()), len(held_out_faults())
    assert developed + left >= 100
    assert left >= (developed + left) // 3
    assert len(all_healthy()) >= 60


def test_every_kind_of_finding_is_named():
    named = PAGE.split("\nKinds: ")[1].split(".\n")[0].replace("\n", " ").split(", ")
    assert named == list(KINDS)
