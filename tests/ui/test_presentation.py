"""?show= and ?large= on a page, through Streamlit's own runner."""

from streamlit.testing.v1 import AppTest

from alibi_viz.paths import PROJECT


def app_with(**query):
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = str(value)
    return app.run()


def sliders(app):
    return [slider.key for slider in app.select_slider]


def choices(app):
    return [choice.key for choice in app.segmented_control]


def styles(app):
    return [part.proto.body for part in app.get("html")]


def test_only_the_controls_that_the_link_names_are_on_the_page():
    app = app_with(show="heads,scale", length=1024)
    assert not app.exception
    assert (sliders(app), choices(app)) == (["heads"], ["scale"])
    # A hidden control keeps the value that the link gives it.
    assert "nearest of its 1,024 keys" in " ".join(text.value for text in app.markdown)


def test_all_controls_come_back_at_the_press_of_a_button():
    app = app_with(show="heads")
    app.button(key="_all_controls").click().run()
    assert sliders(app) == ["heads", "exponent", "length"]
    assert "show" not in app.query_params


def test_a_page_without_any_control_still_stands():
    app = app_with(show="")
    assert not app.exception
    assert sliders(app) == choices(app) == []


def test_large_type_is_taken_back_at_the_press_of_a_button():
    app = app_with(large="1")
    assert any("font-size: 21px" in style for style in styles(app))
    app.button(key="_normal_type").click().run()
    assert not any("font-size: 21px" in style for style in styles(app))
    assert "large" not in app.query_params


def test_an_ordinary_link_changes_nothing():
    app = app_with()
    assert not any("font-size: 21px" in style for style in styles(app))
    assert not {"_all_controls", "_normal_type"} & {button.key for button in app.button}
