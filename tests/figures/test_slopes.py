import numpy as np
import pytest

from alibi_viz.figures import theme
from alibi_viz.figures.heads.slopes import MAX_LABELS, slope_ladder_figure
from alibi_viz.maths.slopes import alibi_slopes


def trace(figure, name):
    return next(part for part in figure.data if part.name == name)


@pytest.mark.parametrize("dark", [False, True])
def test_the_ladder_has_a_dot_a_head_in_the_heads_colour(dark):
    slopes = alibi_slopes(5, 10.0)
    dots = trace(slope_ladder_figure(slopes, dark=dark), "slope")
    np.testing.assert_array_equal(dots.x, [1, 2, 3, 4, 5])
    # 2 ** (-10 h / 5): two octaves a head.
    np.testing.assert_allclose(dots.y, [-2, -4, -6, -8, -10])
    assert list(dots.text) == ["1/4", "1/16", "1/64", "1/256", "1/1,024"]
    assert list(dots.marker.color) == list(theme.head_colours(5, dark))


def test_interleaved_heads_keep_their_order_and_take_colours_by_slope():
    slopes = alibi_slopes(3, rule="interleaved")
    # 1/16, 1/256, 1/4: the third head is the steepest.
    dots = trace(slope_ladder_figure(slopes), "slope")
    np.testing.assert_allclose(dots.y, [-4, -8, -2])
    ramp = theme.head_colours(3)
    assert list(dots.marker.color) == [ramp[1], ramp[2], ramp[0]]


def test_the_axes_name_their_quantity_and_unit_and_are_labelled_by_slopes():
    figure = slope_ladder_figure(alibi_slopes(8))
    assert figure.layout.yaxis.title.text == "slope, nats per token of distance"
    assert figure.layout.xaxis.title.text == "head"
    ticks = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert ticks[-3] == "1/8"


def test_the_chosen_head_is_ringed_and_labelled_however_many_there_are():
    figure = slope_ladder_figure(alibi_slopes(61), head=47)
    ring = trace(figure, "chosen head")
    assert list(ring.x) == [47]
    labels = [text for text in trace(figure, "slope").text if text]
    assert len(labels) <= MAX_LABELS + 1
    assert trace(figure, "slope").text[46] != ""


def test_the_other_rule_is_drawn_hollow_under_its_name():
    other = alibi_slopes(6, rule="interleaved")
    figure = slope_ladder_figure(alibi_slopes(6), other=("interleaved", other))
    hollow = trace(figure, "interleaved")
    np.testing.assert_allclose(hollow.y, np.log2(other))
    assert hollow.marker.symbol == "circle-open"
    assert figure.layout.showlegend is True
