"""The summary and the words beside curves of perplexity."""

import numpy as np
import pytest

from alibi_viz.charts.measured.perplexity import ends_of, summary_table
from alibi_viz.figures.measured.extrapolation import MethodCurve


def curve(method, label, points):
    values = np.array(list(points.values()))
    return MethodCurve(
        method, label, np.array(list(points)), values, values, values, np.ones(len(values), int)
    )


def test_only_what_was_read_past_its_training_length_has_a_ratio():
    curves = [
        curve("rope", "RoPE", {64: 14.0, 128: 13.0, 512: 26.0}),
        curve("learned", "Learned", {64: 15.0, 128: 14.0}),
        curve("nope", "NoPE", {512: 20.0}),
    ]
    ratios = summary_table(curves, 128)["at longest / at training length"]
    assert ratios[0] == pytest.approx(2.0)
    assert ratios[1:].isna().all()


def test_the_words_of_a_chart_name_where_each_line_begins_and_ends():
    shown = [curve("rope", "RoPE", {128: 19.6, 512: 40.0})]
    assert ends_of(shown) == "RoPE from 19.6 at 128 to 40 at 512 tokens"
