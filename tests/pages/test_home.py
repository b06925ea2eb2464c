import json

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.child.process import ChildDied
from alibi_viz.evaluation.front_door_file import load_ending
from alibi_viz.paths import PROJECT
from alibi_viz.ui.home import doors, typed


def opened(**query):
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=60)
    app.query_params.update({name: str(value) for name, value in query.items()})
    app = app.run()
    assert not app.exception
    return app


def picture(app):
    (shown,) = (
        one.proto for one in app.get("bidi_component") if one.proto.component_name == "alibi_ending"
    )
    return json.loads(shown.json)


def test_the_front_door_says_what_alibi_is_and_shows_four_methods():
    app = opened()
    assert [title.value for title in app.title] == ["ALiBi Viz"]
    words = "\n".join(text.value for text in app.markdown)
    assert "Attention with Linear Biases" in words
    told = picture(app)
    assert [method["label"] for method in told["methods"]] == ["ALiBi", "RoPE", "T5 bias", "NoPE"]
    assert told["looks"] == json.loads(json.dumps(load_ending().looks))
    assert told["moves"]


def test_a_link_opens_the_picture_where_it_was_and_it_stays_there():
    told = picture(opened(read=6))
    assert told["lengths"][told["place"]] == 512
    assert not told["moves"]
    app = opened(read=99)
    assert picture(app)["place"] == 6
    assert "read=99" in app.warning[0].value


def test_an_old_link_to_the_root_opens_the_slopes_as_they_were():
    app = opened(heads=12, length=1024)
    assert [title.value for title in app.title] == ["Slopes & biases"]
    assert app.select_slider(key="heads").value == 12
    assert app.segmented_control(key="colour").value == "bias"


def test_the_slopes_open_in_the_colouring_that_shows_the_story():
    app = opened().switch_page("pages/explore.py").run()
    assert app.segmented_control(key="colour").value == "log weight"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ChildDied("it took too long and was stopped"), "it took too long and was stopped. Try"),
        (ValueError("type 1 to 300 characters, not 0"), "type 1 to 300 characters"),
    ],
)
def test_an_ending_that_cannot_be_read_is_told_and_the_given_one_stays(monkeypatch, error, said):
    def refuse(*args, **arguments):
        raise error

    monkeypatch.setattr(typed, "_child", lambda: type("Child", (), {"ask": refuse})())
    app = opened()
    app.text_input(key="typed_ending").set_value(f"words {said}").run()
    assert not app.exception
    assert said in app.error[0].value
    assert picture(app)["looks"] == json.loads(json.dumps(load_ending().looks))


def test_the_page_offers_itself_as_one_file():
    (button,) = opened().get("download_button")
    assert button.proto.label == "ALiBi on one page"
    assert doors._one_page().startswith(b"<!doctype html>")
