import numpy as np

from alibi_viz.figures.methods.phases import phases_figure
from alibi_viz.figures.theme import method_colour, surface

TURNS = np.array([20.0, 1.0, 0.5, 0.002])


def figure(dark=False):
    return phases_figure(TURNS, method="sinusoidal", train_length=128, dark=dark)


def test_dots_are_open_where_a_pair_has_not_gone_around():
    for dark in (False, True):
        (dots,) = figure(dark).data
        full, open_ = method_colour("sinusoidal", dark), surface(dark).background
        assert dots.x.tolist() == TURNS.tolist()
        assert list(dots.marker.color) == [full, full, open_, open_]


def test_both_sides_of_the_single_turn_say_how_many_pairs_they_hold():
    texts = [annotation.text for annotation in figure().layout.annotations]
    assert texts == ["2 pairs: new angles<br>past training", "2 pairs:<br>all angles seen"]
    (ground,) = figure().layout.shapes
    assert ground.x1 == 1


def test_the_axis_counts_turns_in_the_training_text():
    layout = figure().layout
    assert layout.xaxis.title.text == "turns within 128 tokens of training"
    assert layout.xaxis.type == "log"
