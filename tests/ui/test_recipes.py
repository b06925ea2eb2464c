"""Programs for what only the server or the visitor has: they read the CSV of the same menu."""

import pytest

from alibi_viz.evaluation.records import Record
from alibi_viz.figures.extrapolation import extrapolation_figure
from alibi_viz.ui.extrapolation.live import curve_table, live_curves
from alibi_viz.ui.recipes import block, script
from alibi_viz.ui.recipes.measured import live_code
from tests.made_up_records import made_up
from tests.same_figure import drawn_by, expect_same


def point(checkpoint, method, length, perplexity):
    return Record(**made_up(method, length, perplexity, train_length=64, checkpoint=checkpoint))


def test_a_live_measurement_is_drawn_again_from_its_csv(tmp_path, monkeypatch):
    points = (
        point("a/rope-L64-s0", "rope", 64, 11.3),
        point("a/rope-L64-s0", "rope", 256, 29.7),
        point("b/alibi-L64-s0", "alibi", 128, 10.1),
    )
    curves = live_curves(points)
    monkeypatch.chdir(tmp_path)
    curve_table(curves).to_csv("live.csv", index=False)
    code = live_code("live.csv", train_length=64, command="python -m alibi_viz evaluate")
    expected = extrapolation_figure(curves, train_length=64, measure="perplexity")
    expect_same(drawn_by(code, monkeypatch), expected)


def test_a_program_without_its_csv_says_which_file_it_needs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = live_code("alibi-viz-live.csv", train_length=64, command="evaluate")
    assert "Save the CSV of the same menu beside this program" in code
    with pytest.raises(FileNotFoundError, match=r"alibi-viz-live\.csv"):
        drawn_by(code, monkeypatch)


def test_imports_stand_first_foreign_ones_before_our_own_and_long_ones_in_lines():
    names = ", ".join(f"a_rather_long_name_{number}" for number in range(5))
    code = script({"alibi_viz.b": names, "numpy": "as np", "alibi_viz.a": "one"}, "figure.show()")
    lines = code.splitlines()
    assert lines[:4] == [
        "import numpy as np",
        "",
        "from alibi_viz.a import one",
        "from alibi_viz.b import (",
    ]
    assert max(map(len, lines)) <= 88


@pytest.mark.parametrize("text", ["one line", "two\n\nlines\n", "quotes ' and \"\n\t✓", ""])
def test_a_text_in_a_program_is_the_text(text):
    assert eval(block(text)) == text
