"""The front door: a picture that moves under the slider, on a phone too, and its doors."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from alibi_viz.evaluation.front_door_file import load_ending
from tests.browser.server import settle

ENDING = load_ending()


def perplexities(page: Page) -> Locator:
    return page.locator(".ending .row:not(.head) .loss b")


def expected(length: int) -> list[str]:
    values = [look["perplexity"] for look in ENDING.looks if look["length"] == length]
    return [f"{value:.1f}" if value < 100 else f"{value:.0f}" for value in values]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_slider_reads_more_text_with_every_key(visit, width):
    page = visit("?read=1", width=width, height=720)
    expect(perplexities(page)).to_have_text(expected(16))
    slider = page.get_by_role("slider", name="text read")
    slider.focus()
    for length in ENDING.lengths[1:]:
        page.keyboard.press("ArrowRight")
        expect(page.locator(".ending")).to_have_attribute("data-length", str(length))
        expect(perplexities(page)).to_have_text(expected(length))
    expect(page.get_by_text("8× as much as any text in training")).to_be_visible()
    # The figure stays in sight while it is dragged.
    expect(slider).to_be_in_viewport()
    # The server has the last key a moment after the browser, and the address what the server has.
    expect(page).to_have_url(re.compile(r"read=7\b"))


def test_the_picture_plays_by_itself_once_and_can_be_paused(visit):
    page = visit()
    pause = page.get_by_role("button", name="pause")
    pause.click()
    kept = page.locator(".ending").get_attribute("data-length")
    page.wait_for_timeout(1500)
    expect(page.locator(".ending")).to_have_attribute("data-length", kept)


def test_words_that_have_no_room_count_as_text_before(visit):
    page = visit("?read=6", width=390, height=844)
    for method in ("alibi", "rope", "t5", "nope"):
        row = page.locator(f".row[data-method={method}]")
        expect(row.locator(".earlier b")).to_be_visible()
        told = row.locator(".words [title*=attention]").all()
        box = row.locator(".words").bounding_box()
        last = row.locator(".last").bounding_box()
        assert last["x"] + last["width"] <= box["x"] + box["width"] + 1
        shown = sum(float(one.get_attribute("title").split(" ")[0]) for one in told[1:])
        before = float(row.locator(".earlier b").inner_text().split(" ")[1])
        assert shown + before == pytest.approx(100, abs=2)


def test_the_doors_lead_where_they_say(visit):
    page = visit()
    page.get_by_role("link", name="Inspect a model").click()
    settle(page)
    expect(page.locator("h1")).to_have_text("Inside a trained model")


def test_past_the_training_length_a_sentence_says_who_fails(visit):
    page = visit(f"?read={len(ENDING.lengths)}")
    at = {(look["method"], look["length"]): look["perplexity"] for look in ENDING.looks}
    longest, trained = ENDING.lengths[-1], ENDING.train_length
    ratios = {key: at[key, longest] / at[key, trained] for key in ("alibi", "rope", "t5", "nope")}
    worst, best = max(ratios.values()), min(ratios.values())
    said = page.locator(".said")
    expect(said).to_contain_text(f"perplexity is {float(f'{worst:.2g}'):g} times as high for RoPE")
    expect(said).to_contain_text(f"and {float(f'{best:.2g}'):g} times for T5 bias.")
