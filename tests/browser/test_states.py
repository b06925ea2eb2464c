"""Accessibility beyond each page's first sight: opened, answered, refused, compared, enlarged."""

import pytest
from playwright.sync_api import Page, expect

from alibi_viz.lessons.course import find_lesson
from alibi_viz.lessons.sheet import notes, sheet
from alibi_viz.ui.link_builder import qr_code
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
    "code of a state": ("", open_everything),
    "links that ask too much": ("decay?heads=99&length=7777777", leave),
    "two methods beside each other": ("methods?part=compare", leave),
    "references to copy": ("claims?section=references&style=CSL-JSON", leave),
    "how to cite": ("claims?section=cite", leave),
    "a snippet, answered wrongly": ("lessons?lesson=penalty&step=leak", answer_wrongly),
    "an action done, in large type": ("lessons?lesson=penalty&step=do&head=6&large=1", leave),
    "the link builder": ("lessons?teach=links", leave),
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
    lesson = find_lesson("penalty")
    for text in (sheet(lesson, 4, qr_code("http://lab.example/")), notes((lesson,))):
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
