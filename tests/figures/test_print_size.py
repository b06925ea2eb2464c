import numpy as np
import plotly.graph_objects as go
import pytest

from alibi_viz.figures.heads.slopes import slope_ladder_figure
from alibi_viz.figures.methods.effect import logit_map_figure
from alibi_viz.figures.print_size import PRINT_WIDTH, SOURCE, print_version


@pytest.fixture
def ladder():
    return slope_ladder_figure(np.array([0.5, 0.25, 0.125]))


def sizes(part):
    """Every size of type that a specification names."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "size" and isinstance(value, (int, float)) and "color" in part:
                yield value
            yield from sizes(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from sizes(value)


def test_a_page_of_paper_has_17_cm_at_96_pixels_an_inch(ladder):
    printed = print_version(ladder, title="T", state="s")
    assert printed.layout.width == PRINT_WIDTH == round(17 / 2.54 * 96)
    assert printed.layout.font.family.startswith("Helvetica, Arial")


def test_the_data_stay_as_they_are_and_the_figure_too(ladder):
    before = ladder.to_dict()
    printed = print_version(ladder, title="T", state="s")
    assert str(printed.to_dict()["data"]) == str(before["data"])
    assert str(ladder.to_dict()) == str(before)


def test_title_state_and_source_have_room_of_their_own(ladder):
    printed = print_version(ladder, title="Slopes", state="heads 3")
    margin = printed.layout.margin
    # Two lines of 19.5 pixels above, the axis's title and the source below.
    assert margin.t >= 2 * 19.5 + 20
    assert margin.b >= 26 + 17 + 20
    assert printed.layout.height >= ladder.layout.height + 2 * 19.5
    assert printed.layout.annotations[-1].text == SOURCE
    assert printed.layout.annotations[-1].yshift == 6 - margin.b


def test_long_titles_and_states_are_broken_into_lines_that_fit(ladder):
    short = print_version(ladder, title="T", state="s")
    long = print_version(ladder, title="word " * 30, state="heads 8 · " * 30)
    lines = long.layout.title.text.split("<br>")
    titles = [line for line in lines if line.startswith("<b>")]
    # 15 words of 4 signs with their spaces are 74 signs.
    assert (len(titles), len(lines) - len(titles)) == (2, 3)
    assert max(len(line) for line in titles) <= 74 + len("<b></b>")
    assert long.layout.margin.t == pytest.approx(short.layout.margin.t + 3 * 19.5)


def test_ticks_of_two_lines_get_room_below():
    one = go.Figure(layout={"template": slope_ladder_figure(np.array([0.5])).layout.template})
    one.update_xaxes(title_text="length", tickvals=[1], ticktext=["128"])
    two = go.Figure(one).update_xaxes(ticktext=["128<br>1×"])
    below = [print_version(figure, title="T", state="s").layout.margin.b for figure in (one, two)]
    assert below[1] == below[0] + 17


def test_a_square_map_is_high_enough_to_fill_the_width():
    matrix = np.tril(np.ones((5, 5)))
    figure = logit_map_figure(matrix, np.arange(5), train_length=None)
    assert print_version(figure, title="T", state="s").layout.height > PRINT_WIDTH * 0.8


def test_names_in_title_and_state_are_no_html_for_plotly(ladder):
    link = "<a href='http://elsewhere.example'>model</a>"
    text = print_version(ladder, title=link, state=f"model {link} & text").layout.title.text
    assert "<a" not in text
    assert text.count("&lt;a href='http://elsewhere.example'&gt;") == 2
    assert text.endswith("&amp; text</span>")
