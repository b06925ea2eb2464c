import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.numbers import drawn_numbers


def figure(*traces, **layout):
    made = go.Figure(list(traces))
    made.update_layout(xaxis_title_text="tokens", yaxis_title_text="nats", **layout)
    return made


def test_each_point_is_a_row_under_the_names_of_the_axes():
    table = drawn_numbers(
        figure(go.Scatter(x=[1, 2], y=[3, 4], name="a"), go.Scatter(x=[5], y=[6]))
    )
    assert list(table.columns) == ["curve", "tokens", "nats"]
    assert table.to_numpy().tolist() == [["a", 1, 3], ["a", 2, 4], ["scatter 2", 5, 6]]


def test_gaps_between_lines_are_no_numbers():
    table = drawn_numbers(figure(go.Scatter(x=[1, np.nan, 2], y=[3.0, np.nan, 4.0], name="a")))
    assert table["nats"].tolist() == [3, 4]


def test_each_cell_of_a_map_is_a_row_and_masked_ones_are_none():
    z = np.array([[1.0, np.nan, np.nan], [2.0, 3.0, np.nan]])
    table = drawn_numbers(
        figure(go.Heatmap(z=z, x=[0, 5, 7], y=[2, 3], name="m", colorbar_title_text="bias"))
    )
    assert table.to_numpy().tolist() == [["m", 2, 0, 1], ["m", 3, 0, 2], ["m", 3, 5, 3]]
    assert list(table.columns) == ["curve", "nats", "tokens", "bias"]


def test_panels_with_other_axes_say_which():
    made = figure(
        go.Scatter(x=[1], y=[3], name="a"), go.Scatter(x=[1], y=[4], name="b", yaxis="y2")
    )
    made.update_layout(yaxis2={"title": {"text": "share"}})
    table = drawn_numbers(made)
    assert table["axes"].tolist() == ["tokens; nats", "tokens; share"]
    assert table["y"].tolist() == [3, 4]


def test_words_and_hatches_are_no_numbers():
    words = go.Scatter(x=[1], y=[1], mode="text", text=["x"])
    hatch = go.Scatter(x=[1], y=[1], name="masked")
    assert drawn_numbers(figure(words, hatch)).empty


def test_bars_say_where_they_begin():
    table = drawn_numbers(figure(go.Bar(x=[2.0], y=[1], base=[0.5], orientation="h", name="seen")))
    assert table.to_numpy().tolist() == [["seen", 0.5, 2.0, 1]]
