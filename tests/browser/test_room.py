"""A class in three browsers: a lecturer's projector and two phones, through vote and reveal."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import complaints
from tests.browser.server import PATIENCE_MS, running_app, settle


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server with rooms of its own."""
    file = tmp_path_factory.mktemp("rooms") / "rooms.sqlite3"
    with running_app(ALIBI_VIZ_ROOMS=str(file)) as address:
        yield address


@pytest.fixture
def class_of_two(visit, browser, address):
    """Opens a room on a question; gives the projector and two phones that have joined."""
    contexts = []

    def open_room(question):
        projector = visit(f"room?ask={question}", width=1280, height=720, address=address)
        projector.get_by_role("button", name="Open a room").click()
        code = projector.locator(".st-key-room_code p").inner_text()
        assert re.fullmatch("[A-Z]{4}", code)
        phones = []
        for _ in range(2):
            context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
            contexts.append(context)
            phone = context.new_page()
            phone.set_default_timeout(PATIENCE_MS)
            phone.goto(f"{address}/join/{code}")
            expect(phone.locator("#status")).to_contain_text("You are in")
            phones.append(phone)
        counted(projector, "2 joined")
        return projector, phones

    yield open_room
    for context in contexts:
        context.close()


def counted(projector, words):
    expect(projector.locator(".st-key-room_count").first).to_contain_text(words)


def press(projector, key, then):
    """Presses a key of the presenter's, and waits for the button of the move after it."""
    settle(projector)
    projector.keyboard.press(key)
    expect(projector.get_by_role("button", name=then)).to_be_visible()


def send(phone, choose):
    choose(phone)
    phone.get_by_role("button", name=re.compile("Send|Change")).click()
    expect(phone.locator("#status")).to_contain_text("Your answer is in")


def option(text):
    return lambda phone: phone.get_by_label(text).check()


def bars(projector):
    """The texts at the ends of the bars."""
    expect(projector.locator(".js-plotly-plot .bartext").first).to_be_visible()
    return projector.locator(".js-plotly-plot .bartext").all_text_contents()


def test_a_class_votes_talks_votes_again_and_sees_both_votes_with_the_answer(class_of_two):
    projector, (ann, ben) = class_of_two("ladder/rules")
    press(projector, "PageDown", "Close the vote")
    send(ann, option("For all of them."))
    counted(projector, "1 of 2 answered")
    send(ben, option("For multiples of 8."))
    counted(projector, "2 of 2 answered")
    press(projector, "PageDown", "Vote again")
    # What was answered sways the second vote: hidden, until a key shows it.
    expect(projector.locator(".js-plotly-plot")).to_have_count(0)
    press(projector, "d", "Hide the answers")
    assert bars(projector) == ["1 · 50 %", "0 · 0 %", "1 · 50 %"]
    expect(projector.get_by_text("✓")).to_have_count(0)
    press(projector, "d", "Show the answers")
    press(projector, "PageDown", "Close the vote")
    expect(ann.locator("#status")).to_contain_text("Round 2")
    send(ann, option("For powers of two."))
    send(ben, option("For multiples of 8."))
    press(projector, "PageDown", "Reveal")
    expect(ann.locator("#reveal")).to_be_hidden()
    press(projector, "PageDown", "Next question")
    expect(ann.locator("#reveal")).to_have_class("right")
    said = ["1 · 50 %", "0 · 0 %", "1 · 50 %", "0 · 0 %", "1 · 50 %", "1 · 50 %"]
    assert bars(projector) == said
    expect(projector.get_by_text("✓ For powers of two.")).to_be_visible()
    expect(projector.get_by_text("takes multiples of 8 for powers of two")).to_be_visible()
    # Another browser session of the presenter's finds the room again.
    projector.reload()
    settle(projector)
    expect(projector.get_by_role("button", name="Next question")).to_be_visible()
    projector.keyboard.press("Escape")
    projector.get_by_role("button", name="Room", exact=True).click()
    with projector.expect_download() as saved:
        projector.get_by_role("button", name="Save as CSV").click()
    assert len(saved.value.path().read_text().splitlines()) == 5
    projector.get_by_role("button", name="End the room").click()
    expect(ann.locator("#status")).to_contain_text("The room has ended")
    expect(projector.get_by_role("button", name="Open a room")).to_be_visible()


def test_lines_drawn_by_finger_stand_together_and_then_beside_the_measured_one(class_of_two):
    projector, phones = class_of_two("sketch/rope")
    press(projector, "PageDown", "Close the vote")
    for rise, phone in zip((20, 90), phones, strict=True):

        def draw(phone, rise=rise):
            box = phone.locator("svg").bounding_box()
            x, y = box["x"] + box["width"] / 5, box["y"] + box["height"] * 0.7
            phone.mouse.move(x, y)
            phone.mouse.down()
            phone.mouse.move(x + box["width"] * 0.75, y - rise, steps=8)
            phone.mouse.up()

        send(phone, draw)
    press(projector, "PageDown", "Reveal")
    press(projector, "d", "Hide the answers")
    lines = projector.locator(".js-plotly-plot .scatterlayer .trace")
    expect(lines).to_have_count(2)
    press(projector, "PageDown", "Next question")
    expect(lines).to_have_count(3)
    expect(projector.get_by_text("RoPE, measured")).to_be_visible()
    expect(phones[0].locator("svg .measured")).to_have_attribute("d", re.compile("^M.*L"))


def test_the_code_fills_the_screen_by_a_key(class_of_two):
    projector, _ = class_of_two("ladder/third")
    settle(projector)
    projector.keyboard.press("q")
    code = projector.get_by_role("dialog", name="QR code")
    expect(code).to_be_visible()
    expect(code).to_contain_text("/join/")
    assert code.locator("svg").bounding_box()["height"] > 600
    projector.keyboard.press("Escape")
    expect(code).to_be_hidden()
    # Escape closed the code, and nothing else.
    expect(projector.get_by_role("button", name="leave")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_on_the_projector(class_of_two, dark):
    projector, (ann, _) = class_of_two("ladder/from-zero")
    assert complaints(projector, dark=dark, width=1280) == []
    press(projector, "PageDown", "Close the vote")
    send(ann, lambda phone: phone.get_by_role("radio").nth(2).check())
    assert complaints(projector, dark=dark, width=1280) == []
    press(projector, "PageDown", "Vote again")
    projector.get_by_role("button", name="Reveal").click()
    bars(projector)
    assert complaints(projector, dark=dark, width=1280) == []
