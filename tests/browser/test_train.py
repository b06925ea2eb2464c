"""Training and live evaluation as visitors do them, with models that take seconds."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import settle

# A subprocess has to import torch and read the corpus, on a machine that may be busy.
PATIENCE_MS = 120_000
TINY = "t_layers=1&t_width=32&t_heads=4&t_length=32"
# Many short steps, so that there is something to cancel; and hardly any.
LONG = f"train?{TINY}&t_tokens=4"
SHORT = f"train?{TINY}&t_tokens=0.1&method=NoPE"


def click(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def expect_status(page: Page, text: str) -> None:
    pattern = re.compile(text)
    expect(page.get_by_test_id("stProgress")).to_contain_text(pattern, timeout=PATIENCE_MS)


def test_two_visitors_share_a_job_that_starts_is_cancelled_and_goes_on(visit, with_jobs):
    page = visit(LONG, address=with_jobs)
    click(page, "Train")
    expect_status(page, r"Running, \d+% · \d+:\d\d left · [\d,]+ tokens a second")
    expect(page.locator(".st-key-loss .main-svg").first).to_be_visible()
    other = visit(LONG, address=with_jobs)
    expect_status(other, "Running")
    expect(other.get_by_role("button", name="Train", exact=True)).to_be_disabled()
    click(other, "Cancel")
    # The first visitor did nothing: their page looks again by itself.
    for visitor in (page, other):
        expect_status(visitor, r"Cancelled at \d+%")
    reached = int(re.search(r"at (\d+)%", page.get_by_test_id("stProgress").inner_text())[1])
    click(page, "Resume")
    expect_status(page, "Running")
    expect_status(page, r"Running, (?!0%)\d+%")
    again = int(re.search(r"(\d+)%", page.get_by_test_id("stProgress").inner_text())[1])
    assert again >= reached
    click(page, "Cancel")
    expect_status(page, "Cancelled")


def with_a_model(visit, with_jobs: str) -> Page:
    """The page of a finished model, which whoever comes first trains."""
    page = visit(SHORT, address=with_jobs)
    if page.get_by_role("button", name="Train", exact=True).is_enabled():
        click(page, "Train")
    expect_status(page, "Finished after")
    return page


def test_a_model_is_trained_and_then_measured(visit, with_jobs):
    page = with_a_model(visit, with_jobs)
    expect(page.get_by_text("is ready. Measure it")).to_be_visible()
    expect(page.get_by_text("a perplexity of")).to_be_visible()
    link = page.get_by_role("link", name="Train short, test long").last
    page.goto(f"{with_jobs}/{link.get_attribute('href').partition('#')[0]}&live_lengths=64")
    settle(page)
    page.get_by_text("The same in a terminal").click()
    expect(page.get_by_text(re.compile("own-[0-9a-f]{16} --lengths 64 "))).to_be_visible()
    click(page, "Measure")
    expect_status(page, "Finished after")
    expect(page.locator(".st-key-live .main-svg").first).to_be_visible()
    expect(page.get_by_text(re.compile("with windows of 64 tokens NoPE own"))).to_be_visible()


def test_a_models_page_links_to_a_look_inside_it(visit, with_jobs):
    page = with_a_model(visit, with_jobs)
    link = page.get_by_role("link", name="Inside a model").last.get_attribute("href")
    page.goto(f"{with_jobs}/{link}")
    settle(page)
    expect(page.get_by_text("NoPE, own").first).to_be_visible()


def test_the_page_fits_a_phone(visit, with_jobs):
    page = visit("train", width=390, height=844, address=with_jobs)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
