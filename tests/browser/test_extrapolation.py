"""The page on extrapolation: methods and choices in the link, the paper's chart always there."""

import re

from playwright.sync_api import Page, expect

from tests.browser.server import open_more, settle


def published(page: Page):
    """The paper's chart, once it is drawn; not the one that it is about to replace."""
    chart = page.locator(".st-key-published[data-stale=false]")
    expect(chart.locator(".main-svg").first).to_be_visible()
    return chart


def test_a_method_left_out_leaves_the_chart_and_stands_in_the_link(visit):
    page = visit("extrapolation")
    expect(published(page)).to_contain_text("RoPE")
    open_more(page)
    page.locator(".st-key-methods").get_by_role("button", name="RoPE").click()
    expect(page).to_have_url(re.compile(r"methods=ALiBi&methods=Sinusoidal&methods=Learned"))
    expect(page).not_to_have_url(re.compile("RoPE"))
    expect(published(page)).not_to_contain_text("RoPE")
    page.reload()
    settle(page)
    expect(published(page)).to_contain_text("Sinusoidal")
    expect(published(page)).not_to_contain_text("RoPE")


def test_a_link_with_keys_of_methods_is_understood_and_rewritten(visit):
    page = visit("extrapolation?methods=alibi,t5&paper=WikiText-103+1024&measure=ratio")
    expect(page).to_have_url(re.compile(r"methods=ALiBi&methods=T5\+bias"))
    expect(published(page)).to_contain_text("trained on 1,024 tokens")
    expect(published(page)).to_contain_text("T5 bias:")
    expect(published(page)).not_to_contain_text("Sinusoidal")
    expect(published(page)).to_contain_text("perplexity / perplexity at the training length")


def test_what_a_link_may_not_ask_for_is_said(visit):
    page = visit("extrapolation?methods=xpos&protocol=upside-down")
    notes = page.locator("[data-testid=stAlert]")
    expect(notes.filter(has_text="xpos")).to_be_visible()
    expect(notes.filter(has_text="upside-down")).to_be_visible()
    expect(published(page)).to_contain_text("ALiBi")


def test_the_sliding_window_shows_the_papers_flat_line(visit):
    page = visit("extrapolation")
    published(page)
    page.locator(".st-key-protocol").get_by_role("radio", name="sliding window").click()
    expect(page).to_have_url(re.compile(r"protocol=sliding"))
    expect(page.get_by_text("Table 15 (p25)").first).to_be_visible()


def test_the_page_fits_a_phone(visit):
    page = visit("extrapolation", width=390, height=844)
    published(page)
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wider) <= 0


def test_stretched_models_come_behind_a_switch_and_stand_in_the_link(visit):
    page = visit("extrapolation")
    published(page)
    open_more(page)
    page.locator(".st-key-stretched").get_by_role("radio", name="both").click()
    chart = page.locator(".st-key-stretched_perplexity[data-stale=false]")
    expect(chart.locator(".main-svg").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"stretched=both"))
    expect(chart).to_contain_text("☆ YaRN, coded")
    expect(chart).to_contain_text(re.compile(r"◆ slopes unevenly,\s*tuned"))
    page.locator(".st-key-stretchings").get_by_role("button", name="PI", exact=True).click()
    expect(chart).not_to_contain_text("▽ PI")
    page.reload()
    settle(page)
    expect(chart).to_contain_text("☆ YaRN, coded")
    expect(chart).not_to_contain_text("▽ PI")
