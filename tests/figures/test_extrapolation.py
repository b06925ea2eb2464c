import math
from dataclasses import replace

import numpy as np
import pytest

from alibi_viz.figures import theme
from alibi_viz.figures.labels import value_ticks
from alibi_viz.figures.measured.extrapolation import (
    LABEL_HEIGHT,
    MethodCurve,
    extrapolation_figure,
)


def curve(method, label, points, *, spread=0.0, ends=""):
    values = np.array(list(points.values()), dtype=float)
    return MethodCurve(
        method,
        label,
        np.array(list(points)),
        values,
        values - spread,
        values + spread,
        np.full(len(values), 3 if spread else 1),
        ends=ends,
    )


ALIBI = curve("alibi", "ALiBi", {64: 14.0, 128: 13.0, 512: 12.0, 4096: 12.0}, spread=0.5)
ROPE = curve("rope", "RoPE", {64: 14.5, 128: 13.5, 512: 60.0, 4096: 190.0})
LEARNED = curve("learned", "Learned", {64: 16.0, 128: 15.0}, ends="its table ends here")


def figure(*curves, **options):
    return extrapolation_figure(curves, train_length=128, measure="perplexity per token", **options)


def trace(drawn, name):
    return next(t for t in drawn.data if t.name == name)


def note(drawn, text):
    return next(n for n in drawn.layout.annotations if text in n.text)


def test_each_method_has_its_points_its_colour_and_its_mark():
    for dark in (False, True):
        drawn = figure(ROPE, LEARNED, dark=dark)
        for key, label, points in (("rope", "RoPE", ROPE), ("learned", "Learned", LEARNED)):
            line = trace(drawn, label)
            assert line.x.tolist() == points.lengths.tolist()
            assert line.y.tolist() == points.mean.tolist()
            assert line.line.color == theme.method_colour(key, dark)
            assert line.line.dash == theme.method_style(key).dash
            assert line.marker.symbol == theme.method_style(key).symbol


def test_alibi_lies_on_top_of_all_others():
    assert figure(ALIBI, ROPE, LEARNED).data[-1].name == "ALiBi"


def test_both_axes_are_logarithmic_and_named():
    drawn = figure(ALIBI)
    assert drawn.layout.xaxis.type == drawn.layout.yaxis.type == "log"
    assert drawn.layout.xaxis.title.text.startswith("evaluation window, tokens")
    assert drawn.layout.yaxis.title.text == "perplexity per token"


def test_ticks_are_powers_of_two_times_the_training_length_told_both_ways():
    axis = figure(ALIBI, ROPE).layout.xaxis
    assert axis.ticktext[0] == "64<br>0.5×"
    assert axis.ticktext[1] == "128<br>1×"
    assert axis.ticktext[-1] == "4,096<br>32×"
    assert list(axis.tickvals) == [64, 128, 256, 512, 1024, 2048, 4096]


def test_many_ticks_are_labelled_by_every_second_power_the_training_length_included():
    long = curve("alibi", "ALiBi", {64: 14.0, 128: 13.0, 16384: 12.0})
    axis = figure(long).layout.xaxis
    assert len(axis.tickvals) == 9
    labelled = [text.split("<br>")[1] for text in axis.ticktext if text]
    assert labelled == ["1×", "4×", "16×", "64×"]


def test_windows_longer_than_training_lie_on_a_shaded_ground():
    drawn = figure(ALIBI)
    area = next(shape for shape in drawn.layout.shapes if shape.type == "rect")
    assert area.x0 == 128
    assert area.x1 >= 4096
    assert note(drawn, "trained on 128 tokens").x == pytest.approx(math.log10(128))
    short = figure(curve("alibi", "ALiBi", {64: 14.0, 100: 13.0}))
    assert not [shape for shape in short.layout.shapes if shape.type == "rect"]


def test_a_band_shows_the_range_over_seeds_only_where_there_is_one():
    drawn = figure(ALIBI, ROPE)
    (band,) = [t for t in drawn.data if t.fill]
    assert band.y.tolist() == [14.5, 13.5, 12.5, 12.5, 11.5, 11.5, 12.5, 13.5]
    assert band.fillcolor == theme.with_alpha(theme.method_colour("alibi"), 0.18)
    assert "over 3 seeds" in trace(drawn, "ALiBi").customdata[0]
    assert "seeds" not in trace(drawn, "RoPE").customdata[0]


def test_hovering_tells_tokens_and_the_multiple_of_the_training_length():
    assert trace(figure(ROPE), "RoPE").customdata[2] == "512 tokens (4×)"


def test_lines_are_labelled_at_their_ends_and_labels_do_not_touch():
    close = [
        curve(key, label, {64: 14.0, 4096: value})
        for key, label, value in (("alibi", "ALiBi", 12.0), ("t5", "T5 bias", 12.1))
    ]
    drawn = figure(*close, ROPE)
    places = [note(drawn, label).y for label in ("ALiBi", "T5 bias", "RoPE")]
    ends = drawn.layout.yaxis.range
    pixels = (places[1] - places[0]) / (ends[1] - ends[0]) * (drawn.layout.height - 80)
    assert pixels >= LABEL_HEIGHT - 0.1
    assert places[2] == pytest.approx(math.log10(190))
    assert note(drawn, "RoPE").font.color == theme.method_colour("rope")


def test_a_line_that_ends_early_says_why_where_it_ends():
    label = note(figure(ALIBI, LEARNED), "Learned")
    assert "its table<br>ends here" in label.text
    assert label.x == pytest.approx(math.log10(128))
    assert label.showarrow
    assert label.ay < 0
    assert "RoPE" not in label.text


def test_a_line_that_ends_near_the_right_edge_is_labelled_there_with_room_for_two_lines():
    late = curve("t5", "T5 bias", {64: 14.0, 2048: 50.0}, ends="out of memory")
    near = curve("rope", "RoPE", {64: 14.0, 4096: 51.0})
    drawn = figure(ALIBI, late, near)
    label = note(drawn, "T5 bias")
    assert label.text == "T5 bias:<br>out of memory"
    assert label.xref == "paper"
    assert not label.showarrow
    ends = drawn.layout.yaxis.range
    pixels = (note(drawn, "RoPE").y - label.y) / (ends[1] - ends[0]) * (drawn.layout.height - 80)
    assert pixels >= 1.5 * LABEL_HEIGHT - 0.1


def test_the_value_axis_holds_every_range():
    ends = [10**end for end in figure(ALIBI, ROPE).layout.yaxis.range]
    assert ends[0] < 11.5
    assert ends[1] > 190


@pytest.mark.parametrize(
    ("low", "high"), [(0.9, 15), (10, 200), (17.9, 18.7), (9, 10), (1.2, 4.7), (18, 460), (1, 1.02)]
)
def test_there_are_enough_round_ticks_whatever_the_range(low, high):
    ticks = value_ticks(low, high)
    assert 3 <= len(ticks) <= 10
    assert all(low <= tick <= high for tick in ticks)
    assert all(len(f"{tick:g}") <= 5 for tick in ticks)


def test_a_value_is_found_by_its_length_and_is_none_where_nothing_was_measured():
    assert ROPE.at(512) == 60.0
    assert ROPE.at(511) is None


def test_small_fractions_of_the_training_length_are_not_written():
    lengths = 2 ** np.arange(0, 10)
    values = np.linspace(50.0, 10.0, 10)
    curve = MethodCurve("rope", "RoPE", lengths, values, values, values, np.ones(10, int))
    axis = extrapolation_figure([curve], train_length=64, measure="x", along="context").layout.xaxis
    shown = [text for text in axis.ticktext if text]
    assert shown == ["1", "4", "16", "64<br>1×", "256<br>4×"]
    assert axis.title.text == "context, tokens (× training length)"


@pytest.mark.parametrize(("end", "anchor"), [(128, "left"), (1024, "center")])
def test_a_label_near_the_axis_stands_clear_of_it(end, anchor):
    long = curve("alibi", "ALiBi", {64: 20.0, 16_384: 13.0})
    short = curve("learned", "Learned", {64: 16.0, end: 15.0}, ends="its table ends here")
    notes = figure(long, short).layout.annotations
    (label,) = (note for note in notes if "Learned" in note.text)
    assert label.showarrow
    assert label.xanchor == anchor
    broken = "its table<br>ends here" if anchor == "left" else "its table ends here"
    assert label.text == f"Learned:<br>{broken}"


def test_further_lines_of_a_method_keep_its_colour_and_have_dashes_of_their_own():
    lines = [replace(ROPE, label=f"RoPE {nth}", nth=nth) for nth in range(6)]
    drawn = figure(*lines)
    dashes = [trace(drawn, line.label).line.dash for line in lines]
    assert dashes[0] == theme.method_style("rope").dash
    assert len(set(dashes)) == 6
    assert {trace(drawn, line.label).line.color for line in lines} == {theme.method_colour("rope")}
    strong = [t for t in figure(ALIBI, replace(ALIBI, label="flat", nth=1)).data if not t.fill]
    assert [t.line.width for t in strong] == [1.8, 3.2]


def test_a_linear_axis_has_the_ends_that_it_is_given():
    drawn = figure(ALIBI, ROPE, linear=(0, 200))
    assert drawn.layout.yaxis.type is None
    assert tuple(drawn.layout.yaxis.range) == (0, 200)
    assert note(drawn, "RoPE").y == pytest.approx(190)
    assert "%{y:.4g}" in trace(drawn, "RoPE").hovertemplate


def test_intervals_stand_around_the_means_and_are_told():
    ends = np.array([[13.5, 15.0], [12.0, 13.5], [11.0, 12.25], [11.5, 13.0]])
    line = trace(figure(replace(ALIBI, interval=ends)), "ALiBi")
    assert line.error_y.array.tolist() == [1.0, 0.5, 0.25, 1.0]
    assert line.error_y.arrayminus.tolist() == [0.5, 1.0, 1.0, 0.5]
    assert "95 % interval 11 to 12.25" in line.customdata[2]
    assert trace(figure(ROPE), "RoPE").error_y.array is None


def test_a_long_label_breaks_into_lines_and_takes_their_room():
    named = replace(ROPE, label="RoPE, YaRN with the ramp as coded")
    below = replace(ROPE, label="NTK", mean=ROPE.mean * 0.999)
    drawn = figure(named, below)
    assert note(drawn, "YaRN").text.count("<br>") == 1
    low, high = drawn.layout.yaxis.range
    pixels = (
        (note(drawn, "YaRN").y - note(drawn, "NTK").y) / (high - low) * (drawn.layout.height - 80)
    )
    assert pixels >= 1.5 * LABEL_HEIGHT - 0.1
