import math

import numpy as np
import pytest

from alibi_viz.figures import theme
from alibi_viz.figures.trained.inspection import (
    DistanceCurve,
    MeasuredWindows,
    binned_by_octave,
    by_distance_figure,
    measured_windows_figure,
)
from alibi_viz.figures.trained.text_loss import TextLoss, mean_by_part, text_loss_figure

SLOPES = np.array([[1 / 2, 1 / 8, 1 / 32], [1 / 2, 1 / 8, 1 / 32]])
MEASURED = np.array([[7.0, 20.0, 61.0], [5.0, 33.0, 50.0]])
THEORY = np.array([[6.0, 22.0, 59.0], [6.0, 22.0, 59.0]])


def windows(**given):
    values = {"slopes": SLOPES, "theory": THEORY, "mass": 0.95, "length": 127, **given}
    return MeasuredWindows(MEASURED, **values)


def test_bins_hold_every_distance_once_and_average_it():
    values = np.arange(131.0) ** 2
    distances, means = binned_by_octave(values)
    assert distances[:17].tolist() == list(range(17))
    # 16 parts an octave: two distances a bin from 32 on, four from 64.
    assert means[32] == (32**2 + 33**2) / 2
    assert means[48] == sum(d**2 for d in (64, 65, 66, 67)) / 4
    widths = np.diff([*np.unique(np.concatenate([[0], distances])), 131])
    assert widths.min() > 0
    counts = np.ones_like(means)
    counts[32:48], counts[48:] = 2, 4
    counts[-1] = 131 - counts[:-1].sum()
    assert (means * counts).sum() == pytest.approx(values.sum(), rel=1e-12)


def test_the_decay_of_a_slope_is_a_dashed_line_and_the_measured_one_solid():
    curves = [
        DistanceCurve("measured", np.array([0.5, 0.3, 0.0, 0.2]), "#123456"),
        DistanceCurve("slope alone", np.array([0.4, 0.3, 0.2, 0.1]), "#654321", False),
    ]
    figure = by_distance_figure(curves)
    assert [trace.line.dash for trace in figure.data] == ["solid", "dash"]
    assert [trace.name for trace in figure.data] == ["measured", "slope alone"]
    # Distance 0 has no place on a logarithmic axis and stands at one half.
    assert figure.data[0].x.tolist() == [0.5, 1, 2, 3]
    np.testing.assert_allclose(figure.data[1].y, [0.4, 0.3, 0.2, 0.1], rtol=1e-6)
    assert math.isnan(figure.data[0].y[2])
    assert figure.layout.xaxis.title.text == "distance from query to key, tokens"
    assert figure.layout.yaxis.type == figure.layout.xaxis.type == "log"
    assert 10 ** figure.layout.yaxis.range[0] <= 0.2


def test_each_head_is_one_dot_in_the_colour_of_its_slope():
    figure = measured_windows_figure(windows(), chosen=(1, 1))
    dots = next(trace for trace in figure.data if trace.text is not None)
    assert dots.y.tolist() == MEASURED.ravel().tolist()
    assert list(dots.marker.color) == 2 * list(theme.head_colours(3))
    # Layers are moved apart by six percent each way, so that equal theory does not hide a dot.
    np.testing.assert_allclose(dots.x, THEORY.ravel(), rtol=0.065)
    assert "layer 2, head 2: 33 tokens<br>slope 1/8 alone: 22 tokens" in dots.text


def test_the_line_of_equal_windows_is_the_identity_on_equal_axes():
    figure = measured_windows_figure(windows(), chosen=(0, 0))
    line = figure.data[0]
    assert line.x == line.y
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"


def test_the_chosen_head_is_ringed_and_named():
    figure = measured_windows_figure(windows(), chosen=(1, 1))
    ring = figure.data[-1]
    assert ring.marker.symbol == "circle-open"
    assert ring.y == (33.0,)
    assert "layer 2, head 2" in [note.text for note in figure.layout.annotations]


def test_a_slope_read_back_in_float32_is_named_as_in_the_titles():
    noisy = np.nextafter(SLOPES.astype(np.float32), np.float32(1)).astype(np.float64)
    dots = measured_windows_figure(windows(slopes=noisy), chosen=(0, 0)).data[1]
    assert "layer 2, head 2: 33 tokens<br>slope 1/8 alone: 22 tokens" in dots.text


def test_a_model_without_slopes_shows_its_windows_by_layer():
    figure = measured_windows_figure(windows(slopes=None, theory=None), chosen=(0, 2), dark=True)
    (dots, _) = figure.data
    assert figure.layout.xaxis.title.text == "layer"
    np.testing.assert_allclose(dots.x, [0.7, 1, 1.3, 1.7, 2, 2.3])
    assert set(dots.marker.color) == {theme.DARK.accent}


def test_a_changed_head_without_a_bias_is_still_drawn():
    flat = np.zeros_like(SLOPES)
    figure = measured_windows_figure(windows(slopes=flat), chosen=(0, 0))
    dots = next(trace for trace in figure.data if trace.text is not None)
    assert "slope 0 alone" in dots.text[0]


def test_parts_of_a_text_hold_its_whole_loss():
    nll = np.arange(131, dtype=np.float32)
    places, means = mean_by_part(nll, parts=7)
    assert len(places) == len(means) == 7
    sizes = np.diff(np.linspace(0, 131, 8).astype(int))
    assert (means * sizes).sum() == pytest.approx(nll.sum())
    # The first loss is that of the token at position 1; nll counts up with the position.
    np.testing.assert_allclose(places, means + 1)


def test_a_text_of_two_tokens_has_one_part():
    places, means = mean_by_part(np.array([3.5]))
    assert (places.tolist(), means.tolist()) == ([1.0], [3.5])


@pytest.mark.parametrize(("train_length", "lines"), [(None, 0), (67, 1), (500, 0)])
def test_the_training_length_is_marked_where_the_text_goes_beyond_it(train_length, lines):
    curve = TextLoss("unchanged", np.ones(130), "#123456")
    figure = text_loss_figure([curve], train_length=train_length)
    assert len(figure.layout.shapes) == lines
    assert figure.layout.yaxis.title.text == "mean loss, nats per token"
