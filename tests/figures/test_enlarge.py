import plotly.graph_objects as go
import pytest

from alibi_viz.figures.enlarge import enlarged, lowered
from alibi_viz.figures.theme import template


def figure():
    return go.Figure(
        go.Scatter(x=[1.0, 2.0], y=[3.0, 5.0], textfont={"size": 10}),
        layout={
            "template": template(),
            "height": 400,
            "margin": {"l": 8, "r": 96},
            "annotations": [{"text": "a", "font": {"size": 12}}],
        },
    )


def test_all_type_grows_and_the_original_stays():
    original = figure()
    large = enlarged(original, 1.5)
    assert large.layout.annotations[0].font.size == 18
    assert large.data[0].textfont.size == 15
    for part in ("font", "xaxis.tickfont", "xaxis.title.font", "hoverlabel.font"):
        size = original.layout.template.layout[part].size
        assert large.layout.template.layout[part].size == pytest.approx(1.5 * size)
    assert original.layout.annotations[0].font.size == 12
    assert template().layout.font.size == 13


def test_room_grows_with_the_type_and_data_stay():
    large = enlarged(figure(), 1.5)
    assert (large.layout.height, large.layout.margin.r) == (500, 144)
    assert large.data[0].x == (1.0, 2.0)
    assert large.data[0].y == (3.0, 5.0)


def test_labels_at_the_edge_of_a_lower_figure_do_not_touch():
    figure = go.Figure(layout={"height": 500, "margin": {"t": 20, "b": 80}, "yaxis_range": [0, 10]})
    for place in (4.0, 4.5, 9.9):
        figure.add_annotation(
            x=1, xref="paper", xanchor="left", y=place, text="one<br>two", font_size=16
        )
    figure.add_annotation(x=0, y=4.2, text="elsewhere", font_size=16)
    lower = lowered(figure, 300)
    # 10 units in 200 pixels, two lines of 20 pixels each: 2 units a label, the last within the top.
    assert [label.y for label in lower.layout.annotations] == pytest.approx([4, 6, 9.9, 4.2])
    assert lower.layout.height == 300
