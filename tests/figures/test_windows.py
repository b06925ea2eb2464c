import math

import numpy as np
import pytest

from alibi_viz.figures import theme
from alibi_viz.figures.heads.windows import HeadWindows, windows_figure
from alibi_viz.maths.content import Spread
from alibi_viz.maths.slopes import alibi_slopes

MASSES = (0.5, 0.95)


def windows(slopes, median, n_key, low=None, high=None):
    median = np.array(median)
    return HeadWindows(
        slopes,
        MASSES,
        Spread(
            median if low is None else np.array(low),
            median,
            median if high is None else np.array(high),
        ),
        n_key,
    )


def trace(figure, name):
    return next(t for t in figure.data if t.name == name)


def test_heads_run_from_the_steepest_to_the_flattest_with_their_own_numbers_and_colours():
    slopes = np.array([0.25, 0.7, 0.03])
    figure = windows_figure(windows(slopes, [[3, 1, 24], [12, 5, 100]], 512), chosen=0)
    assert list(figure.layout.xaxis.ticktext) == ["2", "1", "3"]
    assert trace(figure, "50%").y.tolist() == [1, 3, 24]
    assert trace(figure, "95%").y.tolist() == [5, 12, 100]
    assert list(trace(figure, "95%").marker.color) == list(theme.head_colours(3))
    assert trace(figure, "95%").customdata[0].startswith("head 2, slope 0.7")


def test_masses_differ_in_symbol_and_are_labelled_at_their_ends_without_touching():
    figure = windows_figure(windows(alibi_slopes(1), [[177], [180]], 200), chosen=0)
    assert trace(figure, "50%").marker.symbol != trace(figure, "95%").marker.symbol
    low, high = (n.y for n in figure.layout.annotations if n.text in ("50%", "95%"))
    ends = figure.layout.yaxis.range
    assert low == pytest.approx(math.log10(177))
    assert (high - low) / (ends[1] - ends[0]) * figure.layout.height >= 15.9


def test_rings_show_unlimited_context_exactly_where_the_sequence_is_too_short_for_it():
    # Closed form at 95 %: 6 tokens at slope 1/2, 767 at 1/256.
    figure = windows_figure(
        windows(np.array([1 / 2, 1 / 256]), [[2, 145], [6, 442]], 512), chosen=0
    )
    ring = trace(figure, "95% in unlimited context")
    assert np.isnan(ring.y[0])
    assert ring.y[1] == 767
    assert ring.marker.symbol.endswith("-open")
    assert 10 ** figure.layout.yaxis.range[1] > 767
    [label] = [note for note in figure.layout.annotations if "if the text went on" in note.text]
    assert (label.x, label.y) == (1, pytest.approx(math.log10(767)))
    enough = windows_figure(windows(np.array([1 / 2]), [[2], [6]], 512), chosen=0)
    assert not [note for note in enough.layout.annotations if "went on" in note.text]


def test_bars_show_the_range_over_draws_of_the_95_percent_window():
    data = windows(
        alibi_slopes(2), [[3, 9], [12, 30]], 64, low=[[1, 8], [10, 22]], high=[[5, 11], [17, 41]]
    )
    bars = next(t for t in windows_figure(data, chosen=0).data if t.mode == "lines")
    np.testing.assert_array_equal(bars.y, [10, 17, np.nan, 22, 41, np.nan])
    still = windows_figure(windows(alibi_slopes(2), [[3, 9], [12, 30]], 64), chosen=0)
    assert not [t for t in still.data if t.mode == "lines"]


def test_the_number_of_keys_is_a_line_and_the_chosen_head_a_column():
    figure = windows_figure(windows(np.array([0.25, 0.7]), [[3, 1], [12, 5]], 257), chosen=0)
    line = next(shape for shape in figure.layout.shapes if shape.type == "line")
    column = next(shape for shape in figure.layout.shapes if shape.type == "rect")
    assert line.y0 == line.y1 == 257
    # Head 1 is the flatter one: it stands second.
    assert column.x0 < 1 < column.x1
    assert "all 257 keys of query 256" in [note.text for note in figure.layout.annotations]


@pytest.mark.parametrize("n_head", [1, 2, 16, 17, 63, 64])
def test_head_ticks_stay_readable_and_include_both_ends(n_head):
    data = windows(alibi_slopes(n_head), np.ones((2, n_head), dtype=int), 8)
    ticks = windows_figure(data, chosen=0).layout.xaxis.ticktext
    assert ticks[0] == "1"
    assert ticks[-1] == str(n_head)
    assert len(ticks) <= 17
