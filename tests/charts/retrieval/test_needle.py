import numpy as np
import pytest

from alibi_viz.charts.retrieval.middle import MiddleChart
from alibi_viz.charts.retrieval.needle import NeedleChart, NeedleKeysChart, offered_models
from alibi_viz.charts.retrieval.recall import depth_map
from alibi_viz.maths.needle import needle_weight
from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.retrieval.needles import asked_window
from alibi_viz.retrieval.plan import RECALL_VARIANTS
from alibi_viz.retrieval.recall import question_attention
from alibi_viz.retrieval.recall_cli import recall_folder


def test_every_kind_of_recall_model_is_offered():
    assert offered_models() == tuple(RECALL_VARIANTS)


def test_the_price_is_slope_times_distance_and_half_needs_price_and_rivals():
    table = NeedleChart(distance=300).table()
    slopes = table["slope, nats/token"].to_numpy()
    np.testing.assert_allclose(slopes, [2.0**-head for head in range(1, 9)])
    np.testing.assert_allclose(table["price, nats"], 300 * slopes, rtol=1e-5)
    for slope, needed in zip(slopes, table["content for half the attention, nats"], strict=True):
        assert needle_weight(float(needed), float(slope), 300, 512) == pytest.approx(0.5, abs=1e-4)


def test_the_attention_is_that_of_the_model():
    chart = NeedleKeysChart("t5", 256, 77, "green", 5)
    model = load_checkpoint(recall_folder("t5", 0))[0]
    window = asked_window(1, 4, distance=77, length=256)
    weights = question_attention(model, window)[0, :, 0, ::-1]
    head = int(weights[:, 77].argmax())
    table = chart.table()
    np.testing.assert_allclose(table["attention"], weights[head], atol=1e-6)
    assert table["token"][77] == "green 5"
    assert table["token"][0] == "green?"
    assert (table["token"] != "filler").sum() == 5
    assert chart.title.startswith(f"Where head {head + 1} looks")


def test_an_answer_is_right_near_by_and_wrong_from_afar():
    near, far = NeedleChart(distance=100), NeedleChart(length=8192, distance=8000)
    assert near.answer[0] == 3
    assert "which is right" in near.sentence()
    assert far.answer[1] < 0.9
    assert far.found.weights[:, 8000].max() < 1e-3


def test_heads_are_drawn_with_price_rivals_and_content():
    figure = NeedleChart(distance=300).figure()
    names = [trace.name for trace in figure.data]
    assert names == [
        "attention on the needle",
        "price of the distance",
        "all other keys together",
        "content that the needle has",
    ]
    table = NeedleChart(distance=300).table()
    price, rivals = figure.data[1].y, figure.data[2].y
    np.testing.assert_allclose(price + rivals, table["content for half the attention, nats"])
    # 150 nats of the steepest head stand above the axis, as a number.
    assert "↑ 150" in [note.text for note in figure.layout.annotations]
    assert len(NeedleChart("rope").figure().data) == 1


def test_the_keys_of_a_head_are_filler_and_four_named_needles():
    figure = NeedleKeysChart().figure()
    (star,) = [trace for trace in figure.data if trace.name == "red 3"]
    assert star.x == (200,)
    assert star.y[0] == pytest.approx(NeedleChart().found.weights[6, 200])
    assert len(figure.data) == 2 + 4
    assert len(NeedleKeysChart("rope").figure().data) == 1 + 4


def test_ours_begin_where_the_input_does_and_end_at_the_question():
    chart = MiddleChart(("alibi",), 1024)
    (line,) = chart.ours
    found = depth_map("alibi")
    row = found.accuracy[found.lengths.index(1024)]
    np.testing.assert_allclose(line.shares, row[::-1])
    assert line.shares[-1] > 0.99 > line.shares[0]
    assert "None of ours is such a U" in chart.sentence()
    assert "than at the end with every seed: ALiBi" in chart.sentence()


def test_the_papers_numbers_and_spans_stand_beside_ours():
    chart = MiddleChart()
    table = chart.table().set_index("model")
    mpt = table.loc["MPT-30B-Instruct (ALiBi)"]
    assert mpt["answered rightly, %"].tolist() == pytest.approx([53.7, 51.8, 52.2, 52.7, 56.3])
    # Wilson's interval of 2,655 questions is about two points to each side.
    assert (mpt["to"] - mpt["from"]).tolist() == pytest.approx([3.8] * 5, abs=0.1)
    said = chart.sentence()
    assert "MPT-30B-Instruct (ALiBi) 4.5" in said
    assert "GPT-3.5-Turbo 22.0" in said
    drawn = [trace.name for trace in chart.figure().data if trace.name]
    assert "Claude-1.3 (100K)" not in drawn
    assert "Claude-1.3 (100K)" in table.index
