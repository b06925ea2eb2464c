import numpy as np
import pytest

from alibi_viz.charts.decay import MASSES, DecayChart, WindowsChart

# Exponent 2 over two heads: slopes 1/2 and 1/4; head 1 halves its weight every ln 2 / 0.5 = 1.386.
SLOPES = np.array([0.5, 0.25])
CHART = DecayChart(heads=2, exponent=2.0, length=7, head=2, query=6, train_length=3)


def test_at_equal_content_every_share_is_that_of_a_geometric_series():
    weights = np.exp(-np.outer(SLOPES, np.arange(7)))
    weights /= weights.sum(1, keepdims=True)
    summary = CHART.summary
    assert summary.n_key == 7
    assert summary.weights.median == pytest.approx(weights[:, summary.distances])
    assert summary.held_within(3) == pytest.approx(weights[:, :3].sum(1))
    least = [np.argmax(weights.cumsum(1) >= mass, axis=1) + 1 for mass in MASSES]
    assert summary.windows.median.tolist() == np.array(least).tolist()


def test_the_sentence_names_the_steepest_head_the_flattest_and_what_training_never_had():
    said = CHART.sentence()
    assert said.startswith("head 1 halves its weight every 1.4 tokens and holds 95 % of its ")
    assert "; head 2 halves it every 2.8 tokens" in said
    assert "2 of 2 heads put 1 % or more of the attention on distances that training on 3" in said
    within = DecayChart(heads=2, exponent=2.0, length=7, head=1, query=6, train_length=7)
    assert within.sentence().endswith(
        "Every distance of this query occurs in training on 7 tokens."
    )


def test_a_content_of_one_nat_makes_up_for_one_over_the_slope():
    said = DecayChart(heads=2, exponent=2.0, length=7, head=1, query=6, content=1.0).sentence()
    assert "makes up for 2 tokens of distance in head 1, 4 tokens in head 2." in said


def test_the_table_of_heads_has_a_row_a_head_and_the_words_name_its_numbers():
    table = CHART.heads_table()
    assert table["head"].tolist() == [1, 2]
    windows = table["95% window here, tokens"]
    ends = f"from {windows.min()} to {windows.max()} of 7 keys"
    assert ends in CHART.windows().alt()
    assert ends in CHART.windows().sentence()
    assert "2 heads with slopes from 0.5 to 0.25 nats per token" in CHART.alt()


def test_the_file_of_the_curves_has_true_distances_on_either_axis():
    for log_distance in (True, False):
        chart = DecayChart(
            heads=2, exponent=2.0, length=7, head=1, query=6, log_distance=log_distance
        )
        table = chart.table()
        assert table["distance, tokens"].tolist() == [0, 1, 2, 3, 4, 5, 6] * 2
        own = table[table["distance, tokens"] == 0]
        assert own["attention weight"].tolist() == own["share up to there"].tolist()


def test_the_file_of_drawn_curves_has_their_ranges():
    table = DecayChart(heads=2, length=11, head=1, query=10, content=2.0).table()
    low, high = table["attention weight, 10 %"], table["attention weight, 90 %"]
    assert (low < table["attention weight"]).all()
    assert (table["attention weight"] < high).all()


def test_the_windows_are_those_of_the_same_query():
    windows = DecayChart(heads=3, length=13, head=2, query=5, content=0.5).windows()
    assert windows == WindowsChart(heads=3, length=13, head=2, query=5, content=0.5)


def test_what_visitors_share_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        CHART.summary.weights.median[0, 0] = 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"query": 7}, "query must be from 0 to 6, got 7"),
        ({"query": -1}, "query must be from 0 to 6, got -1"),
        ({"query": 6, "head": 9}, "head must be from 1 to 8, got 9"),
    ],
)
def test_a_query_or_a_head_that_there_is_not_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        DecayChart(length=7, **fields)
