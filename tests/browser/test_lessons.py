"""A newcomer does the lessons in a real browser: by mouse, by keyboard, and after a reload."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.progress import from_text
from alibi_viz.lessons.questions import ChoiceQuestion, NumberQuestion
from tests.browser.server import settle
from tests.browser.test_explore import slider_thumb


def query(page: Page) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def done(page: Page):
    return from_text(query(page).get("done", ""), lessons())


def press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key} button").click()


def drag_to(page: Page, key: str, value: int) -> None:
    """Drags a slider's thumb until its label says that value, and lets it go."""
    slider = page.locator(f".st-key-{key}")
    label = slider.get_by_test_id("stSliderThumbValue")
    x, y = slider_thumb(page, key)
    page.mouse.move(x, y)
    page.mouse.down()
    step = 4 if int(float(label.inner_text())) < value else -4
    for _ in range(250):
        if float(label.inner_text()) == value:
            break
        x += step
        page.mouse.move(x, y)
    page.mouse.up()
    expect(label).to_have_text(str(value))
    settle(page)


def set_head(page: Page, head: int) -> None:
    field = page.get_by_label("head", exact=True)
    field.fill(str(head))
    field.press("Enter")


def leave_only(page: Page, *kept: str) -> None:
    for label in ("ALiBi", "Sinusoidal", "Learned", "RoPE", "T5 bias", "NoPE"):
        if label not in kept:
            page.locator(".st-key-methods").get_by_text(label, exact=True).click()
            settle(page)


def do_ladder(page: Page) -> None:
    drag_to(page, "heads", 12)
    page.locator(".st-key-rule").get_by_text("interleaved").click()
    settle(page)
    set_head(page, 9)


def do_windows(page: Page) -> None:
    drag_to(page, "length", 16_384)
    drag_to(page, "exponent", 16)


ACTIONS = {
    "equal-words": lambda page: page.locator(".st-key-position").get_by_text("ALiBi").click(),
    "adding": lambda page: drag_to(page, "trained", 8192),
    "rotating": lambda page: drag_to(page, "trained", 4096),
    "penalty": lambda page: set_head(page, 6),
    "ladder": do_ladder,
    "softmax": lambda page: set_head(page, 4),
    "windows": do_windows,
    "short-long": lambda page: leave_only(page, "ALiBi", "Sinusoidal"),
    "early-tokens": lambda page: page.locator(".st-key-protocol").get_by_text("sliding").click(),
    "trained-heads": lambda page: set_head(page, 1),
    "failures": lambda page: drag_to(page, "exponent", 16),
    "choosing": lambda page: leave_only(page, "ALiBi", "T5 bias"),
}


def answer_by_mouse(page: Page, question) -> None:
    if isinstance(question, NumberQuestion):
        page.get_by_placeholder("a number").fill(f"{question.answer():.12g}")
    else:
        page.locator("[data-testid=stRadio] [role=radiogroup] label").nth(question.right).click()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()


def test_a_newcomer_does_all_lessons_by_mouse(visit):
    page = visit("lessons")
    press(page, "lesson_go_on")
    for number, lesson in enumerate(lessons(), 1):
        expect(page.locator("h2")).to_have_text(f"{number}. {lesson.title}")
        press(page, "lesson_next")
        answer_by_mouse(page, lesson.questions[0])
        bar = page.locator(".st-key-lesson_step")
        bar.get_by_text("Do", exact=True).click()
        expect(page.get_by_text("Your turn", exact=True)).to_be_visible()
        settle(page)
        ACTIONS[lesson.slug](page)
        expect(page.get_by_text("Done.", exact=True)).to_be_visible()
        press(page, "lesson_next")
        expect(page.get_by_text("Why it is so", exact=True)).to_be_visible()
        press(page, "lesson_next")
    expect(page.get_by_text("lessons, about")).to_be_visible()
    settle(page)
    wanted = {(lesson.slug, item) for lesson in lessons() for item in (lesson.items[0], "do")}
    assert done(page) == wanted
    page.reload()
    settle(page)
    expect(page.get_by_text(f"{len(wanted)} of")).to_be_visible()
    assert done(page) == wanted


def tab_to(page: Page, reached: str) -> None:
    """Presses Tab until a condition on the focused element holds, as a script in `element`."""
    for _ in range(90):
        if page.evaluate(f"() => {{ const element = document.activeElement; return {reached}; }}"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never reached: {reached}")


def choose_by_arrows(page: Page, text: str) -> None:
    """Moves within a row of buttons, by arrows or by Tab, and takes the one of that name."""
    focused = "() => document.activeElement.innerText"
    for _ in range(8):
        before = page.evaluate(focused)
        if before == text:
            page.keyboard.press("Space")
            return
        page.keyboard.press("ArrowRight")
        if page.evaluate(focused) == before:
            page.keyboard.press("Tab")
    pytest.fail(f"no button {text}")


def tab_to_button(page: Page, text: str) -> None:
    tab_to(page, f"element.tagName === 'BUTTON' && element.innerText.includes({text!r})")


def answer_by_keyboard(page: Page, question) -> None:
    if isinstance(question, NumberQuestion):
        tab_to(page, "element.placeholder?.startsWith('a number')")
        page.keyboard.type(f"{question.answer():.12g}")
        page.keyboard.press("Enter")
    else:
        tab_to(page, "element.type === 'radio'")
        page.keyboard.press("Space")
        for _ in range(question.right):
            page.keyboard.press("ArrowDown")
        tab_to_button(page, "Check")
        page.keyboard.press("Enter")
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    settle(page)


def test_a_lesson_can_be_done_by_keyboard_alone(visit):
    lesson = find_lesson("equal-words")
    page = visit("lessons")
    tab_to_button(page, "Start")
    page.keyboard.press("Enter")
    expect(page.locator("h2")).to_have_text(f"1. {lesson.title}")
    for question in lesson.questions:
        settle(page)
        tab_to_button(page, "Next")
        page.keyboard.press("Enter")
        expect(
            page.get_by_text(f"Question {lesson.questions.index(question) + 1} of")
        ).to_be_visible()
        settle(page)
        assert isinstance(question, NumberQuestion | ChoiceQuestion)
        answer_by_keyboard(page, question)
    tab_to_button(page, "Next: your turn")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your turn", exact=True)).to_be_visible()
    settle(page)
    tab_to(page, "element.closest('.st-key-position [role=radiogroup]')")
    choose_by_arrows(page, "ALiBi")
    expect(page.get_by_text("Done.", exact=True)).to_be_visible()
    settle(page)
    assert done(page) == {(lesson.slug, item) for item in lesson.items}


def test_a_wrong_answer_is_explained_and_the_right_one_waits(visit):
    page = visit("lessons?lesson=softmax&step=far-weight")
    page.get_by_placeholder("a number").fill("e^-2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("how it compares with the query's own key")).to_be_visible()
    expect(page.get_by_text("0.000537")).to_have_count(0)
    press(page, "lesson_reveal")
    expect(page.get_by_text("0.000537")).to_be_visible()


def test_a_link_to_a_step_opens_it_on_a_phone_without_sideways_scroll(visit):
    for path in ("lessons", "lessons?lesson=ladder&step=do", "lessons?teach=links"):
        page = visit(path, width=360, height=780)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth + 1")


def test_the_built_link_opens_what_it_says_with_large_type(visit):
    page = visit("lessons?teach=links")
    page.get_by_text("large type, for a projector").click()
    link = page.locator("[data-testid=stCode]")
    expect(link).to_contain_text("large=1")
    page.locator(".st-key-copy_built_link").get_by_role("button").click()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == link.inner_text().strip()
    page.goto(copied)
    settle(page)
    size = "() => getComputedStyle(document.documentElement).fontSize"
    assert page.evaluate(size) == "21px"
    page.get_by_role("link", name="Decay & windows").first.click()
    expect(page.locator("h1")).to_have_text("Decay & windows")
    settle(page)
    assert page.evaluate(size) == "21px"


def test_a_presenters_keys_walk_through_a_lesson_with_large_type(visit):
    page = visit("lessons?lesson=windows&large=1")
    page.keyboard.press("PageDown")
    expect(page.get_by_text("Question 1 of 5")).to_be_visible()
    page.keyboard.press("PageUp")
    expect(page.get_by_text("Goal.", exact=True)).to_be_visible()


def test_hidden_controls_stay_hidden_on_their_page_only(visit):
    page = visit("decay?show=heads&length=1024")
    exponent = page.locator(".st-key-exponent")
    expect(page.locator(".st-key-heads")).to_be_visible()
    expect(exponent).to_have_count(0)
    expect(page.get_by_text("of 1,024 keys")).to_be_visible()
    page.get_by_role("link", name="Slopes & biases").first.click()
    expect(page.locator("h1")).to_have_text("Slopes & biases")
    expect(exponent).to_be_visible()
    page.get_by_role("link", name="Decay & windows").first.click()
    expect(page.locator("h1")).to_have_text("Decay & windows")
    expect(page.locator(".st-key-heads")).to_be_visible()
    expect(exponent).to_have_count(0)
    page.get_by_role("button", name="all controls").click()
    expect(exponent).to_be_visible()
    settle(page)
    assert "show" not in query(page)


def test_a_sheet_is_saved_as_a_page_that_stands_alone(visit):
    page = visit("lessons?teach=sheets")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("Sheet 4$")).click()
    text = waiting.value.path().read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "alibi-viz-lesson-04-penalty.html"
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(text)
    expect(page.get_by_text("Questions", exact=True)).to_be_visible()
    assert page.locator("math").count() > 3
    assert page.locator("svg").count() == 1
    assert not asked
