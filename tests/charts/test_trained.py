from dataclasses import replace

import numpy as np
import pytest

from alibi_viz.charts.trained.maps import AttentionMapChart, DifferenceMapChart
from alibi_viz.charts.trained.measures import DistancesChart, TextLossChart, attention_sentence
from alibi_viz.charts.trained.run import HeadOfRun, Run, theory_of
from alibi_viz.inspection.text.capture import Overview
from alibi_viz.inspection.text.samples import FUNCTION, sample_text
from alibi_viz.inspection.text.what_if import Change

RUN = Run(sample="one line")


def with_measures(measures, slopes, length=131):
    """A run whose heads are said to have such measures and slopes."""
    capture = replace(RUN.capture, slopes=slopes, tokens=RUN.capture.tokens[:1] * length)
    return replace(RUN, seen=capture, glance=Overview(np.zeros((1, 2, 3, 3)), measures))


def test_what_a_page_has_seen_is_no_part_of_the_value():
    seen = replace(RUN, seen=RUN.capture, glance=RUN.overview)
    assert seen == RUN
    assert hash(seen) == hash(RUN)
    assert "Capture" not in repr(seen)
    assert "seen" not in AttentionMapChart(HeadOfRun(seen)).program()


def test_a_page_s_capture_is_what_is_drawn():
    halved = Run(sample="one line", change=Change(scale=0.5)).capture
    chart = AttentionMapChart(HeadOfRun(replace(RUN, seen=halved), 1, 1), "position")
    drawn = -1.0 * np.tril(np.subtract.outer(range(halved.length), range(halved.length)))
    table = chart.table()
    np.testing.assert_allclose(
        table["position, nats"], drawn[table["query"], table["key"]] * 0.25, atol=1e-5
    )


def test_a_name_says_which_text_is_read():
    assert Run(sample="short function").content == FUNCTION
    assert Run(sample="your own", text="x = 1").content == "x = 1"
    # A text of the visitor's own that is called like one at hand.
    assert Run(sample="one line", text="x = 1").content == "x = 1"
    assert sample_text("512 tokens of code") == Run(sample="512 tokens of code").content
    with pytest.raises(ValueError, match=r"text must be one of short function, .* got 'nowhere'"):
        sample_text("nowhere")


def test_the_map_of_positions_takes_its_whole_range():
    chart = AttentionMapChart(HeadOfRun(Run(sample="512 tokens of code"), 1, 1), "position")
    (drawn,) = [trace for trace in chart.figure().data if trace.type == "heatmap"]
    # Slope 1/2 over 511 tokens.
    assert (drawn.zmin, drawn.zmax) == (-255.5, 0)


def test_a_head_that_follows_its_slope_is_not_said_to_look_further():
    slopes = np.array([[0.5, 0.125]])
    run = with_measures(theory_of(slopes, 131), slopes)
    assert "none of the 2 heads looks further" in attention_sentence(run)


def test_a_head_that_looks_further_is_named_with_both_windows():
    flatter = theory_of(np.array([[0.5, 0.03125]]), 131)
    sentence = attention_sentence(with_measures(flatter, np.array([[0.5, 0.125]])))
    assert sentence.startswith("1 of 2 heads looks further than the slope alone would")
    assert "most of all layer 1, head 2" in sentence
    assert "where slope 1/8 alone needs" in sentence


def test_the_words_of_the_weights_by_distance_hold_both_ends_of_every_line():
    chart = DistancesChart((HeadOfRun(RUN, 1, 2),))
    table, alt = chart.table(), chart.alt()
    for name in ("measured", "slope alone"):
        ends = table[name].iloc[[0, -1]]
        assert f"{name} from {ends.iloc[0]:.2g} at distance 0 to {ends.iloc[1]:.2g} at" in alt


def test_one_token_has_no_loss_to_change():
    run = Run(sample="your own", text="x", change=Change(scale=0.5))
    assert "one token predicts nothing" in TextLossChart(run).sentence()
    np.testing.assert_allclose(run.capture.slopes, run.unchanged().capture.slopes / 2)
    assert theory_of(run.capture.slopes, 1).window.tolist() == [[1] * 8] * 4


def test_the_last_target_of_a_training_window_counts_as_trained():
    # 40 tokens: 39 are predicted, 32 of them from at most 32 tokens as in training.
    capture = RUN.capture
    tokens = (capture.tokens * 2)[:40]
    before = replace(RUN, seen=replace(capture, tokens=tokens, nll=np.zeros(39, np.float32)))
    cost = np.where(np.arange(39) < 32, 1, 3).astype(np.float32)
    after = replace(RUN, seen=replace(capture, tokens=tokens, nll=cost))
    sentence = TextLossChart(after, before, 32).sentence()
    assert "+1.000 on the first 32 predicted tokens, +3.000 on the 7 beyond" in sentence
    assert "beyond" not in TextLossChart(after, before, 39).sentence()


def test_the_share_that_moved_stands_in_the_sentence_of_a_difference():
    same = DifferenceMapChart(HeadOfRun(RUN, 1, 1), HeadOfRun(RUN, 1, 1))
    assert same.sentence() == "the two put 0 % of a query's attention on different keys."
    other = HeadOfRun(replace(RUN, sample="your own", text="x = 1"), 1, 1)
    assert "no common axes" in DifferenceMapChart(HeadOfRun(RUN, 1, 1), other).sentence()
