"""Loss of stretched models by position, taken from the committed records."""

import json
import math

import pytest

from alibi_viz.charts.measured.stretched_position import StretchedPositionChart
from alibi_viz.retrieval.records import StretchedRecord


def bands(stretching, window, seed, method="rope"):
    rows = json.loads(StretchedRecord.file.read_text())["records"]
    (row,) = (
        row
        for row in rows
        if (row["method"], row["stretching"], row["seed"]) == (method, stretching, seed)
        and (row["eval_length"], row["protocol"], row["tuned_length"])
        == (window, "nonoverlapping", 0)
    )
    return row["bands"]


def test_a_point_is_the_mean_loss_of_a_band_over_the_seeds():
    line = next(c for c in StretchedPositionChart(("ntk",)).curves if "NTK" in c.label)
    place = line.lengths.tolist().index(862)  # sqrt(725 * 1,024)
    losses = [bands("ntk", 1024, seed)[-1] for seed in range(3)]
    assert [loss[:2] for loss in losses] == [[725, 1024]] * 3
    assert line.mean[place] == pytest.approx(math.exp(sum(loss[3] for loss in losses) / 3))
    assert line.high[place] == pytest.approx(math.exp(max(loss[3] for loss in losses)))
    assert line.n_seed[place] == 3


def test_bands_with_few_tokens_are_left_out():
    (line, *_) = StretchedPositionChart(("ntk",), window=4096).curves
    few = [band for band in bands("ntk", 4096, 0) if band[2] < 200]
    assert few
    assert line.lengths[0] > few[-1][0]


def test_every_line_reads_the_same_window_at_its_own_scale():
    curves = {c.label: c for c in StretchedPositionChart(("pi",), window=512).curves}
    assert set(curves) == {"RoPE", "▽ PI"}
    # Interpolation moves every position: it costs where plain RoPE has none to pay.
    assert curves["▽ PI"].at(109) > 2 * curves["RoPE"].at(109)
    assert curves["▽ PI"].at(431) < curves["RoPE"].at(431)


def test_the_sentence_sets_each_line_beside_alibi_on_the_same_tokens():
    said = StretchedPositionChart(("ntk", "slopes-ntk")).sentence()
    ends = [
        bands("ntk", 1024, seed)[-1][3] - bands("as-trained", 1024, seed, "alibi")[-1][3]
        for seed in range(3)
    ]
    ratio = math.exp(sum(ends) / 3)
    assert f"and {ratio:.2f}× at 862 (up to 1.1× as far as 305)" in said
    assert "ALiBi" not in StretchedPositionChart(("ntk",)).sentence()


def test_a_window_that_was_not_measured_is_refused():
    with pytest.raises(ValueError, match=r"window must be one of \(256, .*4096\), got 128"):
        StretchedPositionChart(window=128)
