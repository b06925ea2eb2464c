"""Figures of the page "Where position enters": on their data, axes and colours."""

import numpy as np
import pytest
from plotly.colors import sample_colorscale, unlabel_rgb

from alibi_viz.figures import theme
from alibi_viz.figures.heads.offsets import OffsetCurves, offsets_figure
from alibi_viz.figures.methods.effect import effect_figure, logit_map_figure
from alibi_viz.figures.methods.novelty import novelty_figure
from alibi_viz.figures.methods.pipeline import Step, pipeline_figure
from alibi_viz.figures.methods.precision import by_head_figure, rounded_weights_figure
from alibi_viz.figures.panels import Panel, number_text, panels_figure
from alibi_viz.positions.novelty import Novelty


def traced(trace):
    return list(zip(trace.x, trace.y, strict=True))


BOTH = pytest.mark.parametrize("dark", [False, True])


@BOTH
def test_the_place_where_a_method_acts_has_its_colour_and_no_other_has(dark):
    steps = (Step("one", "a"), Step("two", "b", acts=True), Step("three", "c", is_shown=True))
    figure = pipeline_figure(steps, method="rope", dark=dark)
    boxes = [shape for shape in figure.layout.shapes if shape.line.width]
    colours = [box.line.color for box in boxes]
    lit = theme.method_colour("rope", dark)
    assert colours == [theme.surface(dark).grid, lit, theme.surface(dark).grid]
    texts = " ".join(text.text or "" for text in figure.layout.annotations)
    assert all(f"<b>{step.name}</b>" in texts for step in steps)


def test_the_note_stands_where_no_step_is_lit():
    figure = pipeline_figure((Step("one", "a"),), method="nope", note="nowhere")
    assert figure.layout.annotations[-1].text == "nowhere"
    assert figure.layout.annotations[-1].font.color == theme.method_colour("nope")


def test_numbers_are_short_and_never_a_negative_zero():
    assert number_text(np.array([[0.004, -0.004, np.nan]])).tolist() == [["0.004", "−0.004", ""]]
    assert number_text(np.array([[-0.001, 12.346]])).tolist() == [["0.00", "12.35"]]


@BOTH
def test_panels_write_their_numbers_and_hatch_what_is_masked(dark):
    values = np.array([[1.0, np.nan, np.nan], [2.0, 3.0, np.nan]])
    panels = [
        Panel("first", values, ("a", "a"), ("x", "y", "x")),
        Panel("second", np.zeros((2, 5)), ("a", "b"), tuple("vwxyz"), (-1, 1), is_difference=True),
    ]
    figure = panels_figure(panels, dark=dark)
    first, second = [trace for trace in figure.data if trace.type == "heatmap"]
    numbers = next(trace for trace in figure.data if trace.name == "numbers")
    assert numbers.text.tolist() == ["1.00", "2.00", "3.00"]
    assert traced(numbers) == [(0, 0), (0, 1), (1, 1)]
    # The lowest cell is dark, the highest bright.
    assert numbers.textfont.color[0] == theme.LIGHT.background
    assert numbers.textfont.color[2] == theme.LIGHT.text
    assert first.colorscale[-1][1] == theme.map_stops()[-1]
    assert second.colorscale[5][1] == theme.difference_stops(dark)[5]
    assert (second.zmin, second.zmax) == (-1, 1)
    hatches = [trace for trace in figure.data if trace.name == "masked"]
    assert [(min(trace.x), max(trace.x)) for trace in hatches] == [(0.5, 2.5), (1.5, 2.5)]
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert figure.layout.xaxis.ticktext == ("x", "y", "x")


@BOTH
@pytest.mark.parametrize("is_difference", [False, True])
def test_every_number_in_a_cell_has_contrast(dark, is_difference):
    values = np.linspace(-1, 1, 35).reshape(5, 7)
    panel = Panel("p", values, "abcde", "abcdefg", (-1, 1), is_difference=is_difference)
    heat, numbers = panels_figure([panel], dark=dark).data
    cells = sample_colorscale(
        [colour for _, colour in heat.colorscale], ((values.ravel() + 1) / 2).tolist()
    )
    for cell, ink in zip(cells, numbers.textfont.color, strict=True):
        red, green, blue = (round(part) for part in unlabel_rgb(cell))
        backing = theme.luminance(f"#{red:02x}{green:02x}{blue:02x}")
        light, low = sorted([backing, theme.luminance(ink)], reverse=True)
        # Small text wants 4.5; the middle of a ramp gives either ink this much.
        assert (light + 0.05) / (low + 0.05) >= 4.0


def test_panels_stand_in_rows_from_the_top():
    panel = Panel("p", np.ones((2, 2)), ("a", "b"), ("a", "b"))
    layout = panels_figure([panel] * 3, across=2).layout
    assert layout.yaxis.domain[0] > layout.yaxis3.domain[1]
    assert layout.xaxis2.domain[0] > layout.xaxis.domain[1]


def effect(method, mean, spread=None, train_length=3):
    return effect_figure(
        mean, spread, method=method, train_length=train_length, eval_length=mean.shape[1]
    )


def test_heads_have_the_ramp_and_a_single_line_the_methods_colour():
    several = effect("alibi", -np.outer([0.5, 0.25, 0.125], np.arange(5)))
    assert [line.line.color for line in several.data] == list(theme.head_colours(3))
    assert several.data[1].y.tolist() == [0.0, -0.25, -0.5, -0.75, -1.0]
    [single] = effect("rope", np.ones((1, 5))).data
    assert single.line.color == theme.method_colour("rope")


def test_axes_carry_units_and_training_is_marked_only_where_it_ends():
    figure = effect("rope", np.ones((1, 5)))
    assert figure.layout.xaxis.title.text == "distance from query to key, tokens"
    assert figure.layout.yaxis.title.text == "logit, nats"
    assert figure.layout.shapes[0].x0 == 2.5
    assert not effect("rope", np.ones((1, 5)), train_length=5).layout.shapes


def test_a_spread_over_queries_is_a_band_below_the_line():
    mean = np.zeros((1, 3))
    band, line = effect("learned", mean, (mean - 1, mean + 2)).data
    assert band.y.tolist() == [2, 2, 2, -1, -1, -1]
    assert line.y.tolist() == [0, 0, 0]


def test_the_map_hatches_exactly_the_future():
    matrix = np.tril(np.ones((3, 3)))
    matrix[np.triu_indices(3, 1)] = np.nan
    figure = logit_map_figure(matrix, np.array([0, 2, 4]), train_length=3)
    heat, future = figure.data
    assert heat.z.shape == (3, 3)
    assert traced(future) == [(5, -1), (1, -1), (1, 1), (3, 1), (3, 3), (5, 3)]
    assert figure.layout.yaxis.range == (5, -1)
    assert figure.layout.shapes[0].y0 == 2.5


def test_the_map_hatches_the_past_and_nothing_where_all_is_seen():
    upper = np.triu(np.ones((3, 3)))
    upper[np.tril_indices(3, -1)] = np.nan
    _, past = logit_map_figure(upper, np.arange(3), train_length=None).data
    assert traced(past) == [
        (-0.5, 2.5),
        (-0.5, 0.5),
        (0.5, 0.5),
        (0.5, 1.5),
        (1.5, 1.5),
        (1.5, 2.5),
    ]
    assert len(logit_map_figure(np.ones((3, 3)), np.arange(3), train_length=None).data) == 1


def test_the_map_says_where_a_table_has_no_row():
    matrix = np.tril(np.ones((4, 4)))
    matrix[np.triu_indices(4, 1)] = np.nan
    matrix[2:] = np.nan
    figure = logit_map_figure(matrix, np.arange(4), train_length=2)
    missing = figure.data[-1]
    assert (min(missing.y), max(missing.y)) == (1.5, 3.5)
    assert "no row in the table" in [text.text for text in figure.layout.annotations]


def novelty(part, unit, seen, met, lowest, ends, *, is_log=False):
    return Novelty(part, unit, seen, met, lowest, ends, told="", news="", is_log=is_log)


@BOTH
def test_bars_are_solid_as_far_as_training_went_and_hatched_beyond(dark):
    ends = np.array([2.0, 1.0, 3.0]), np.array([5.0, 1.0, np.nan])
    reach = novelty("head", "penalty, nats", *ends, np.full(3, 0.5), (0.1, 10.0), is_log=True)
    seen, new = novelty_figure(reach, method="alibi", dark=dark).data
    assert seen.base.tolist() == [0.5, 0.5, 0.5]
    assert seen.x.tolist() == [1.5, 0.5, 2.5]
    np.testing.assert_array_equal(new.x, [3.0, np.nan, np.nan])
    assert new.marker.pattern.shape == "/"
    assert new.marker.line.color == theme.method_colour("alibi", dark)


def test_many_thin_bars_are_light_instead_of_hatched():
    many = np.ones(64)
    reach = novelty("pair", "turns", many / 2, many, many * 0, (0.0, 1.0))
    seen, new = novelty_figure(reach, method="sinusoidal").data
    assert new.marker.pattern.shape is None
    assert new.marker.color == theme.with_alpha(theme.method_colour("sinusoidal"), 0.5)
    assert seen.marker.color == theme.LIGHT.muted


def test_the_axis_of_bars_is_logarithmic_where_asked_and_carries_the_unit():
    one = np.ones(1)
    for is_log, kind in ((True, "log"), (False, "linear")):
        reach = novelty("pair", "turns", one, one, one / 2, (0.1, 1.0), is_log=is_log)
        figure = novelty_figure(reach, method="rope")
        assert figure.layout.xaxis.type == kind
        assert figure.layout.xaxis.range[0] == (-1 if is_log else 0.1)
        assert figure.layout.xaxis.title.text == "turns"
        assert not figure.data[1].showlegend


def test_offsets_are_drawn_where_they_are_not_masked_with_the_chosen_one_on_top():
    bias = np.array([[-2.0, -1.0, 0.0, -np.inf, -np.inf], [-np.inf, -np.inf, 0.0, -0.5, -1.0]])
    weights = np.array([[0.1, 0.2, 0.7, 0, 0], [0, 0, 0.6, 0.3, 0.1]])
    curves = OffsetCurves(
        ("head 1, a", "head 2, b"), np.array([1.0, 0.5]), np.arange(-2, 3), bias, weights, None
    )
    figure = offsets_figure(curves, chosen=0)
    assert [line.name for line in figure.data[:2]] == ["head 2, b", "head 1, a"]
    np.testing.assert_array_equal(figure.data[1].y, [-2, -1, 0, np.nan, np.nan])
    np.testing.assert_array_equal(figure.data[3].y[2:], np.float32([0.7, np.nan, np.nan]))
    assert figure.data[1].line.color == theme.head_colours(2)[0]
    assert figure.data[1].line.width > figure.data[0].line.width
    assert figure.layout.xaxis.range == (-2.06, 2.06)
    words = [text.text for text in figure.layout.annotations]
    assert words == ["<b>head 1, a</b>", "head 1: masked, −∞"]


def test_no_room_is_left_for_a_future_that_nobody_sees():
    bias = np.array([[-2.0, -1.0, 0.0, -np.inf, -np.inf]])
    curves = OffsetCurves(("h",), np.ones(1), np.arange(-2, 3), bias, np.exp(bias), None)
    figure = offsets_figure(curves, chosen=0)
    assert figure.layout.xaxis.range == (-2.06, 0.16)
    assert [text.text for text in figure.layout.annotations] == ["<b>h</b>"]


def test_the_plain_form_lies_dashed_below():
    flat = np.zeros((1, 3))
    curves = OffsetCurves(("h",), np.ones(1), np.arange(-1, 2), flat, flat, (flat[0], flat[0]))
    figure = offsets_figure(curves, chosen=0)
    assert [line.line.dash for line in figure.data] == ["dash", None, "dash", None]
    assert figure.layout.annotations[0].text == "plain ALiBi"


@BOTH
def test_number_types_differ_in_more_than_colour(dark):
    curves = {name: np.array([1.0, 0.0]) for name in ("float32", "bfloat16", "float16")}
    figure = by_head_figure(curves, label="moved, %", chosen=1, dark=dark)
    assert len({line.line.dash for line in figure.data}) == 3
    assert len({line.marker.symbol for line in figure.data}) == 3
    assert figure.data[0].y[1] == 1e-8
    assert figure.layout.yaxis.title.text == "moved, %"
    assert figure.layout.shapes[0].x0 == 2


def test_rounded_weights_lie_on_the_exact_ones():
    exact = np.array([0.6, 0.4])
    figure = rounded_weights_figure(exact, {"bfloat16": np.array([0.5, 0.5])})
    assert [line.name for line in figure.data] == ["exact", "bfloat16"]
    assert figure.data[1].y.tolist() == [0.5, 0.5]
    assert figure.layout.xaxis.title.text == "distance from query to key, tokens"
