import json

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.paths import PROJECT
from alibi_viz.ui.decay import controls as decay
from alibi_viz.ui.link.heads import EXPONENT, HEADS, LENGTH

SLIDERS = (HEADS, EXPONENT, LENGTH, decay.QUERY, decay.CONTENT, decay.TRAIN_LENGTH)


def page(**query):
    """Opens the landing page by the link, which takes the shared controls, then this page."""
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=120)
    app.session_state["decay_heads_open"] = True
    app.query_params.update({name: str(value) for name, value in query.items()})
    # AppTest hands the shared controls over with the second run; a browser does with the first.
    return app.run().switch_page("pages/decay.py").run().run()


def sentence(app):
    return next(text.value for text in app.markdown if "What to look for" in text.value)


def spec(app, index):
    return json.loads(app.get("plotly_chart")[index].proto.spec)


@pytest.fixture(scope="module")
def opened():
    return page()


def test_the_page_opens_with_two_described_charts_and_a_row_for_each_head(opened):
    assert not opened.exception
    assert [title.value for title in opened.title] == ["Decay & windows"]
    assert all(len(chart.proto.alt) > 80 for chart in opened.get("plotly_chart"))
    assert len(opened.get("plotly_chart")) == 2
    assert len(opened.dataframe[0].value) == 8


def test_the_table_is_sent_when_it_is_opened():
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=120).run()
    assert not app.switch_page("pages/decay.py").run().dataframe


def test_a_head_that_is_not_there_gives_way_to_the_last_one_and_the_page_says_so(opened):
    said = "There are 8 heads; head 8 is shown."
    assert said not in [caption.value for caption in opened.caption]
    app = page()
    app.number_input("head").set_value(60).run()
    assert said in [caption.value for caption in app.caption]
    alone = page(heads=1)
    alone.number_input("head").set_value(3).run()
    assert "There is 1 head; it is shown." in [caption.value for caption in alone.caption]


def test_the_sentence_has_the_papers_windows(opened):
    # ln 2 / (1/2) = 1.4 and 6 keys; ln 2 * 256 = 177; 442 of 512 by the geometric series.
    assert "head 1 halves its weight every 1.4 tokens" in sentence(opened)
    assert "95 % of its attention on 6 of 512 keys" in sentence(opened)
    assert "head 8 halves it every 177 tokens and needs 442" in sentence(opened)


def test_the_table_holds_the_closed_forms(opened):
    table = opened.dataframe[0].value
    assert table["slope, nats/token"].tolist() == [2.0**-h for h in range(1, 9)]
    assert table["95% window in unlimited context, tokens"].tolist()[::7] == [6, 767]
    # 1 / (1 + e^-1/2 + e^-1 + ...) = 1 - e^-1/2
    assert table["weight on itself"][0] == pytest.approx(0.39346934, abs=1e-8)


@pytest.mark.parametrize("control", SLIDERS, ids=lambda control: control.key)
def test_each_slider_works_at_both_ends(control):
    app = page()
    for end in (control.options[0], control.options[-1]):
        app.select_slider(control.key).set_value(end).run()
        assert not app.exception
        assert "What to look for" in sentence(app)
        assert len(app.get("plotly_chart")) == 2


@pytest.mark.parametrize("key", ["distance", "weight"])
def test_each_axis_can_be_linear_and_logarithmic(key):
    app = page()
    axis = {"distance": "xaxis", "weight": "yaxis"}[key]
    for kind in ("linear", "log"):
        next(c for c in app.segmented_control if c.key == key).set_value(kind).run()
        assert not app.exception
        assert spec(app, 0)["layout"][axis].get("type", "linear") == kind


def test_everything_at_its_largest_is_drawn_in_full():
    app = page(heads=64, exponent=16, length=16384, content=8, head=32, trained=16)
    assert not app.exception
    assert "of 16,384 keys" in sentence(app)
    assert len(app.dataframe[0].value) == 64
    # In two panels: 61 heads in traces of four, three named ones with a band each.
    assert len(spec(app, 0)["data"]) == 2 * (16 + 3 + 3)


def test_the_first_token_sees_itself_alone():
    app = page(query=0)
    table = app.dataframe[0].value
    assert (table["weight on itself"] == 1).all()
    assert (table["99% window here, tokens"] == 1).all()


def test_content_says_how_many_draws_and_which_seed_and_what_it_buys():
    app = page(content=2)
    assert "A key whose content is 2 nats (one standard deviation) better" in sentence(app)
    assert "4 tokens of distance in head 1, 512 tokens in head 8" in sentence(app)
    assert any("101 draws of content (seed 0)" in caption.value for caption in app.caption)


def test_training_longer_than_the_sequence_leaves_nothing_unseen():
    assert "Every distance of this query occurs" in sentence(page(trained=512))
    # Beyond 128 of 512, head 8 holds (e^-1/2 - e^-2) / (1 - e^-2) = 54.49 %.
    assert "at most 54 %, head 8" in sentence(page(trained=128))
    assert "No head puts" in sentence(page(exponent=1, trained=256))


def test_a_head_that_the_model_does_not_have_is_the_last_one():
    app = page(heads=4, head=9)
    assert spec(app, 0)["data"][3]["name"].startswith("head 4,")


def test_a_link_may_leave_only_the_controls_of_an_exercise():
    app = AppTest.from_file(PROJECT / "pages" / "decay.py", default_timeout=120)
    # What app.py takes from ?show=content.
    app.session_state["_page"] = "decay"
    app.session_state["_show_decay"] = ("content",)
    app.query_params.update({"content": "2", "query": "50"})
    app.run()
    assert [slider.key for slider in app.select_slider] == ["content"]
    assert not app.number_input
    # The hidden query keeps its value: 256 of 0 to 511.
    assert "of 257 keys" in sentence(app)


def test_out_of_range_links_are_moved_inside_and_said():
    app = page(content=99, query=-5)
    assert app.select_slider("content").value == 8
    assert app.select_slider("query").value == 0
    assert "content=99" in app.warning[0].value
    assert "query=-5" in app.warning[0].value
