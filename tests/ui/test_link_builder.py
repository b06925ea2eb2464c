import re

import pytest

from alibi_viz.lessons.course import lessons
from alibi_viz.paths import PROJECT
from alibi_viz.positions import METHODS
from alibi_viz.ui import lesson_views
from alibi_viz.ui.controls import Control
from alibi_viz.ui.link_builder import class_link, page_controls, qr_code
from alibi_viz.ui.navigation import PAGES

BASE = "http://lab.example:8501/app"


def test_a_link_holds_the_state_the_controls_and_the_type():
    link = class_link(
        BASE, "decay", {"heads": 12, "content": 0.5}, shown=["heads", "head"], large=True
    )
    assert link == f"{BASE}/decay?heads=12&content=0.5&show=heads,head&large=1"


def test_the_landing_page_stands_at_the_root():
    assert class_link(BASE, "explore", {}) == f"{BASE}/"
    assert class_link(BASE, "explore", {"heads": 12}) == f"{BASE}/?heads=12"


def test_no_control_at_all_can_be_left_on_the_page():
    assert class_link(BASE, "decay", {}, shown=[]) == f"{BASE}/decay?show="


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_the_builder_offers_controls_that_the_pages_show(page):
    for control in page_controls(page):
        assert isinstance(control, Control)
        assert control.default in control.options
    keys = [control.key for control in page_controls(page)]
    assert len(set(keys)) == len(keys)


def test_the_code_is_dark_on_light_with_a_quiet_zone():
    code = qr_code(BASE)
    assert code.startswith("<svg")
    assert 'fill="#fff"' in code
    # Four squares of quiet zone, then the finder pattern begins.
    assert re.search(r'd="M4 4\.5h7', code)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_lessons_state_has_allowed_values_only(lesson):
    for state in (lesson.view.state, {**lesson.view.state, **lesson.action.solution}):
        for name, value in state.items():
            if name == "position" and lesson.view.name == "words":
                value = METHODS[value].label
            if name in lesson_views.CONTROLS and name in lesson.view.controls:
                assert value in lesson_views.CONTROLS[name].options, name
        if "head" in state:
            assert 1 <= state["head"] <= state["heads"]


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_lessons_link_leads_to_a_page_that_knows_what_it_says(lesson):
    page = next(page for page in PAGES if page.name == lesson.view.page)
    assert page.file.is_file()
    known = {control.key: control for control in page_controls(page.name)}
    state = lesson_views.page_state(lesson.view.name, lesson.view.state)
    # What no Control holds: choices within canvases, and several methods at once.
    elsewhere = {"explore": {"head"}, "extrapolation": {"methods"}}
    elsewhere["trained_attention"] = {"layer_head"}
    assert set(state) <= set(known) | elsewhere.get(page.name, set())
    for name, value in state.items():
        if name in known:
            assert known[name].is_exactly(value, known[name].nearest(value)), (name, value)
    for name in set(state) - set(known):
        sources = [*PROJECT.glob("pages/*.py"), *PROJECT.glob("alibi_viz/ui/*.py")]
        assert any(f'"{name}"' in path.read_text() for path in sources), name


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_lessons_controls_are_known_to_its_view(lesson):
    others = {"head", "methods"}
    assert set(lesson.view.controls) <= set(lesson_views.CONTROLS) | others
