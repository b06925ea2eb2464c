import numpy as np
import pytest

from alibi_viz.charts.measured.tables import markdown, with_tables
from alibi_viz.figures.extrapolation import MethodCurve


def curve(label, lengths, values):
    values = [np.array(seeds) for seeds in values]
    return MethodCurve(
        "alibi",
        label,
        np.array(lengths),
        np.array([seeds.mean() for seeds in values]),
        np.array([seeds.min() for seeds in values]),
        np.array([seeds.max() for seeds in values]),
        np.array([len(seeds) for seeds in values]),
    )


def test_a_table_gives_mean_and_range_over_seeds():
    curves = [
        curve("ALiBi", [53, 1009], [[3.0, 4.0, 8.0], [250.0, 150.0]]),
        curve("Learned", [53], [[7.125]]),
    ]
    assert markdown(["ALiBi", "Learned"], curves, [53, 1009]).splitlines() == [
        "| | 53 | 1,009 |",
        "|---|--:|--:|",
        "| ALiBi | 5.00 (3.00-8.00) | 200.0 (150.0-250.0) |",
        "| Learned | 7.12 | - |",
    ]


TEXT = """# Found

### One

Before.

| a |
|---|
| 1 |
| 2 |

After.

### One, by length

| b |
|---|
| 3 |
"""


def test_a_table_is_replaced_and_everything_else_kept():
    changed = with_tables(TEXT, {"One": "| c |\n|---|\n| 4 |"})
    assert changed == TEXT.replace("| a |\n|---|\n| 1 |\n| 2 |", "| c |\n|---|\n| 4 |")
    assert with_tables(TEXT, {"One, by length": "| b |\n|---|\n| 3 |"}) == TEXT


@pytest.mark.parametrize("heading", ["Two", "Found"])
def test_a_heading_that_is_not_there_is_named(heading):
    with pytest.raises(ValueError, match=f"no table below a heading '### {heading}'"):
        with_tables(TEXT, {heading: "| c |"})


def test_a_heading_without_a_table_is_named():
    with pytest.raises(ValueError, match="no table below a heading '### Empty'"):
        with_tables("### Empty\n\nwords\n\n### Full\n\n| a |\n", {"Empty": "| c |"})
