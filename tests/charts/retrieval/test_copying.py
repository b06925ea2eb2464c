from dataclasses import replace

import pytest

from alibi_viz.charts.retrieval.copying import CopyChart, measured_copiers
from alibi_viz.evaluation.store import add_records
from alibi_viz.retrieval.records import CopyRecord
from tests.made_up_records import copied

DISTANCES = (24, 128, 512)
GAINS = {"alibi": (1.5, 0.6, 0.1), "t5": (2.0, 1.2, 0.9), "rope": (1.6, 0.5, 0.1)}


@pytest.fixture(autouse=True)
def stored(tmp_path, monkeypatch):
    monkeypatch.setattr(CopyRecord, "file", tmp_path / "copying.json")
    add_records(
        copied(f"{method}-L128", seed, distance, gain + 0.1 * seed)
        for method, gains in GAINS.items()
        for distance, gain in zip(DISTANCES, gains, strict=True)
        for seed in (0, 1)
    )


def test_nothing_is_measured_where_there_is_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(CopyRecord, "file", tmp_path / "none.json")
    assert measured_copiers() == ()
    assert CopyChart().shown == ()


def test_a_line_is_the_mean_gain_of_its_seeds():
    (line,) = CopyChart(("t5",)).lines
    assert line.lengths.tolist() == [24, 128, 512]
    # Seeds 0.1 apart.
    assert line.mean.tolist() == pytest.approx([2.05, 1.25, 0.95])
    assert line.low.tolist() == pytest.approx([2.0, 1.2, 0.9])
    assert (line.interval[:, 0] < line.mean).all()


def test_both_losses_stand_beside_the_gain():
    table = CopyChart(("alibi", "t5")).table().set_index(["contender", "from copy to copy, tokens"])
    row = table.loc["T5 bias", 512]
    assert row["loss, another before"] == pytest.approx(3.0)
    assert row["loss, same snippet before"] == pytest.approx(3.0 - 0.95)
    assert row["gain, nats per token"] == pytest.approx(0.95)
    assert row["difference"] == pytest.approx(0.8)
    assert row["beside ALiBi as trained"] == "ahead"


def test_the_sentence_tells_what_is_left_at_four_times_the_training_length():
    said = CopyChart(("alibi", "t5", "rope")).sentence()
    assert "from 512 tokens away a first copy is worth" in said
    assert "in nats per token: T5 bias 0.95 (2.05 at 24)" in said
    assert "up to 2 seeds" in said


def test_models_of_other_lengths_and_other_texts_are_not_drawn():
    add_records([copied("alibi-L64", 0, 24, 9.0)])
    add_records([replace(copied("prose-alibi-L128", 0, 24, 9.0), text="prose")])
    assert max(line.mean.max() for line in CopyChart(("alibi",)).lines) < 2
    assert measured_copiers() == ("alibi", "rope", "t5")


def test_the_axis_holds_every_range_and_zero():
    figure = CopyChart(("alibi", "t5")).figure()
    low, high = figure.layout.yaxis.range
    assert low < 0
    assert high > 2.1
    assert figure.layout.yaxis.title.text == "gain, nats per token"


def test_a_contender_that_alibi_was_not_measured_beside_is_not_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(CopyRecord, "file", tmp_path / "other.json")
    add_records([copied("t5-L128", 0, distance, 1.0) for distance in DISTANCES])
    assert set(CopyChart(("t5",)).table()["beside ALiBi as trained"]) == {"not compared"}
