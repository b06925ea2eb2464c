import math

import pytest

from alibi_viz.figures.theme import method_colour
from alibi_viz.figures.trained.training import TrainingCurves, training_figure

TRAIN = ((40_000, 6.5), (80_000, 5.0), (120_000, 4.5))
VALIDATION = ((50_000, 6.0), (110_000, 4.75))


def curves(**changes):
    settings = {"method": "rope", "train": TRAIN, "validation": VALIDATION}
    return TrainingCurves(**{**settings, "tokens": 250_000, "vocabulary": 1024, **changes})


def texts(figure):
    return [annotation.text for annotation in figure.layout.annotations]


def test_both_curves_are_drawn_in_millions_of_tokens():
    train, validation = training_figure(curves()).data
    assert (train.name, validation.name) == ("training", "validation")
    assert train.x == (0.04, 0.08, 0.12)
    assert train.y == (6.5, 5.0, 4.5)
    assert validation.customdata[1] == pytest.approx(math.exp(4.75))


@pytest.mark.parametrize("dark", [False, True])
def test_the_validation_curve_has_the_methods_colour(dark):
    figure = training_figure(curves(), dark=dark)
    assert figure.data[1].line.color == method_colour("rope", dark)


def test_the_token_axis_ends_with_the_budget_while_points_come_in():
    for part in ((), TRAIN[:1], TRAIN):
        figure = training_figure(curves(train=part, validation=()))
        assert tuple(figure.layout.xaxis.range) == (0, 0.25)
        assert tuple(figure.layout.yaxis.range) == (2.9, 7.1)


def test_a_loss_beyond_the_usual_stays_on_the_axis():
    figure = training_figure(curves(validation=((200_000, 1.75),), train=((20_000, 8.25),)))
    low, high = figure.layout.yaxis.range
    assert low < 1.75
    assert high > 8.25


def test_an_even_guess_is_marked():
    # ln 1024 = 6.93
    assert "even guess among 1,024: 6.93" in texts(training_figure(curves()))


def test_ends_are_labelled_the_higher_one_above():
    figure = training_figure(curves(validation=((110_000, 4.5625),)))
    by_text = {annotation.text: annotation.y for annotation in figure.layout.annotations}
    assert by_text["training 4.50"] == 4.5
    # Moved up by a label of 16 pixels, of 300 for 4.2 nats.
    assert by_text["validation 4.56"] == pytest.approx(4.5 + 16 / 300 * 4.2)


def test_axes_name_their_units():
    layout = training_figure(curves()).layout
    assert layout.xaxis.title.text == "training tokens seen, millions"
    assert layout.yaxis.title.text == "loss, nats per token"
