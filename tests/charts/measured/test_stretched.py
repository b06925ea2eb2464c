"""What the chart of stretched models takes from the records."""

import pytest

from alibi_viz.charts.measured.stretched import StretchedChart
from alibi_viz.evaluation.records import Record
from alibi_viz.retrieval.records import StretchedRecord
from tests.pages.measured import write_stretched


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Seeds 0 and 1 of everything, and of one stretching a seed less."""
    path = tmp_path / "stretched.json"
    write_stretched(path)
    write_stretched(path, seeds=1, more={("rope", "ntk", 0): {512: 18.0, 2048: 45.0}})
    monkeypatch.setattr(StretchedRecord, "file", path)
    # Models as trained are measured elsewhere too.
    monkeypatch.setattr(Record, "file", tmp_path / "none.json")


def test_lines_that_are_shown_together_are_of_the_same_seeds(measured):
    two = StretchedChart(("yarn-coded",))
    assert two.state()["seeds"] == "0, 1"
    assert {line.drawn.label for line in two.lines} == {"RoPE", "☆ YaRN, coded"}
    one = StretchedChart(("yarn-coded", "ntk"))
    assert one.state()["seeds"] == "0"
    assert {line.measured.seeds for line in one.lines} == {(0,)}
    by_label = {line.drawn.label: line for line in one.lines}
    assert by_label["☆ YaRN, coded"].drawn.at(512) == pytest.approx(13.9)
    own = {line.drawn.label: line.measured.seeds for line in one.lines_of(same_seeds=False)}
    assert own == {"RoPE": (0, 1), "☆ YaRN, coded": (0, 1), "◇ NTK-aware": (0,)}


def test_a_stretched_model_begins_as_trained_and_a_trained_one_where_it_was_measured(measured):
    lines = {line.drawn.label: line.drawn for line in StretchedChart(("yarn-coded",), "both").lines}
    assert lines["☆ YaRN, coded"].at(128) == lines["RoPE"].at(128)
    assert lines["★ YaRN, coded, tuned"].at(128) == pytest.approx(14.1 * 1.02**0.5)
    assert lines["RoPE, tuned"].at(2048) == pytest.approx(24.0 * 1.02**0.5)


def test_the_table_tells_seeds_and_text_apart_and_compares_on_the_same_blocks(measured):
    table = StretchedChart(("yarn-coded", "slopes-pi")).table()
    row = table[(table["model"] == "YaRN, as coded") & (table.iloc[:, 3] == 512)].iloc[0]
    assert row["lowest seed"] == pytest.approx(13.9)
    assert row["highest seed"] == pytest.approx(13.9 * 1.02)
    assert row["95 % interval from"] < row["perplexity per token"] < row["95 % interval to"]
    # Every block is harder by as much for both: the difference has no spread.
    assert row["against ALiBi as trained"] == "+9.4 % (+9.4 to +9.4), behind"


def test_what_is_trained_on_is_set_beside_what_was_trained_on(measured):
    chart = StretchedChart(("yarn-coded", "slopes-pi"), "after 200 steps")
    # No ALiBi was trained on here: nothing to compare with.
    assert "best first: YaRN, coded, tuned 11.92" in chart.sentence()
    assert " ALiBi after" not in chart.sentence()
    assert StretchedChart(("log-length",)).sentence() == "nothing was measured stretched."


def test_what_is_no_stretching_or_stage_is_refused():
    with pytest.raises(ValueError, match="stretching must be one of"):
        StretchedChart(("longrope",))
    with pytest.raises(ValueError, match="stage must be one of at once, after 200 steps, both"):
        StretchedChart(stage="later")
