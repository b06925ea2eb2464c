"""The page "Find it again": parts and contenders in the link, a needle dragged away, one figure."""

import re

from playwright.sync_api import expect

from tests.browser.server import settle

# A subprocess has to import torch, on a machine that may be busy.
PATIENCE_MS = 180_000


def test_a_model_of_ones_own_is_trained_asked_and_drawn_and_the_link_has_it(visit, with_jobs):
    page = visit("retrieval?own=train+one&own_steps=50&own_free=2&own_seed=3", address=with_jobs)
    page.get_by_role("button", name="Train", exact=True).click()
    status = page.get_by_test_id("stProgress")
    expect(status).to_contain_text("Finished after", timeout=PATIENCE_MS)
    # The chart that is shown, not the one that leaves.
    chart = page.locator(".st-key-recall[data-stale=false]").first
    expect(chart).to_contain_text("yours, one seed")
    # 50 steps are too few: the page says so, and nothing of the method.
    said = page.locator("[data-testid=stMarkdown]").filter(has_text="What to look for:")
    expect(said).to_contain_text("exponent 10, 2 heads free, answers")
    expect(said).to_contain_text("it has not learned the task")
    page.reload()
    settle(page)
    expect(status).to_contain_text("Finished after")
    expect(chart).to_contain_text("yours, one seed")


def test_a_part_and_its_contenders_stand_in_the_link(visit):
    page = visit("retrieval?contenders=alibi,nope")
    expect(page).to_have_url(re.compile(r"contenders=ALiBi&contenders=NoPE"))
    chart = page.locator(".st-key-recall .main-svg").first
    expect(chart).to_be_visible()
    page.locator(".st-key-of").get_by_role("radio", name="depth").click()
    expect(page.locator(".st-key-depth")).to_contain_text("NoPE")
    expect(page).to_have_url(re.compile("of=depth"))
    page.reload()
    settle(page)
    expect(page.locator(".st-key-depth")).to_contain_text("NoPE")
    expect(page.locator(".st-key-depth")).not_to_contain_text("RoPE")


def test_a_needle_is_dragged_away_by_keys(visit):
    page = visit("retrieval?of=one+needle")
    said = page.locator("[data-testid=stMarkdown]").filter(has_text="What to look for:")
    expect(said).to_contain_text("The distance takes 1.6 nats")
    slider = page.locator(".st-key-needle_distance").get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    expect(said).not_to_contain_text("takes 1.6 nats")
    expect(page).to_have_url(re.compile("needle_distance=8191"))
    expect(page.get_by_text("the farthest needle lies 511 back")).to_be_visible()
    expect(page.locator(".st-key-needle_keys .main-svg").first).to_be_visible()


def test_one_figure_fills_the_screen_with_its_controls(visit):
    page = visit("retrieval?of=one+needle&present=needle", width=1280, height=720)
    expect(page.get_by_role("button", name="leave")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.locator(".st-key-needle_distance")).to_be_visible()
    expect(page.locator(".st-key-needle_length")).to_have_count(0)
