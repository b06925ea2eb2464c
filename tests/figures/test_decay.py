import math

import numpy as np
import pytest

from alibi_viz.figures import theme
from alibi_viz.figures.distance import (
    OWN_KEY_PLACE,
    READ_BACK_ROUNDING,
    distance_ticks,
    nearest_power,
    slope_text,
)
from alibi_viz.figures.heads.decay import WEIGHT_FLOOR, decay_figure
from alibi_viz.figures.heads.decay_lines import DecayCurves, line_groups, named_heads
from alibi_viz.maths.content import (
    attention_over_draws,
    content_draws,
    distance_grid,
    spread,
)
from alibi_viz.maths.slopes import alibi_slopes

SLOPES = alibi_slopes(3)


def curves(n_key=257, *, length=257, train_length=61, strength=0.0, slopes=SLOPES):
    content = strength * content_draws(n_key, n_draw=11 if strength else 1)
    if not strength:
        content = np.zeros((n_key, 1))
    drawn = attention_over_draws(slopes, content, distance_grid(n_key, 29))
    return DecayCurves(
        slopes, drawn.distances, spread(drawn.weights), spread(drawn.held), length, train_length
    )


def lines(figure, axis):
    return [t for t in figure.data if t.yaxis == axis and t.hoverinfo != "skip"]


def texts(figure):
    return " | ".join(note.text for note in figure.layout.annotations)


def test_every_head_is_drawn_in_both_panels_in_its_colour_with_the_numbers_given():
    data = curves()
    figure = decay_figure(data, chosen=0)
    for axis, values in (("y", data.weights), ("y2", data.held)):
        by_name = {trace.name.split(",")[0]: trace for trace in lines(figure, axis)}
        assert sorted(by_name) == ["head 1", "head 2", "head 3"]
        for head, colour in enumerate(theme.head_colours(3)):
            trace = by_name[f"head {head + 1}"]
            assert trace.line.color == colour
            np.testing.assert_allclose(trace.y, np.maximum(values.median[head], 1e-12), rtol=1e-6)


def test_the_chosen_head_is_the_widest_and_lies_on_top():
    figure = decay_figure(curves(), chosen=1)
    drawn = lines(figure, "y")
    assert drawn[-1].name.startswith("head 2,")
    assert drawn[-1].line.width > max(trace.line.width for trace in drawn[:-1])


def test_many_heads_share_traces_with_their_neighbours_and_none_is_lost():
    slopes = alibi_slopes(64)
    data = curves(slopes=slopes)
    figure = decay_figure(data, chosen=40)
    assert len(figure.data) == 2 * (16 + 3)
    seen = {}
    for trace in lines(figure, "y"):
        for (distance, head), x, y in zip(trace.customdata, trace.x, trace.y, strict=True):
            if not np.isnan(y):
                seen.setdefault(head, []).append((distance, x, y))
    assert sorted(seen) == list(range(1, 65))
    for head, points in seen.items():
        distances, places, weights = np.array(points).T
        assert distances.tolist() == data.distances.tolist()
        assert places[1:].tolist() == data.distances[1:].tolist()
        expected = np.maximum(data.weights.median[head - 1], 1e-12)
        np.testing.assert_allclose(weights, expected, rtol=1e-6)


def test_groups_are_neighbours_in_slope_and_named_heads_are_alone():
    # Interleaved, 40 heads: head 33 is the steepest, the 32nd the flattest.
    slopes = alibi_slopes(40, rule="interleaved")
    groups = line_groups(slopes, [32, 31, 7])
    assert groups[-3:] == [[32], [31], [7]]
    assert sorted(head for group in groups for head in group) == list(range(40))
    assert max(len(group) for group in groups) == 3
    flat = [slopes[head] for group in groups[:-3] for head in group]
    assert flat == sorted(flat, reverse=True)


def test_the_querys_own_key_has_a_place_on_a_logarithmic_axis_and_its_true_distance_in_words():
    figure = decay_figure(curves(), chosen=0)
    trace = figure.data[0]
    assert trace.x[0] == OWN_KEY_PLACE
    assert trace.customdata[0].tolist() == [0, 2]
    assert "distance %{customdata[0]}" in trace.hovertemplate
    assert figure.layout.xaxis.tickvals[0] == OWN_KEY_PLACE
    assert figure.layout.xaxis.ticktext[0] == "0"
    assert decay_figure(curves(), chosen=0, log_distance=False).data[0].x[0] == 0


def test_axes_are_named_with_units_and_as_asked_for():
    figure = decay_figure(curves(), chosen=0, log_distance=True, log_weight=True)
    assert figure.layout.xaxis.title.text == "distance from query to key, tokens"
    assert "weight" in figure.layout.yaxis.title.text
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.range[0] == math.log10(WEIGHT_FLOOR)
    linear = decay_figure(curves(), chosen=0, log_distance=False, log_weight=False)
    assert linear.layout.xaxis.type is None
    assert linear.layout.yaxis.type is None


@pytest.mark.parametrize("length", [2, 512, 16384])
def test_the_distance_axis_ends_with_the_sequence_not_with_the_query(length):
    axis = decay_figure(curves(2, length=length), chosen=0).layout.xaxis
    assert 10 ** axis.range[0] < OWN_KEY_PLACE
    assert length - 1 < 10 ** axis.range[1] < max(1.2 * length, 2.3)


def test_bands_appear_only_where_draws_differ_and_for_named_heads_only():
    assert not [t for t in decay_figure(curves(), chosen=1).data if t.fill]
    slopes = alibi_slopes(7)
    bands = [t for t in decay_figure(curves(strength=2, slopes=slopes), chosen=3).data if t.fill]
    assert len(bands) == 2 * 3


def test_a_band_runs_along_the_high_points_and_back_along_the_low_ones():
    data = curves(strength=2.0)
    band = next(t for t in decay_figure(data, chosen=2).data if t.fill and t.yaxis == "y2")
    half = len(data.distances)
    np.testing.assert_allclose(band.y[:half], data.held.high[0], rtol=1e-6)
    np.testing.assert_allclose(band.y[half:][::-1], data.held.low[0], rtol=1e-6)


def test_distances_beyond_training_are_shaded_and_only_where_there_are_any():
    beyond = decay_figure(curves(train_length=61), chosen=0)
    areas = [shape for shape in beyond.layout.shapes if shape.type == "rect"]
    # 60 is the last distance seen, 61 the first unseen: the edge lies between them.
    assert [area.x0 for area in areas] == [60.5]
    assert "seen in training on 61 tokens" in texts(beyond)
    within = decay_figure(curves(train_length=512), chosen=0)
    assert not within.layout.shapes
    assert "seen" not in texts(within)


def test_an_early_query_is_marked_where_its_keys_end():
    figure = decay_figure(curves(101, length=257), chosen=0)
    assert "no keys: query 100" in texts(figure)
    assert 100 in [shape.x0 for shape in figure.layout.shapes]
    assert "no keys" not in texts(decay_figure(curves(257, length=257), chosen=0))


def test_steepest_flattest_and_chosen_heads_are_named():
    # Interleaved for 12 heads: head 9 is the steepest, head 8 the flattest.
    slopes = alibi_slopes(12, rule="interleaved")
    assert named_heads(slopes, 4) == [8, 7, 4]
    assert named_heads(slopes, 7) == [8, 7]
    assert named_heads(alibi_slopes(1), 0) == [0]


def test_labels_do_not_lie_on_the_chosen_heads():
    # Heads 1 and 2 of 64 halve within a token of each other: only the chosen one is written.
    figure = decay_figure(curves(slopes=alibi_slopes(64)), chosen=1)
    assert "head 2<" in texts(figure)
    assert "head 64<" in texts(figure)
    assert "head 1<" not in texts(figure)


@pytest.mark.parametrize("dark", [False, True])
def test_both_themes_have_their_own_template(dark):
    figure = decay_figure(curves(), chosen=0, dark=dark)
    assert figure.layout.template == theme.template(dark)


@pytest.mark.parametrize(
    ("slope", "text"),
    [
        (0.5, "1/2"),
        (1 / 256, "1/256"),
        (2**-16, "1/65,536"),
        (1 / 3, "0.333"),
        (1.0, "1"),
        (4.0, "4"),
        (0.0, "0"),
        (-0.25, "-0.25"),
    ],
)
def test_slopes_are_fractions_only_where_they_are_one_over_a_power_of_two(slope, text):
    assert slope_text(slope) == text


def test_a_slope_read_back_in_float32_is_the_fraction_that_it_was():
    noisy = float(np.nextafter(np.float32(1 / 8), np.float32(1)))
    assert slope_text(noisy) == "0.125"
    assert slope_text(noisy, READ_BACK_ROUNDING) == "1/8"
    assert slope_text(0.1251, READ_BACK_ROUNDING) == "0.125"


def test_the_nearest_power_is_that_power_or_none():
    assert nearest_power(0.125 * (1 + 3e-5), READ_BACK_ROUNDING) == 0.125
    assert nearest_power(8.0) == 8.0
    assert nearest_power(2**-0.5, READ_BACK_ROUNDING) is None
    assert nearest_power(0.0) is None
    assert nearest_power(-0.25) is None


def test_ticks_are_powers_of_two_and_of_four_where_many():
    assert distance_ticks(9)["ticktext"] == ["0", "1", "2", "4", "8"]
    assert distance_ticks(16384, with_zero=False)["ticktext"][-2:] == ["4,096", "16,384"]
