"""Accessibility beyond each page's first sight: opened, answered, refused, compared, enlarged."""

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from alibi_viz.lessons.course import find_lesson
from alibi_viz.lessons.plan import preset
from alibi_viz.lessons.sheet import answers, notes, plan_sheet
from alibi_viz.ui.lessons.handouts import student_sheets
from alibi_viz.ui.link.class_address import qr_code
from tests.browser.accessibility import complaints, said_by_axe
from tests.browser.server import settle


def open_everything(page: Page) -> None:
    """Opens what is folded away: tables, and code in its colours."""
    for fold in page.locator("[data-testid=stExpander] summary").all():
        fold.click()
    settle(page)


def answer_wrongly(page: Page) -> None:
    page.locator("[data-testid=stRadio] [role=radiogroup] label").nth(1).click()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Not yet.", exact=True)).to_be_visible()
    settle(page)


def leave(page: Page) -> None:
    settle(page)


STATES = {
    "code of a state": ("explore", open_everything),
    "links that ask too much": ("decay?heads=99&length=7777777", leave),
    "two methods beside each other": ("methods?part=compare", leave),
    "rotations stretched": ("methods?part=stretching&stretched_by=pi", open_everything),
    "one needle, and the numbers": ("retrieval?of=one+needle", open_everything),
    "maps by depth": ("retrieval?of=depth", leave),
    "references to copy": ("claims?section=references&style=CSL-JSON", leave),
    "how to cite": ("claims?section=cite", leave),
    "a snippet, answered wrongly": ("lessons?lesson=penalty&step=leak", answer_wrongly),
    "an action done, in large type": ("lessons?lesson=penalty&step=do&head=6&large=1", leave),
    "the link builder": ("lessons?teach=links", leave),
    "the plan of a class": ("lessons?teach=plan", leave),
    "a plan for the projector": ("lessons?teach=agenda&large=1", leave),
    "who wins where": ("claims?section=where+each+wins", leave),
    "which one to use": ("claims?section=which+one+to+use", leave),
    "two trained heads": ("trained_attention?mode=compare", leave),
}
LOOKS = [(False, 1400), (True, 1400), (True, 360)]


@pytest.mark.parametrize(("path", "reach"), STATES.values(), ids=list(STATES))
def test_axe_finds_nothing_in_a_state_that_visitors_reach(visit, path, reach):
    page = visit(path)
    reach(page)
    found = {look: complaints(page, dark=look[0], width=look[1]) for look in LOOKS}
    assert found == {look: [] for look in LOOKS}


def test_axe_finds_nothing_on_paper(visit):
    page = visit("lessons?teach=notes")
    lesson, link = find_lesson("penalty"), "http://lab.example"
    for text in (
        student_sheets(("penalty",), link),
        answers((lesson,)),
        notes((lesson,)),
        plan_sheet(preset(45), link, qr_code(link)),
    ):
        page.set_content(text)
        assert said_by_axe(page) == []


def test_reduced_motion_is_honoured(visit):
    page = visit("lessons?lesson=penalty&step=do")
    page.emulate_media(reduced_motion="reduce")
    moving = page.evaluate(
        """() => {
            const seconds = text => Math.max(...text.split(",").map(part => parseFloat(part)));
            const moves = [];
            const look = root => root.querySelectorAll("*").forEach(element => {
                const style = getComputedStyle(element);
                const longest = Math.max(
                    seconds(style.transitionDuration), seconds(style.animationDuration));
                if (longest > 0.001) moves.push(element.outerHTML.slice(0, 120));
                if (element.shadowRoot) look(element.shadowRoot);
            });
            look(document);
            return moves;
        }"""
    )
    assert moving == []


FOCUSED = """() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const style = getComputedStyle(element);
    // A field to type into shows it by its frame.
    const field = element.closest("[data-testid=stTextInputRootElement]");
    const shown = style.outlineStyle !== "none" || style.boxShadow !== "none"
        || (field && getComputedStyle(field).outlineStyle !== "none");
    const box = element.getBoundingClientRect();
    const main = document.querySelector("[data-testid=stMain]");
    return {
        name: element.innerText || element.ariaLabel || element.outerHTML,
        tag: element.tagName,
        shown,
        top: box.top + main.scrollTop,
        left: box.left,
        inside: main.contains(element.getRootNode().host ?? element),
        in_bar: element.closest(".st-key-stage_controls") !== null,
    };
}"""


@pytest.mark.parametrize("path", ["methods", "claims?verdict=right"])
def test_tab_goes_down_a_phones_page_and_shows_where_it_is(visit, path):
    page = visit(path, width=360)
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["name"] == "Skip to main content"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.matches('[data-testid=stMain]')")
    stops = []
    for _ in range(40):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if not stop["inside"]:
            break
        stops.append(stop)
    assert len(stops) >= 8
    assert [stop["name"] for stop in stops if not stop["shown"]] == []
    # Down the page, and from left to right where two stand in one row. A phone's bar of controls
    # stays at the lower edge and comes before the figure above it.
    for above, below in pairwise(stops):
        if above["in_bar"] and not below["in_bar"]:
            continue
        assert below["top"] > above["top"] - 30, (above["name"], below["name"])
