"""Present mode by its keys: one figure, the next one, Page Down wherever the caret is, and back."""

import re

from playwright.sync_api import expect

from tests.browser.server import settle


def heights(page):
    """The type's size, and how much of the chart stands in the first screen."""
    return page.evaluate(
        """() => {
            const chart = document.querySelector(".js-plotly-plot").getBoundingClientRect();
            const seen = Math.min(chart.bottom, innerHeight) - Math.max(chart.top, 0);
            const rem = getComputedStyle(document.documentElement).fontSize;
            return [parseFloat(rem), seen / chart.height];
        }"""
    )


def smallest_type(page):
    """The smallest type within the chart, in pixels; exponents belong to what they stand at."""
    return page.evaluate(
        """() => Math.min(...[...document.querySelectorAll(".js-plotly-plot text")]
            .filter((text) => text.textContent.trim())
            .map((text) => parseFloat(getComputedStyle(text).fontSize)))"""
    )


def test_keys_enter_step_and_leave(visit):
    page = visit("decay", width=1280, height=720)
    expect(page.get_by_role("button", name="present", exact=True)).to_be_visible()
    page.keyboard.press("p")
    # One: while the page changes, the old strip stands beside the new one for a moment.
    expect(page.get_by_role("button", name="leave")).to_have_count(1)
    settle(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    rem, seen = heights(page)
    assert rem >= 24
    assert smallest_type(page) >= 24
    assert seen > 0.98
    # The caret of a slider keeps the arrows, and Page Down is the presenter's all the same.
    page.get_by_role("slider").first.focus()
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile("present=windows"))
    expect(page.get_by_text("Nearest keys that hold a share")).to_be_visible()
    page.keyboard.press("PageUp")
    expect(page).to_have_url(re.compile("present=decay"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="present")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    assert "present" not in page.url


def test_a_letter_that_is_typed_is_a_letter(visit):
    page = visit("?read=2")
    field = page.get_by_label("Or end the text with words of your own")
    field.focus()
    page.keyboard.type("people")
    expect(field).to_have_value("people")
    expect(page.get_by_role("button", name="present", exact=True)).to_be_visible()


def test_the_steps_of_a_lesson_are_the_presenters(visit):
    page = visit("lessons?lesson=windows&present=1", width=1280, height=720)
    expect(page.get_by_role("button", name="leave")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile("step=steep"))
    page.keyboard.press("PageUp")
    expect(page).not_to_have_url(re.compile("step=steep"))
