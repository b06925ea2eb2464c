"""Training and live evaluation as visitors do them, with models that take seconds."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from tests.browser.server import running_app

# A subprocess has to import torch and read the corpus, on a machine that may be busy.
PATIENCE_MS = 120_000
TINY = "t_layers=1&t_width=32&t_heads=4&t_length=32"
# Many short steps, so that there is something to cancel; and hardly any.
LONG = f"train?{TINY}&t_tokens=4"
SHORT = f"train?{TINY}&t_tokens=0.1&method=NoPE"
SHORT_LABEL = "NoPE, own, 4 heads, 1 layer, width 32, trained on 32 tokens, 0.1 M tokens, seed 0"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server with jobs of its own."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ALIBI_VIZ_JOBS", str(tmp_path_factory.mktemp("jobs")))
    with running_app() as started:
        patch.undo()
        yield started


def click(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def expect_status(page: Page, text: str) -> None:
    pattern = re.compile(text)
    expect(page.get_by_test_id("stProgress")).to_contain_text(pattern, timeout=PATIENCE_MS)


def test_two_visitors_share_a_job_that_starts_is_cancelled_and_goes_on(visit, address):
    page = visit(LONG, address=address)
    click(page, "Train")
    expect_status(page, r"Running, \d+% · \d+:\d\d left · [\d,]+ tokens a second")
    expect(page.locator(".st-key-loss .main-svg").first).to_be_visible()
    other = visit(LONG, address=address)
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


def test_a_model_is_trained_and_then_measured(visit, address):
    page = visit(SHORT, address=address)
    click(page, "Train")
    expect_status(page, "Finished after")
    expect(page.get_by_text("is ready. Measure it")).to_be_visible()
    expect(page.get_by_text("a perplexity of")).to_be_visible()
    page.get_by_role("link", name="Train short, test long").last.click()
    settle(page)
    page.goto(f"{address}/extrapolation?live_models={quote(SHORT_LABEL)}&live_lengths=64")
    settle(page)
    expect(page.get_by_text(re.compile("own-[0-9a-f]{16} --lengths 64 "))).to_be_visible()
    click(page, "Measure")
    expect_status(page, "Finished after")
    expect(page.locator(".st-key-live .main-svg").first).to_be_visible()
    expect(page.get_by_text(re.compile("with windows of 64 tokens NoPE own"))).to_be_visible()


def test_the_page_fits_a_phone(visit, address):
    page = visit("train", width=390, height=844, address=address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
