"""A class on its phones: the light page of a room, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import Store
from tests.browser.accessibility import said_by_axe
from tests.browser.server import running_app

THIRD = "ladder/third"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A server and the file of its rooms."""
    file = tmp_path_factory.mktemp("rooms") / "rooms.sqlite3"
    with running_app(ALIBI_VIZ_ROOMS=str(file)) as address:
        yield address, file


@pytest.fixture
def room(place):
    store = Store(place[1])
    yield Room.open(store)
    store.close()


@pytest.fixture
def phone(browser, place):
    """Opens a phone of its own, with its own cookies, at an address below /join."""
    contexts = []

    def open_phone(path="", **options):
        context = browser.new_context(viewport={"width": 390, "height": 844}, **options)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{place[0]}/join{path}")
        return page

    yield open_phone
    for context in contexts:
        context.close()


def says(page, words):
    expect(page.locator("#status")).to_contain_text(words)


def test_three_phones_follow_the_presenter(phone, room):
    phones = [phone(f"/{room.code}") for _ in range(3)]
    for page in phones:
        says(page, "You are in")
    room.start_round(THIRD)
    for page, answer in zip(phones, ("1/8", "1/4", "3"), strict=True):
        page.get_by_label("Your answer").last.fill(answer)
        page.get_by_role("button", name="Send").click()
        says(page, "Your answer is in")
    assert room.state().answered == 3
    room.close_round()
    for page in phones:
        says(page, "The round is closed")
        expect(page.locator("#reveal")).to_be_hidden()
    room.reveal()
    expect(phones[0].locator("#reveal")).to_have_class("right")
    expect(phones[1].locator("#feedback")).to_contain_text("counted heads from 0")
    room.end()
    says(phones[2], "The room has ended")


def test_the_code_is_typed_where_no_camera_is_at_hand(phone, room):
    page = phone()
    page.get_by_label("The code on the screen").fill("zzzz")
    page.keyboard.press("Enter")
    says(page, "There is no such room")
    page.get_by_label("The code on the screen").fill(room.code.lower())
    assert room.state().joined == 0
    page.keyboard.press("Enter")
    says(page, "You are in")
    assert room.state().joined == 1


def test_an_answer_is_still_there_after_the_page_was_loaded_again(phone, room):
    page = phone(f"/{room.code}")
    says(page, "You are in")
    room.start_round("ladder/rules")
    page.get_by_label("For powers of two.").check()
    page.get_by_role("button", name="Send").click()
    says(page, "Your answer is in")
    page.reload()
    expect(page.get_by_label("For powers of two.")).to_be_checked()
    assert room.state().joined == 1


def test_a_line_is_drawn_by_finger_and_by_keys(phone, room):
    page = phone(f"/{room.code}", has_touch=True)
    says(page, "You are in")
    room.start_round("sketch/rope")
    box = page.locator("svg").bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 3
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + box["width"] / 2, y, steps=3)
    page.mouse.up()
    page.get_by_text("With sliders").click()
    page.get_by_role("slider").last.focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Send").click()
    says(page, "Your answer is in")
    (line,) = room.results()[0].lines
    # A third of 240 down is 3 units of the picture below the line of 4 times.
    assert line[5] == pytest.approx(2.3, abs=0.15)
    assert line[-1] == -1.0
    room.reveal()
    expect(page.locator("svg .measured")).to_have_attribute("d", re.compile("^M.*L"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(phone, room, scheme):
    page = phone(f"/{room.code}", color_scheme=scheme)
    says(page, "You are in")
    for question in (THIRD, "ladder/rules", "ladder/from-zero", "sketch/alibi"):
        room.start_round(question)
        expect(page.locator("#question")).to_be_visible()
        assert said_by_axe(page) == []
    room.reveal()
    expect(page.locator("#reveal")).to_be_visible()
    assert said_by_axe(page) == []
