import math

import numpy as np
import pytest

from alibi_viz.figures.trained.token_map import MOST_CELLS, heads_figure, pooled, token_map_figure

TOKENS = ["def", " ", "area", "(", "\n", "x<y", "a_very_long_token"]


def causal(values):
    return np.where(np.tri(len(values), dtype=bool), values, np.nan)


@pytest.fixture
def weights():
    made = np.tri(7) * np.arange(1, 8)
    return causal(made / made.sum(1, keepdims=True))


def heat(figure):
    return next(trace for trace in figure.data if trace.type == "heatmap")


def test_a_short_text_stands_on_both_axes_so_that_spaces_are_seen(weights):
    figure = token_map_figure(weights, TOKENS, quantity="weight")
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.ticktext[:6] == ("def", "·", "area", "(", "⏎", "x&lt;y")
        assert axis.ticktext[6] == "a_very_lo…"
    np.testing.assert_allclose(heat(figure).z, weights, rtol=1e-6)
    assert heat(figure).colorbar.title.text == "attention weight"
    assert any(trace.name == "masked" for trace in figure.data)


def test_weights_on_a_logarithmic_scale_end_at_a_floor_and_say_powers_of_ten(weights):
    weights[6, 0] = 0
    figure = token_map_figure(weights, TOKENS, quantity="log weight")
    # 0.05 / 7 is above 1e-4.
    assert heat(figure).z[6][0] == pytest.approx(math.log(1e-4), rel=1e-6)
    assert heat(figure).z[6][6] == pytest.approx(math.log(weights[6, 6]), rel=1e-6)
    powers = ["0", "−1", "−2", "−3", "−4"]
    assert list(heat(figure).colorbar.ticktext) == [f"10<sup>{power}</sup>" for power in powers]


def test_a_difference_has_symmetric_ends_and_says_so(weights):
    figure = token_map_figure(weights - 2 * weights, TOKENS, quantity="weight", is_difference=True)
    assert heat(figure).zmin == -heat(figure).zmax
    assert heat(figure).colorbar.title.text == "difference of attention weight"


def test_a_long_text_is_pooled_and_no_strong_key_vanishes():
    length = 3 * MOST_CELLS - 5
    values = causal(np.zeros((length, length)))
    values[length - 1, 101] = 0.9
    shown, step = pooled(values)
    assert (step, shown.shape) == (3, (MOST_CELLS - 1, MOST_CELLS - 1))
    assert shown[(length - 1) // 3, 101 // 3] == 0.9
    assert np.isnan(shown[0, 1:]).all()


def test_of_differences_the_largest_either_way_is_kept():
    values = np.zeros((2 * MOST_CELLS, 2 * MOST_CELLS))
    values[0, 0], values[1, 1] = 0.25, -0.5
    shown, _ = pooled(values, is_difference=True)
    assert shown[0, 0] == -0.5


def test_a_long_text_has_positions_on_its_axes():
    values = causal(np.ones((300, 300)))
    figure = token_map_figure(values, ["a"] * 300, quantity="content")
    assert figure.layout.xaxis.title.text == "key, position of the token"
    assert heat(figure).x[0] == 0.5
    assert heat(figure).colorbar.title.text == "content, nats"


def test_one_token_is_a_map_too():
    figure = token_map_figure(np.ones((1, 1)), ["a"], quantity="weight")
    assert heat(figure).z.shape == (1, 1)


def test_all_heads_stand_in_rows_of_layers_with_number_and_slope():
    thumbnails = np.full((2, 3, 5, 5), 0.5, np.float32)
    slopes = np.array([[0.5, 0.25, 2**-0.5], [0.50000001, 0.25, 0.0]])
    figure = heads_figure(thumbnails, slopes)
    labels = [note.text for note in figure.layout.annotations]
    assert labels == [
        "<b>1·1</b>  1/2",
        "<b>1·2</b>  1/4",
        "<b>1·3</b>  0.707",
        "<b>2·1</b>  1/2",
        "<b>2·2</b>  1/4",
        "<b>2·3</b>",
    ]
    # 15 cells of each map are not in the future.
    assert np.isfinite(np.asarray(heat(figure).z)).sum() == 6 * 15
