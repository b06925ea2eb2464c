"""The decay page: its state in the link, and figures that stay where they are."""

import re

import pytest
from playwright.sync_api import Page, expect

from alibi_viz.figures import theme
from tests.browser.server import open_more, settle

LINK = "decay?heads=12&rule=interleaved&length=1024&query=50&content=2&trained=256&head=9"


def chart(page: Page, key: str):
    """The figure of that name, once it is drawn; not the one that it is about to replace."""
    figure = page.locator(f".st-key-{key}[data-stale=false]")
    expect(figure.locator(".main-svg").first).to_be_visible()
    return figure


def press(page: Page, key: str, arrow: str) -> None:
    page.locator(f".st-key-{key} input[type=range]").focus()
    page.keyboard.press(arrow)


def test_a_link_restores_every_control_and_the_figures_follow(visit):
    page = visit(LINK)
    open_more(page)
    for key, shown in (("heads", "12"), ("query", "50"), ("content", "2"), ("trained", "256")):
        expect(page.locator(f".st-key-{key}")).to_contain_text(shown)
    expect(page.get_by_role("radio", name="interleaved")).to_be_checked()
    # Query 50 % of the way through 1,024 tokens: round(511.5) = 512, with 513 keys.
    expect(chart(page, "windows")).to_contain_text("all 513 keys of query 512")
    expect(chart(page, "decay")).to_contain_text("head 9, slope 0.707")
    page.reload()
    settle(page)
    expect(chart(page, "windows")).to_contain_text("all 513 keys of query 512")


def test_a_control_moves_the_link_and_the_figures_and_nothing_else(visit):
    page = visit("decay")
    open_more(page)
    page.get_by_text("All heads as a table").click()
    settle(page)
    before = [chart(page, key).bounding_box() for key in ("decay", "windows")]
    place = page.locator(".st-key-content").bounding_box()
    expect(page.get_by_text("101 draws")).to_have_count(0)
    press(page, "content", "ArrowRight")
    expect(page).to_have_url(re.compile(r"content=0\.5\b"))
    expect(page.get_by_text("101 draws").first).to_be_visible()
    settle(page)
    assert [chart(page, key).bounding_box() for key in ("decay", "windows")] == before
    assert page.locator(".st-key-content").bounding_box() == place


def test_the_rule_appears_without_moving_what_lies_below(visit):
    page = visit("decay?heads=8")
    before = chart(page, "decay").bounding_box()
    press(page, "heads", "ArrowRight")
    expect(page.get_by_role("radio", name="interleaved")).to_be_visible()
    settle(page)
    assert chart(page, "decay").bounding_box() == before


@pytest.mark.parametrize("dark", [False, True])
def test_figures_stand_on_the_ground_of_their_theme(visit, dark):
    page = visit("decay", dark=dark)
    chart(page, "decay")
    ground = page.locator(".st-key-decay .main-svg").first
    red, green, blue = (
        int(theme.surface(dark).background[start : start + 2], 16) for start in (1, 3, 5)
    )
    expect(ground).to_have_css("background-color", f"rgb({red}, {green}, {blue})")


def test_the_largest_state_fits_a_phone(visit):
    page = visit("decay?heads=64&length=16384&content=8&head=64", width=390, height=844)
    chart(page, "decay")
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wider) <= 0


def test_shared_controls_keep_their_values_and_the_link_from_page_to_page(visit):
    page = visit("?heads=4")
    page.get_by_role("link", name="Decay", exact=True).click()
    expect(page).to_have_url(re.compile(r"decay\?.*heads=4\b"))
    settle(page)
    expect(chart(page, "decay")).to_contain_text("head 4, slope 1/256")
    for _ in range(4):
        press(page, "heads", "ArrowRight")
    # Eight heads are what a link without the parameter means.
    expect(page).not_to_have_url(re.compile("heads="))
    page.get_by_role("link", name="Slopes", exact=True).click()
    settle(page)
    expect(page.locator(".name")).to_contain_text("of 8")


def test_the_head_chosen_here_does_not_disturb_the_landing_page(visit):
    page = visit("decay?head=5")
    page.get_by_role("link", name="Slopes", exact=True).click()
    settle(page)
    expect(page.get_by_text("encountered an error")).to_have_count(0)
    page.get_by_role("link", name="Decay", exact=True).click()
    settle(page)
    expect(chart(page, "decay")).to_contain_text("head 5, slope 1/32")
