"""The first screen: a page's figure with its controls, on a projector and on a phone."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.server import settle

# By page: what its main figure is, and a slider that changes it. The retrieval part is the one that
# needs no forward pass to draw.
FIGURES = {
    "": ".ending",
    "explore": ".live canvas.base",
    "decay": ".st-key-decay .js-plotly-plot",
    "methods": ".st-key-worked-example .js-plotly-plot",
    "extrapolation": ".st-key-extrapolation .js-plotly-plot",
    "retrieval": ".st-key-recall .js-plotly-plot",
    "trained_attention": ".attention canvas.base",
}
SLIDERS = {
    "explore": ("heads", ".live canvas.grid"),
    "decay": ("exponent", ".st-key-decay .js-plotly-plot"),
    "methods?part=variants": ("span", ".st-key-variant-curves .js-plotly-plot"),
    "retrieval?of=middle": ("middle_length", ".st-key-middle .js-plotly-plot"),
}
SEEN = """figure => {
    const bar = document.querySelector(".st-key-stage_controls");
    const isBar = bar && getComputedStyle(bar.parentElement).position === "sticky";
    const end = isBar ? bar.getBoundingClientRect().top : innerHeight;
    const box = figure.getBoundingClientRect();
    return Math.max(0, Math.min(box.bottom, end) - Math.max(box.top, 0)) / box.height;
}"""


def figure_of(page: Page, selector: str):
    figure = page.locator(selector).first
    expect(figure).to_be_visible()
    settle(page)
    return figure


@pytest.mark.parametrize("wish", ["", "large=1"])
@pytest.mark.parametrize("path", FIGURES)
def test_the_figure_stands_in_the_first_screen(visit, path, wish):
    page = visit(f"{path}?{wish}", width=1280, height=720)
    figure = figure_of(page, FIGURES[path])
    assert figure.evaluate(SEEN) >= 0.6


@pytest.mark.parametrize("path", FIGURES)
def test_one_figure_fills_the_screen_and_no_more(visit, path):
    if not path:
        pytest.skip("the front door's picture is presented with its whole page")
    page = visit(f"{path}?present=1", width=1280, height=720)
    # Presented, the first figure of "Where position enters" is the way of a token.
    figure = figure_of(page, ".js-plotly-plot" if path == "methods" else FIGURES[path])
    assert figure.evaluate(SEEN) > 0.98


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize("path", SLIDERS)
def test_a_phone_shows_what_a_slider_moves(visit, path, width):
    page = visit(path, width=width, height=640)
    key, selector = SLIDERS[path]
    figure = figure_of(page, selector)
    before = figure.evaluate("figure => figure.outerHTML") if "plotly" in selector else None
    slider = page.locator(f".st-key-{key} input[type=range]")
    thumb = slider.evaluate("""input => {
        const box = input.closest("[style*=absolute][data-rac]").getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }""")
    drawn = page.locator(".live").get_attribute("data-draws") if before is None else None
    page.mouse.move(*thumb)
    page.mouse.down()
    page.mouse.move(thumb[0] + 40, thumb[1], steps=4)
    assert figure.evaluate(SEEN) > 0.4
    page.mouse.up()
    if before is None:
        expect(page.locator(".live")).not_to_have_attribute("data-draws", drawn)
    else:
        page.wait_for_function(
            "([selector, html]) => document.querySelector(selector)?.outerHTML !== html",
            arg=[selector, before],
        )
    assert figure_of(page, selector).evaluate(SEEN) > 0.4
