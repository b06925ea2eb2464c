"""What must hold for every page: links, privacy, small screens, both themes, accessibility."""

from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Page, expect

from alibi_viz.figures import theme
from alibi_viz.ui.frame.navigation import PAGES, entry
from tests.browser.accessibility import complaints, css_colour
from tests.browser.server import running_app, settle


@pytest.mark.parametrize("name", ["explore", "decay"])
def test_a_deep_link_is_understood_as_the_first_request_to_a_fresh_server(visit, name):
    with running_app() as address:
        page = visit(f"{name}?heads=12&length=1024", address=address)
        expect(page.locator("h1")).to_have_text(entry(name).title)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(slider_value(page, "heads")).to_have_text("12")
        expect(slider_value(page, "length")).to_have_text("1024")


def slider_value(page: Page, key: str):
    return page.locator(f".st-key-{key} [data-testid=stSliderThumbValue]")


@dataclass(frozen=True)
class Opened:
    """A page that has settled, and what happened on the way."""

    page: Page
    hosts: set[str]
    errors: list[str]


@pytest.fixture(scope="module", params=[page.name for page in PAGES])
def opened(browser, server, request):
    """Every registered page, opened once for all tests that look at all pages."""
    # The landing page stands at the root.
    path = "" if request.param == PAGES[0].name else request.param
    page = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme="light")
    visited = Opened(page, set(), [])
    page.on("request", lambda sent: visited.hosts.add(urlparse(sent.url).hostname or "blob"))
    page.on("pageerror", lambda error: visited.errors.append(str(error)))
    page.goto(f"{server}/{path}")
    settle(page)
    expect(page.locator("h1")).to_have_text(entry(request.param).title)
    yield visited
    page.close()


def test_a_page_opens_without_errors(opened):
    expect(opened.page.locator("[data-testid=stException]")).to_have_count(0)
    assert opened.errors == []


def test_a_page_asks_no_other_host(opened):
    # A component's script comes from a blob, which has no host.
    assert opened.hosts - {"blob"} == {"127.0.0.1"}


@pytest.mark.parametrize("width", [1400, 360])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_to_complain_about(opened, dark, width):
    assert complaints(opened.page, dark=dark, width=width) == []


@pytest.mark.parametrize("width", [390, 360])
def test_a_page_does_not_scroll_sideways_on_a_phone(opened, width):
    opened.page.set_viewport_size({"width": width, "height": 844})
    settle(opened.page)
    # Both the document and Streamlit's own scrolling element. A chart follows the window some
    # frames later, ten seconds on the busiest machine.
    widths = opened.page.evaluate(
        """async () => {
            const overflow = () =>
                [document.documentElement, document.querySelector("[data-testid=stMain]")]
                    .map((element) => element.scrollWidth - element.clientWidth);
            for (let frame = 0; frame < 600 && Math.max(...overflow()) > 0; frame += 1)
                await new Promise(requestAnimationFrame);
            return overflow();
        }"""
    )
    assert len(widths) == 2
    assert max(widths) <= 0


def test_the_parts_of_the_live_view_stack_on_a_phone(visit):
    page = visit("explore", width=390, height=844)
    boxes = [page.locator(part).bounding_box() for part in ("canvas.grid", ".stack", "canvas.row")]
    for above, below in pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"]
    assert all(box["x"] + box["width"] <= 390 for box in boxes)


@pytest.mark.parametrize(("dark", "surface"), [(False, theme.LIGHT), (True, theme.DARK)])
def test_page_and_canvas_follow_the_theme(visit, dark, surface):
    page = visit("explore", dark=dark)
    background = page.locator("[data-testid=stApp]")
    expect(background).to_have_css("background-color", css_colour(surface.background))
    expect(page.locator(".live")).not_to_have_attribute("data-draws", "0")
    # The corner under the hatch, where the first stroke does not reach.
    corner = page.locator("canvas.base").evaluate(
        """canvas => {
            const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, 60).data;
            const seen = new Map();
            for (let at = 0; at < pixels.length; at += 4) {
                if (pixels[at + 3] < 255) continue;
                const colour = `rgb(${pixels[at]}, ${pixels[at + 1]}, ${pixels[at + 2]})`;
                seen.set(colour, (seen.get(colour) ?? 0) + 1);
            }
            return [...seen].sort((a, b) => b[1] - a[1])[0][0];
        }"""
    )
    assert corner == css_colour(surface.background)
