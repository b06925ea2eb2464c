import numpy as np
import pytest

from alibi_viz.figures.methods.words import words_figure
from alibi_viz.figures.theme import method_colour

WORDS = ("the", "dog", "the")
WEIGHTS = np.array([0.2, 0.5, 0.3])


@pytest.mark.parametrize("dark", [False, True])
def test_bars_stand_in_the_order_of_the_sentence_and_equal_words_are_marked(dark):
    figure = words_figure(WORDS, WEIGHTS, method="rope", marked="the", dark=dark)
    (bars,) = figure.data
    assert bars.x.tolist() == [0.2, 0.5, 0.3]
    assert bars.y.tolist() == [0, 1, 2]
    assert list(figure.layout.yaxis.ticktext) == ["0  the", "1  dog", "2  the"]
    # Position 0 is on top.
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    marked = [colour == method_colour("rope", dark) for colour in bars.marker.color]
    assert marked == [True, False, True]


def test_the_axis_names_the_query_and_the_bars_their_weights():
    figure = words_figure(WORDS, WEIGHTS, method="rope", marked="the")
    assert "“the”" in figure.layout.xaxis.title.text
    assert list(figure.data[0].text) == ["0.200", "0.500", "0.300"]
