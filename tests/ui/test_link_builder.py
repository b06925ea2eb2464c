import re

import numpy as np
import pytest
import zxingcpp

from alibi_viz.lessons.course import lessons
from alibi_viz.positions import METHODS
from alibi_viz.ui.lessons.controls import IN_VIEWS
from alibi_viz.ui.lessons.link_builder import class_link
from alibi_viz.ui.link.class_address import is_address, qr_code

BASE = "http://lab.example:8501/app"


def test_a_link_holds_the_state_the_controls_and_the_type():
    link = class_link(
        BASE, "decay", {"heads": 12, "content": 0.5}, shown=["heads", "head"], large=True
    )
    assert link == f"{BASE}/decay?heads=12&content=0.5&show=heads,head&large=1"


@pytest.mark.parametrize(
    "text",
    ["", "http://", "http://[", "http://[::1", "https://lab:99999999", "http://lab:x", "lab:8501",
     "javascript:alert(1)", "ftp://lab"],
)  # fmt: skip
def test_what_is_typed_half_is_no_address(text):
    assert not is_address(text)


@pytest.mark.parametrize("text", [BASE, "https://lab", "http://[::1]:8501"])
def test_http_and_https_with_a_host_are_addresses(text):
    assert is_address(text)


def test_the_landing_page_stands_at_the_root():
    assert class_link(BASE, "home", {}) == f"{BASE}/"
    assert class_link(BASE, "home", {"read": 6}) == f"{BASE}/?read=6"


def test_no_control_at_all_can_be_left_on_the_page():
    assert class_link(BASE, "decay", {}, shown=[]) == f"{BASE}/decay?show="


def test_the_code_is_dark_on_light_with_a_quiet_zone():
    code = qr_code(BASE)
    assert code.startswith("<svg")
    assert 'fill="#fff"' in code
    # Four squares of quiet zone, then the finder pattern begins.
    assert re.search(r'd="M4 4\.5h7', code)
    # Without a view box a browser crops the code where it should shrink it.
    assert re.match(r'<svg viewBox="0 0 (\d+) \1"', code)
    assert " width=" not in code


@pytest.mark.parametrize("dots", [0, 60, 400])
def test_a_scanner_reads_the_link_from_the_code(dots):
    link = class_link(BASE, "decay", {"heads": 12}, shown=["heads", "x" * dots], large=True)
    [found] = zxingcpp.read_barcodes(raster(qr_code(link)))
    assert found.text == link


def raster(svg):
    """The picture of a code, its squares drawn from the SVG's path: right by h, moves by m."""
    [path] = re.findall(r'stroke="#000" d="([^"]*)"', svg)
    side = int(re.search(r"M0 0h(\d+)", svg)[1])
    commands = re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", path)
    x = y = 0.0
    runs = []
    for command, first, second in commands:
        if command == "h":
            runs.append((int(y), int(x), int(x + float(first))))
            x += float(first)
        elif command == "m":
            x, y = x + float(first), y + float(second)
        else:
            x, y = float(first), float(second)
    picture = np.full((side, side), 255, dtype=np.uint8)
    for row, start, end in runs:
        picture[row, start:end] = 0
    return np.kron(picture, np.ones((4, 4), dtype=np.uint8))


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_lessons_state_has_allowed_values_only(lesson):
    for state in (lesson.view.state, {**lesson.view.state, **lesson.action.solution}):
        for name, value in state.items():
            if name == "position" and lesson.view.name == "words":
                value = METHODS[value].label
            if name in IN_VIEWS and name in lesson.view.controls:
                assert value in IN_VIEWS[name].options, name
        if "head" in state:
            assert 1 <= state["head"] <= state["heads"]


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_lessons_controls_are_known_to_its_view(lesson):
    others = {"head", "methods"}
    assert set(lesson.view.controls) <= set(IN_VIEWS) | others
