import numpy as np
import pytest

from alibi_viz.charts.retrieval.contenders import contender
from alibi_viz.charts.retrieval.own import OwnPoint, OwnRecall
from alibi_viz.charts.retrieval.recall import DepthChart, RecallChart, measured_names
from alibi_viz.charts.retrieval.task_map import TaskMapChart
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import add_records, load_records
from alibi_viz.positions import METHODS
from alibi_viz.retrieval.plan import recall_variant
from alibi_viz.retrieval.records import CopyRecord, RecallRecord, StretchedRecord
from alibi_viz.retrieval.results import recall_curves
from tests.made_up_records import recalled


@pytest.fixture
def stored(tmp_path, monkeypatch):
    for kind in (Record, StretchedRecord, RecallRecord, CopyRecord):
        monkeypatch.setattr(kind, "file", tmp_path / kind.file.name)
    return add_records


@pytest.mark.parametrize("name", ["alibi", "alibi-e16", "rope:yarn-coded", "rope:pi+log-length"])
def test_a_name_is_spelled_as_it_is_read(name):
    assert contender(name).name == name


def test_contenders_are_ordered_by_method_and_none_is_left_out():
    names = measured_names()
    assert len(names) == len(set(names))
    assert set(names) == {
        contender(f"{r.variant}:{r.stretching}").name for r in load_records(RecallRecord)
    }
    methods = [list(METHODS).index(contender(name).method) for name in names]
    assert methods == sorted(methods)


def test_lines_have_the_mean_the_range_and_the_interval_of_the_records():
    chart = RecallChart(("rope", "rope:pi", "alibi"))
    of_pi = [r for r in load_records(RecallRecord) if r.stretching == "pi" and r.variant == "rope"]
    at = [100 * r.accuracy for r in of_pi if r.eval_length == 4096]
    rope, line, alibi = chart.lines
    place = line.lengths.tolist().index(4096)
    assert line.mean[place] == pytest.approx(np.mean(at))
    assert (line.low[place], line.high[place]) == pytest.approx((min(at), max(at)))
    assert line.interval[place, 0] < line.mean[place] < line.interval[place, 1]
    assert (rope.nth, line.nth, alibi.nth) == (0, 1, 0)
    table = chart.table().set_index(["contender", "window, tokens"])
    row = table.loc["RoPE + Position interpolation", 4096]
    assert row["answered rightly, %"] == pytest.approx(np.mean(at))


def test_a_difference_is_in_points_and_above_zero_where_more_is_right(stored):
    stored(
        recalled(name, seed, length, right)
        for name, right in (("alibi", 8), ("nope", 12))
        for seed in (0, 1)
        for length in (128, 2048)
    )
    table = RecallChart(("alibi", "nope")).table().set_index("contender")
    # 12 - 8 of 16 questions; the windows differ by chance only.
    assert table["difference"]["NoPE"].tolist() == [25.0, 25.0]
    assert set(table["beside ALiBi as trained"]["NoPE"]) == {"ahead"}
    assert set(table["beside ALiBi as trained"]["ALiBi"]) == {"level"}


def test_the_sentence_ranks_at_sixteen_times_the_training_length(stored):
    stored(
        recalled(name, seed, length, right)
        for name, right in (("alibi", 8), ("nope", 12), ("rope", 8))
        for seed in (0, 1)
        for length in (128, 2048)
    )
    said = RecallChart(("alibi", "nope", "rope")).sentence()
    assert "windows of 2,048 tokens, 16 times" in said
    assert "NoPE 75 %" in said
    assert said.index("NoPE") < said.index("ALiBi 50 %")
    assert "Unstretched, RoPE is level with ALiBi at 2,048 tokens" in said


def test_charts_follow_records_that_are_added(stored):
    stored([recalled("alibi", 0, length, 8) for length in (128, 2048)])
    assert RecallChart(("alibi",)).lines[0].mean.tolist() == [50, 50]
    stored([recalled("alibi", 0, 4096, 4)])
    assert RecallChart(("alibi",)).lines[0].mean.tolist() == [50, 50, 25]


def test_a_depth_map_counts_the_questions_of_its_part_of_the_window():
    chart = DepthChart(("rope", "nope"))
    records = [
        r
        for r in load_records(RecallRecord)
        if (r.variant, r.stretching, r.eval_length) == ("rope", "as-trained", 1024)
    ]
    right, asked = (
        sum(getattr(r, name)[5] for r in records) for name in ("right_by_depth", "asked_by_depth")
    )
    table = chart.table()
    row = table[
        (table["contender"] == "RoPE")
        & (table["window, tokens"] == 1024)
        & (table["needle from, tokens back"] == 640)
    ].iloc[0]
    assert row["needle to, tokens back"] == 768
    assert row["answered rightly, %"] == pytest.approx(100 * right / asked)
    drawn = chart.figure().data[0]
    assert drawn.z[3, 5] == pytest.approx(100 * right / asked)
    # 94 % there after 32 % nearer: the map is not what a mere loss with distance would be.
    assert "RoPE comes back" in chart.sentence()
    assert "comes back" not in DepthChart(("nope",)).sentence()


def test_who_may_lead_decides_who_leads(stored):
    stored(
        recalled(name, seed, 512, right, stretching)
        for name, stretching, right in (
            ("alibi", "as-trained", 6),
            ("alibi-e16", "as-trained", 10),
            ("rope", "as-trained", 8),
            ("rope", "pi", 14),
        )
        for seed in (0, 1)
    )
    led = {
        among: [one.name for one in TaskMapChart(among).leaders["recall", 512]]
        for among in ("methods", "variants", "stretched")
    }
    assert led == {"methods": ["rope"], "variants": ["alibi-e16"], "stretched": ["rope:pi"]}
    chart = TaskMapChart("methods")
    assert "ALiBi is not among them in recall at 512 tokens" in chart.sentence()
    table = chart.table().set_index("contender")
    assert table["nobody is ahead"].to_dict() == {"ALiBi": False, "RoPE": True}
    assert table["beside ALiBi as trained"]["RoPE"] == "ahead"
    assert chart.figure().layout.annotations[0].text.endswith("50 %</span>")


def own(*accuracies, **fields):
    lengths = (128, 256, 512, 1024)
    points = tuple(
        OwnPoint(length, share, share / 2, (1 + share) / 2)
        for length, share in zip(lengths, accuracies, strict=False)
    )
    return OwnRecall(**{"label": "NoPE", "method": "nope", "seed": 7, "points": points} | fields)


def test_a_record_becomes_a_point_with_the_interval_that_a_measured_line_has(stored):
    right = (16, 8, 12, 16, 11)
    record = RecallRecord("alibi-e10", 3, "as-trained", 256, 16, right, (1,) * 8, (4,) * 8, "")
    made = OwnRecall.of(recall_variant("alibi", max_exponent=10), [record])
    assert (made.label, made.method, made.seed) == ("ALiBi, exponent 10", "alibi", 3)
    stored([record])
    ((low, high),) = recall_curves()[0].intervals
    (point,) = made.points
    assert (point.length, point.accuracy) == (256, 63 / 80)
    assert (point.low, point.high) == pytest.approx((low, high), abs=1e-5)


def test_your_line_is_drawn_with_a_mark_of_its_own_and_told_beside_alibis_seeds():
    chart = RecallChart(("rope",), (own(1.0, 0.0, 1.0),))
    line = next(t for t in chart.figure().data if t.name == "yours, one seed: NoPE")
    assert (line.marker.symbol, line.line.dash) == ("star", "solid")
    assert list(line.x) == [128, 256, 512]
    assert list(line.y) == [100.0, 0.0, 100.0]
    assert list(line.error_y.array) == [0.0, 50.0, 0.0]
    said = chart.sentence()
    assert "Yours, NoPE, is one seed." in said
    assert "range of ALiBi's 5 seeds it is below it at 256 and above it at 512 tokens" in said
    rows = chart.table().query("contender == 'yours, one seed: NoPE'")
    assert rows["answered rightly, %"].tolist() == [100.0, 0.0, 100.0]
    assert set(rows["beside ALiBi as trained"]) == {"not compared"}
    assert "NoPE, seed 7" in chart.state()["yours"]
    assert "yours" in chart.alt()


def test_a_model_that_has_not_learned_the_task_tells_nothing_of_its_method():
    said = RecallChart(("alibi",), (own(0.13, 0.12),)).sentence()
    assert "answers 13 % within its training length: it has not learned the task" in said
    assert "Beside the range" not in said


def test_without_a_model_of_ones_own_nothing_is_said_of_it():
    chart = RecallChart(("alibi",))
    assert "ours, one seed" not in chart.sentence() + chart.alt()
    assert "yours" not in chart.state()
