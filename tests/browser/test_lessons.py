"""A newcomer does the lessons in a real browser: by mouse, by keyboard, and after a reload."""

import io
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from alibi_viz.lessons.course import lessons
from alibi_viz.lessons.lesson import Lesson
from alibi_viz.lessons.progress import from_text
from alibi_viz.ui.frame import navigation
from alibi_viz.ui.lessons.to_pages import page_state
from alibi_viz.ui.link.parameters import complaints
from tests.browser.hands import Hands, Keyboard, Mouse, chosen_cell, slider_label
from tests.browser.server import settle
from tests.lessons.far_looks import far_looks


def query(page: Page) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def done(page: Page):
    return from_text(query(page).get("done", ""), lessons())


def press(page: Page, key: str) -> None:
    # What has a help text is a button within a button to Streamlit.
    page.locator(f".st-key-{key} button").first.click()


def leave_only(hands: Hands, *kept: str) -> None:
    """Takes all methods out of the chart but these; only methods with a line have a button."""
    buttons = hands.page.locator(".st-key-methods [role=toolbar] button")
    for label in buttons.all_inner_texts():
        if label not in kept:
            hands.choose("methods", label)


def do_ladder(hands: Hands) -> None:
    hands.slide("heads", 12)
    hands.choose("rule", "interleaved")
    hands.set_number("head", 9)


def do_windows(hands: Hands) -> None:
    hands.slide("length", 16_384)
    hands.slide("exponent", 12)


def do_trained_heads(hands: Hands) -> None:
    page = hands.page
    hands.set_number("head", 3)
    expect(page.locator(".attention .title .name")).to_contain_text("head 3 of 8")
    settle(page)
    query, key = chosen_cell(page)
    hands.point(min(far_looks(2, 3), key=lambda at: abs(at[0] - query) + abs(at[1] - key)))


def do_stretching(hands: Hands) -> None:
    hands.press(".st-key-stretched_by input")
    hands.page.keyboard.type("YaRN, as coded")
    hands.page.keyboard.press("Enter")
    settle(hands.page)
    hands.slide("stretch", 16)


ACTIONS = {
    "equal-words": lambda hands: hands.choose("position", "ALiBi"),
    "adding": lambda hands: hands.slide("trained", 8192),
    "rotating": lambda hands: hands.slide("trained", 2048),
    "penalty": lambda hands: hands.set_number("head", 6),
    "ladder": do_ladder,
    "softmax": lambda hands: hands.set_number("head", 4),
    "windows": do_windows,
    "short-long": lambda hands: leave_only(hands, "ALiBi", "Sinusoidal"),
    "early-tokens": lambda hands: hands.choose("protocol", "sliding window"),
    "trained-heads": do_trained_heads,
    "failures": lambda hands: hands.slide("exponent", 13),
    "look-back": lambda hands: hands.slide("exponent", 10),
    "stretching": do_stretching,
    "choosing": lambda hands: leave_only(hands, "ALiBi", "T5 bias"),
}
NEXT = ".st-key-lesson_next button"


@pytest.mark.parametrize("way", [Mouse, Keyboard])
def test_a_newcomer_does_all_lessons_by_mouse_or_by_keyboard_alone(visit, way):
    page = visit("lessons")
    hands = way(page)
    hands.press(".st-key-lesson_go_on button")
    for lesson in lessons():
        expect(page.locator("h2")).to_have_text(lesson.title)
        expect_text(page, "Goal.")
        hands.press(NEXT)
        expect_text(page, f"Question 1 of {len(lesson.questions)}")
        settle(page)
        hands.answer(lesson.questions[0])
        expect_text(page, "Right.")
        settle(page)
        hands.choose("lesson_step", "Do")
        expect_text(page, "Your turn")
        settle(page)
        ACTIONS[lesson.slug](hands)
        expect_text(page, "Done.")
        hands.press(NEXT)
        expect_text(page, "Why it is so")
        hands.reach(FULL_VIEW)
        expect_link(page, lesson)
        hands.press(NEXT)
    expect(page.get_by_text("lessons, about")).to_be_visible()
    settle(page)
    wanted = {(lesson.slug, item) for lesson in lessons() for item in (lesson.items[0], "do")}
    assert done(page) == wanted
    page.reload()
    settle(page)
    expect(page.get_by_text(f"{len(wanted)} of")).to_be_visible()
    assert done(page) == wanted


FULL_VIEW = ".st-key-lesson_full_view a"


def expect_text(page: Page, said: str) -> None:
    expect(page.get_by_text(said, exact=True)).to_be_visible()


def expect_link(page: Page, lesson: Lesson) -> None:
    """The link to the full page says what the lesson's view has been brought to."""
    path, _, query = page.locator(FULL_VIEW).get_attribute("href").partition("?")
    assert path == navigation.address(lesson.view.page)
    state = dict(parse_qsl(query))
    assert complaints(lesson.view.page, state) == []
    solved = page_state(lesson.view.name, {**lesson.view.state, **lesson.action.solution})
    assert state.items() >= solved.items()


def test_a_wrong_answer_is_explained_and_the_right_one_waits(visit):
    page = visit("lessons?lesson=softmax&step=far-weight")
    page.get_by_placeholder("a number").fill("e^-2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("how it compares with the query's own key")).to_be_visible()
    expect(page.get_by_text("0.000537")).to_have_count(0)
    press(page, "lesson_reveal")
    expect(page.get_by_text("0.000537")).to_be_visible()


def test_whoever_leaves_a_lesson_comes_back_to_the_step(visit):
    page = visit("lessons?lesson=rotating&step=shift")
    expect_text(page, "Question 2 of 3")
    page.get_by_role("link", name="Decay", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("Decay & windows")
    settle(page)
    page.get_by_role("link", name="Lessons", exact=True).first.click()
    expect_text(page, "Question 2 of 3")


def test_a_copied_link_carries_the_place_and_nobodys_ticks(visit):
    page = visit("lessons?lesson=rotating&step=shift&done=3")
    expect_text(page, "Question 2 of 3")
    settle(page)
    assert done(page)
    button = page.locator(".st-key-copy_link").get_by_role("button")
    button.click()
    expect(button).to_have_text("copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert parse_qs(urlsplit(copied).query) == {"lesson": ["rotating"], "step": ["shift"]}


def test_next_leads_to_the_top_of_the_step_on_a_phone(visit):
    page = visit("lessons?lesson=penalty", width=360, height=640)
    button = page.locator(NEXT)
    button.scroll_into_view_if_needed()
    button.click()
    expect(page.get_by_text("Question 1 of 4")).to_be_in_viewport()


@pytest.mark.parametrize("width", [1280, 360])
def test_code_is_never_cut_and_a_question_stays_where_it_is(visit, width):
    page = visit("lessons?lesson=penalty&step=leak&large=1", width=width, height=720)
    code = page.locator("[data-testid=stCode] pre")
    expect(code).to_contain_text(", 0)")
    assert code.evaluate("it => it.scrollWidth <= it.clientWidth + 1")
    question = page.get_by_text("Question 3 of 4")
    before = question.evaluate("it => it.getBoundingClientRect().top + scrollY")
    page.locator("[data-testid=stRadio] [role=radiogroup] label").nth(0).click()
    page.locator("[data-testid=stFormSubmitButton] button").click()
    expect(page.get_by_text("Not yet.")).to_be_visible()
    main = "document.querySelector('[data-testid=stMain]').scrollTop"
    page.evaluate(f"() => {{ {main} = 0 }}")
    assert abs(question.evaluate("it => it.getBoundingClientRect().top + scrollY") - before) < 2


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
    assert scanned(page.get_by_role("img", name="QR code of the link")) == copied
    page.goto(copied)
    settle(page)
    size = "() => getComputedStyle(document.documentElement).fontSize"
    assert page.evaluate(size) == "21px"
    page.get_by_role("link", name="Decay", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("Decay & windows")
    settle(page)
    assert page.evaluate(size) == "21px"


def scanned(code: Locator) -> str:
    """What a telephone reads from a code on the screen."""
    [found] = zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())))
    return found.text


def test_a_presenters_keys_walk_through_a_lesson_with_large_type(visit):
    page = visit("lessons?lesson=windows&large=1")
    page.keyboard.press("PageDown")
    expect(page.get_by_text("Question 1 of 5")).to_be_visible()
    page.keyboard.press("PageUp")
    expect(page.get_by_text("Goal.", exact=True)).to_be_visible()


def test_hidden_controls_stay_hidden_on_their_page_only(visit):
    page = visit("decay?show=heads&length=1024&exponent=4")
    exponent = page.locator(".st-key-exponent")
    expect(page.locator(".st-key-heads")).to_be_visible()
    expect(exponent).to_have_count(0)
    expect(page.get_by_text("of 1,024 keys")).to_be_visible()
    page.get_by_role("link", name="Slopes", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("Slopes & biases")
    expect(exponent).to_be_visible()
    page.get_by_role("link", name="Decay", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("Decay & windows")
    expect(page.locator(".st-key-heads")).to_be_visible()
    expect(exponent).to_have_count(0)
    expect(page.get_by_text("of 1,024 keys")).to_be_visible()
    settle(page)
    assert query(page).items() >= {"length": "1024", "exponent": "4"}.items()
    page.get_by_role("button", name="all controls").click()
    expect(exponent).to_be_visible()
    settle(page)
    assert "show" not in query(page)
    expect(slider_label(page, "exponent")).to_have_text("4")


def test_a_sheet_is_saved_as_a_page_that_stands_alone(visit):
    page = visit("lessons?teach=sheets")
    page_address = page.url
    with page.expect_download() as waiting:
        page.locator(".st-key-sheets_penalty button").click()
    text = waiting.value.path().read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "alibi-viz-sheet-penalty.html"
    asked = []
    # A page of its own: the app's policy forbids scripts in what it has not sent.
    page = page.context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(text)
    expect(page.get_by_text("Questions", exact=True)).to_be_visible()
    assert page.locator("math").count() > 3
    expect(page.locator(".js-plotly-plot svg").first).to_be_visible()
    assert not asked
    link = f"http://{urlsplit(page_address).netloc}/lessons?lesson=penalty"
    assert scanned(page.locator("figure.code svg")) == link
    expect(page.locator("figure.code figcaption")).to_have_text(link)


def test_a_plan_is_made_handed_out_and_followed(visit):
    page = visit("lessons?teach=plan")
    press(page, "plan_later_equal-words")
    expect(page.locator("[data-testid=stCode]")).to_contain_text("plan=penalty.8,equal-words.6")
    press(page, "plan_out_softmax")
    expect(page.locator("[data-testid=stCode]")).not_to_contain_text("softmax")
    field = page.get_by_label("minutes for A penalty on the logit")
    field.fill("12")
    field.press("Enter")
    link = page.locator("[data-testid=stCode]")
    expect(link).to_contain_text("plan=penalty.12,equal-words.6,short-long.8,early-tokens.9")
    expect(page.get_by_text("leaves 10 for questions")).to_be_visible()
    page.goto(link.inner_text().strip())
    settle(page)
    rows = page.locator("[class*=st-key-lesson_row_]")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("A penalty on the logit")
    press(page, "lesson_open_penalty")
    settle(page)
    assert query(page)["plan"].startswith("penalty.12,equal-words.6")
    hands = Mouse(page)
    hands.choose("lesson_step", "Why")
    expect(page.locator(NEXT)).to_have_text("Next lesson: Two equal words")
