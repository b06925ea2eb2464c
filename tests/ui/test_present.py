"""?present= through Streamlit's own runner: one figure, few controls, steps."""

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.paths import PROJECT
from alibi_viz.ui.frame import present as present_mode
from alibi_viz.ui.frame.presentation import PRESENTED_CONTROLS
from alibi_viz.ui.link.parameters import page_parameters


def opened(page, **query):
    app = AppTest.from_file(PROJECT / "pages" / f"{page}.py", default_timeout=60)
    app.query_params.update({name: str(value) for name, value in query.items()})
    # What app.py does before a page runs.
    app.session_state["_page"] = page
    if "present" in query:
        app.session_state["_presented"] = (page, query["present"])
    app = app.run()
    assert not app.exception
    return app


def drawn(app):
    return [chart.proto.id.rsplit("-", 1)[-1] for chart in app.get("plotly_chart")]


def test_one_figure_is_left_with_its_title_and_its_sentence():
    app = opened("decay", present="windows")
    assert drawn(app) == ["windows"]
    [title] = app.title
    assert title.value == "Nearest keys that hold a share of each head's attention"
    words = [text.value for text in app.markdown]
    assert any(word.startswith("The 95 % windows run from") for word in words)
    assert not app.dataframe
    assert not app.get("popover")


def test_the_first_figure_is_the_one_that_no_link_names():
    assert drawn(opened("decay", present="1")) == ["decay"]


def test_few_controls_are_left_and_the_others_keep_what_the_link_says():
    app = opened("decay", present="decay", content=2)
    assert [slider.key for slider in app.select_slider] == ["heads", "exponent", "length"]
    assert any("(one standard deviation)" in text.value for text in app.markdown)


@pytest.fixture
def session(monkeypatch):
    """A presenter's session on a page with two figures, the first one presented."""
    kept = {
        "_page": "decay",
        "_known_figures": {"decay": ["decay", "windows"]},
        "_seen_pages": {"decay"},
        "_presented": ("decay", "1"),
    }
    monkeypatch.setattr(present_mode.st, "session_state", kept)
    monkeypatch.setattr(present_mode.st, "query_params", {"present": "1"})
    return kept


def asked(session, what, **more):
    session["present"] = {"asked": {"what": what, **more}}
    present_mode._asked()
    return present_mode.st.query_params.get("present")


def test_a_step_goes_to_the_next_figure_and_stays_at_the_ends(session):
    for by, shown in ((1, "windows"), (1, "windows"), (-1, "decay"), (-1, "decay")):
        assert asked(session, "step", by=by) == shown


def test_a_page_s_own_steps_go_first(session):
    gone = []
    session[present_mode.STEPPER] = gone.append
    asked(session, "step", by=3)
    asked(session, "step", by=-3)
    assert gone == [1, -1]


def test_a_wish_that_is_handed_in_again_is_done_once(session):
    gone = []
    session[present_mode.STEPPER] = gone.append
    for nonce in (0.25, 0.25, 0.5):
        asked(session, "step", by=1, nonce=nonce)
    assert gone == [1, 1]


def test_leaving_shows_the_whole_page_again(session):
    assert asked(session, "leave") is None
    assert "_presented" not in session
    assert asked(session, "enter", height=1080) == "1"
    assert present_mode.figure_height() == 1080 - present_mode._ROOM


@pytest.mark.parametrize("page", PRESENTED_CONTROLS)
def test_the_controls_that_matter_are_controls_of_the_page(page):
    assert set(PRESENTED_CONTROLS[page]) <= set(page_parameters(page).by_key())
    known = page_parameters(page)
    for part in known.part.options if known.part else [None]:
        here = {parameter.key for parameter in known.of(part)}
        assert len(here & set(PRESENTED_CONTROLS[page])) <= 3
