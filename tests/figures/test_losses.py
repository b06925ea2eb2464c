from alibi_viz.figures import theme
from alibi_viz.figures.trained.losses import ValidationCurve, losses_figure

FALL = ((1_000_000, 4.0), (2_000_000, 3.0), (8_000_000, 2.6))
OTHER = ((1_000_000, 4.2), (8_000_000, 2.61))


def test_losses_are_drawn_in_millions_of_tokens_in_the_colour_of_their_method():
    figure = losses_figure([ValidationCurve("t5", "T5 bias", FALL)], dark=True)
    (line,) = figure.data
    assert list(line.x) == [1, 2, 8]
    assert list(line.y) == [4.0, 3.0, 2.6]
    assert line.line.color == theme.method_colour("t5", dark=True)
    assert "millions" in figure.layout.xaxis.title.text
    assert "nats/token" in figure.layout.yaxis.title.text


def test_ends_are_labelled_apart_and_unnamed_curves_are_not():
    figure = losses_figure(
        [
            ValidationCurve("t5", "T5 bias", FALL),
            ValidationCurve("rope", "RoPE", OTHER),
            ValidationCurve("rope", "", OTHER),
        ]
    )
    texts = [note.text for note in figure.layout.annotations]
    assert texts == ["T5 bias 2.60", "RoPE 2.61"]
    low, high = (note.y for note in figure.layout.annotations)
    ends = figure.layout.yaxis.range
    assert (high - low) / (ends[1] - ends[0]) * (figure.layout.height - 60) >= 14.9


def test_the_axis_shows_the_ends_not_the_first_steep_fall():
    low, high = losses_figure([ValidationCurve("t5", "T5 bias", FALL)]).layout.yaxis.range
    assert low < 2.6
    assert high < 4.0
