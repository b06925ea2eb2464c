"""ALiBi on one page: from a disk, without a network, with the app's numbers and pixels."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from alibi_viz.charts.biases import AllHeadsChart
from alibi_viz.charts.decay import DecayChart
from alibi_viz.charts.measured.perplexity import PerplexityChart
from alibi_viz.charts.measured.published import PublishedChart
from alibi_viz.charts.methods.stretching import StretchingChart
from alibi_viz.charts.phases import PhasesChart
from alibi_viz.charts.words import WordsChart
from alibi_viz.figures import theme
from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.progress import code_of
from alibi_viz.lessons.questions import NumberQuestion
from alibi_viz.onepage.lessons import lesson_data, typing_data
from alibi_viz.onepage.markup import short_block
from alibi_viz.onepage.page import HERE, LIVE_FOLDER, PARTS, one_page
from alibi_viz.positions import METHODS
from alibi_viz.ui import canvas
from alibi_viz.ui.claims import view
from tests.browser.accessibility import css_colour, said_by_axe
from tests.browser.server import PATIENCE_MS, settle

STATES = [
    "heads=12&exponent=10&length=1024&rule=interleaved&colour=weight&scale=per+head&head=9&cell=700.650",
    "heads=64&length=16384&exponent=16&head=64&cell=16383.0",
    "heads=3&length=7&colour=bias&head=2&cell=5.1",
]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("onepage") / "alibi.html"
    path.write_text(one_page(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_part(browser, address):
    """Opens the page in a state, and fails where it says an error or asks for anything."""
    pages, errors, asked = [], [], []

    def opened(part: str, *, width: int = 1400, height: int = 900, dark: bool = False) -> Page:
        page = browser.new_page(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        pages.append(page)
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.on("request", lambda sent: asked.append(sent.url.partition("#")[0]))
        page.goto(f"{address}#{part}")
        expect(page.locator("h1:visible")).to_have_count(1)
        return page

    yield opened
    for page in pages:
        page.close()
    assert errors == []
    assert set(asked) - {"data:,"} == {address}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_live_view_has_the_apps_words_and_pixels(visit, open_part, state, dark):
    pages = [visit(f"explore?{state}", dark=dark), open_part(f"explore?{state}", dark=dark)]
    settle(pages[0])
    app, ours = (_drawn_alike(page) for page in pages)
    assert ours == app


def _drawn_alike(page: Page) -> dict[str, object]:
    """What the live view shows at one size, in a font that is the same everywhere."""
    live = page.locator(".live")
    expect(live).not_to_have_attribute("data-draws", "0")
    live.evaluate("root => Object.assign(root.style, {width: '1100px', fontFamily: 'monospace'})")
    draws = live.get_attribute("data-draws")
    # It measures itself again when the window changes.
    page.set_viewport_size({"width": 1300, "height": 880})
    expect(live).not_to_have_attribute("data-draws", str(draws))
    return live.evaluate(
        """root => ({
            pixels: [...root.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
            words: [".count", ".name", ".readout", ".facts"].map(
                (name) => root.querySelector(name).textContent),
            labels: [...root.querySelectorAll("[aria-label]")].map((part) => part.ariaLabel),
        })"""
    )


@pytest.mark.parametrize(
    "state",
    [
        {"heads": 8, "exponent": 8.0, "length": 512, "rule": "geometric"},
        {"heads": 12, "exponent": 10.5, "length": 2048, "rule": "interleaved", "head": 9},
        {"heads": 1, "exponent": 0.5, "length": 2, "rule": "geometric", "head": 1},
        {"heads": 64, "exponent": 16.0, "length": 16_384, "rule": "geometric", "head": 40},
    ],
)
def test_decay_says_what_the_app_says(open_part, state):
    chart = DecayChart(**state, query=state["length"] - 1)
    page = open_part(f"decay?{'&'.join(f'{key}={value}' for key, value in state.items())}")
    section = page.locator("#decay")
    expect(section.locator(".look")).to_have_text(f"What to look for: {chart.sentence()}")
    expect(section.locator(".curves svg")).to_have_attribute("aria-label", chart.alt())
    expect(section.locator(".windows svg")).to_have_attribute("aria-label", chart.windows().alt())
    section.locator("summary").click()
    rows = [row.locator("td").all_inner_texts() for row in section.locator("tbody tr").all()]
    table = chart.heads_table()
    assert [[_number(cell) for cell in (row[0], *row[3:])] for row in rows] == [
        pytest.approx([row.iloc[0], *row.iloc[3:]], rel=1e-3, abs=0.05)
        for _, row in table.iterrows()
    ]
    overview = AllHeadsChart(**{"head": 1, **state}).sentence().replace("*", "")
    page.goto(page.url.replace("#decay", "#explore"))
    expect(page.locator("#explore .look")).to_have_text(f"What to look for: {overview}")


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def test_the_curves_of_decay_are_those_of_the_library(browser):
    state = {"heads": 12, "exponent": 10.5, "length": 2048, "rule": "interleaved", "head": 9}
    chart = DecayChart(**state, query=1228, log_distance=False)
    scripts = canvas.read_files(LIVE_FOLDER, (*canvas.SHARED, *canvas.LIVE))
    own = canvas.read_files(HERE, ["decay.js"])
    values = {**state, "query": 60, "trained": 128, "distance": "linear", "weight": "linear"}
    page = browser.new_page()
    spec = page.evaluate(
        f"() => {{ {scripts.replace('export default', 'void ')}\n{own}\n"
        f"return decaySpec({json.dumps(values)}, {json.dumps(canvas.looks()['light'])}); }}"
    )
    page.close()
    table = chart.table().set_index(["head", "distance, tokens"])
    compared = 0
    for panel, column in zip(spec["panels"], table.columns, strict=True):
        for series in panel["series"]:
            known = table[column].loc[series["head"] + 1]
            points = [(x, y) for x, y in series["points"] if x in known.index]
            compared += len(points)
            # The library adds up weights one by one, 1,229 roundings at most.
            theirs = [known[x] for x, _ in points]
            np.testing.assert_allclose([y for _, y in points], theirs, rtol=1e-12, atol=1e-300)
    assert compared > 600


TYPED = (
    "|x|1/0|1e400|2 3|(1|sqrt(-1)|ln|1,5|1,024|12 345|007|50%|2^-8|2⁻⁸|-2**2|2^3^2|1/sqrt(2)|√2|"
    "exp(-2)|ln 2|½|≈ 0,35|ca. 6|about 12 tokens|3 nats|4.4 bits|0.5 nats per token|6 tokens.|0x|"
    "1e3|.5|7 heads|3x4|e|pi|--3|+3|1.|.|cos(3)|2*(3+4)"
).split("|")


def typed_answers(question: NumberQuestion) -> list[str]:
    """Numbers that are right, nearly right, rounded, of another unit, or of a known error."""
    texts = [*TYPED, "9" * 61]
    for value in (question.answer(), *(mistake.value() for mistake in question.mistakes)):
        texts += [f"{value * factor:.{digits}g}" for factor in (1, 1.004, 0.96, 100, 0.01)
                  for digits in (1, 2, 3, 12)]  # fmt: skip
        texts += [f"{value:.4g} {unit}" for unit in ("%", "nats", "bits", "tokens", "times")]
    return texts


def test_typed_numbers_are_judged_as_the_library_judges_them(browser):
    questions = numbers()
    told = {q["prompt"]: q for lesson in lesson_data() for q in lesson["questions"]}
    cases = [(told[short_block(q.prompt)], typed_answers(q)) for q in questions]
    page = browser.new_page()
    words = canvas.read_files(LIVE_FOLDER, (*canvas.SHARED, *canvas.LIVE))
    found = page.evaluate(
        f"(cases) => {{ const PAGE = {json.dumps({'typing': typing_data()})};\n"
        f"{words.replace('export default', 'void ')}\n"
        f"{canvas.read_files(HERE, ['decay.js', 'answers.js'])}\n"
        "return cases.map(([question, texts]) => texts.map((text) => checkNumber(question, text)));"
        "}",
        cases,
    )
    page.close()
    compared = 0
    for question, (_, texts), said in zip(questions, cases, found, strict=True):
        for text, ours in zip(texts, said, strict=True):
            verdict = question.check(text)
            wanted = (verdict.right, verdict.close, short_block(verdict.feedback))
            assert (ours["right"], ours["close"], ours["says"]) == wanted, (question.key, text)
            compared += 1
    assert compared > 2000


def numbers() -> list[NumberQuestion]:
    return [
        question
        for lesson in lessons()
        for question in lesson.questions
        if isinstance(question, NumberQuestion)
    ]


def test_a_lesson_asks_judges_reveals_and_keeps_its_progress_in_the_address(open_part):
    page = open_part("lessons")
    page.get_by_role("link", name="7. Windows").click()
    page.get_by_role("button", name="Next: question 1").click()
    answer = page.get_by_label("your answer, tokens")
    answer.fill("5")
    answer.press("Enter")
    expect(page.get_by_text("Not yet.", exact=True)).to_be_visible()
    expect(page.get_by_text("Five tokens hold 91.8 %")).to_be_visible()
    answer.fill("6")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    code = code_of(("windows", "steep"))
    expect(page).to_have_url(re.compile(rf"step=steep&done=%7E{code}$"))
    page.get_by_role("link", name="Do", exact=True).click()
    expect(page.locator("h2:visible").first).to_be_focused()
    length = page.get_by_role("slider", name="length, tokens")
    length.press("End")
    for _ in range(16):
        page.get_by_role("slider", name="exponent").press("ArrowRight")
    expect(page.get_by_text("Done.", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Do ✓")).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="question 1, done")).to_be_visible()
    expect(page.get_by_role("link", name="Do ✓")).to_be_visible()


def test_a_choice_and_a_line_are_judged_and_can_be_shown(open_part):
    page = open_part("lessons?lesson=penalty&step=leak")
    page.get_by_label("position = np.arange").check()
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Show the answer").click()
    leak = next(q for q in find_lesson("penalty").questions if q.key == "leak")
    expect(page.get_by_text(f"Line {leak.right + 1}", exact=True)).to_be_visible()
    expect(page.locator(".live")).to_have_attribute("data-shown", re.compile('"length":128'))


@pytest.mark.parametrize(
    ("state", "chart"),
    [
        ("adding&trained=1024", PhasesChart("sinusoidal", 1024)),
        ("equal-words&position=rope&order=man+first", WordsChart("rope", "man first")),
        ("stretching&stretch=16", StretchingChart("pi", 16)),
        ("stretching&stretched_by=Slopes+stretched+unevenly", StretchingChart("slopes-ntk")),
        ("softmax&head=4", DecayChart(length=1024, head=4, query=1023, train_length=1024)),
        ("early-tokens", PerplexityChart(("alibi",), on_sample=True)),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_lessons_view_says_what_the_apps_says(open_part, state, chart):
    page = open_part(f"lessons?lesson={state}")
    shown = page.locator("#lessons figure svg")
    expect(shown).to_have_attribute("aria-label", chart.alt())
    assert shown.locator("path").count() > 8


def test_curves_claims_and_their_choices_are_the_apps(open_part):
    page = open_part("extrapolation")
    charts = {".ours": PerplexityChart(), ".papers": PublishedChart()}
    for place, chart in charts.items():
        shown = page.locator(f"#extrapolation {place} svg")
        expect(shown).to_have_attribute("aria-label", chart.alt())
    for label in ("RoPE", "Sinusoidal"):
        page.get_by_role("checkbox", name=label).uncheck(force=True)
    shown = page.locator("#extrapolation .ours svg")
    kept = tuple(key for key in METHODS if key not in ("rope", "sinusoidal"))
    expect(shown).to_have_attribute("aria-label", PerplexityChart(kept).alt())
    page.get_by_role("link", name="Claims").click()
    page.get_by_label("verdict").select_option("wrong")
    page.get_by_label("search").fill("bloom")
    everything = view.all_claims()
    found = view.chosen(everything, verdict="wrong", topic="all", search="bloom")
    claims = page.locator(".claim:visible")
    expect(claims).to_have_count(len(found))
    assert claims.locator("h2").all_inner_texts() == [claim.statement for claim in found]
    expect(page).to_have_url(re.compile(r"#claims\?verdict=wrong&search=bloom$"))


def test_sliders_move_the_view_and_the_address_by_keys(open_part):
    page = open_part("explore")
    heads = page.get_by_role("slider", name="heads")
    heads.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".count")).to_have_text("all 9 heads")
    expect(page).to_have_url(re.compile(r"#explore\?heads=9$"))
    page.get_by_role("radio", name="interleaved").check(force=True)
    page.locator("canvas.grid").focus()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(r"#explore\?heads=9&rule=interleaved&head=9$"))
    page.locator("canvas.mark").focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(r"cell=400\.0$"))
    page.get_by_role("link", name="Decay").click()
    expect(page.get_by_role("slider", name="heads")).to_have_value("8")
    page.go_back()
    expect(page.locator(".name")).to_contain_text("head 9 of 9")
    expect(page.locator("#explore .readout")).to_contain_text("query 400, key 0")


def test_a_link_that_asks_too_much_is_answered_with_the_nearest_and_a_note(open_part):
    page = open_part("explore?heads=99&length=1&cell=3.9")
    note = page.locator("#note")
    for named in ("heads=99", "Shown instead: 64", "length=1", "cell=3.9"):
        expect(note).to_contain_text(named)
    expect(page).to_have_url(re.compile(r"#explore\?heads=64&length=2$"))


LESSON_STATES = ("lessons?lesson=penalty&step=leak", "lessons?lesson=adding&step=do")


@pytest.mark.parametrize("part", [*PARTS, *LESSON_STATES])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_part, part):
    page = open_part(part)
    for dark, width in ((False, 1400), (True, 1400), (True, 390), (False, 360)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        surface = theme.DARK if dark else theme.LIGHT
        expect(page.locator("body")).to_have_css("background-color", css_colour(surface.background))
        folds = page.locator("details:visible:not([open]) > summary")
        while folds.count():
            folds.first.click()
        assert said_by_axe(page) == [], (dark, width)
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(overflow) == 0, width


def test_the_theme_can_be_chosen_against_the_systems(open_part):
    page = open_part("explore")
    before = page.locator("canvas.grid").evaluate("canvas => canvas.toDataURL()")
    page.get_by_role("button", name="dark theme").click()
    expect(page.locator("body")).to_have_css("background-color", css_colour(theme.DARK.background))
    assert page.locator("canvas.grid").evaluate("canvas => canvas.toDataURL()") != before
    expect(page.get_by_role("button", name="light theme")).to_be_visible()


def test_it_works_in_a_frame_without_rights(browser, address):
    page = browser.new_page()
    page.goto(address)
    page.set_content("<iframe sandbox='allow-scripts' width=900 height=800></iframe>")
    page.evaluate("text => { document.querySelector('iframe').srcdoc = text; }", one_page())
    frame = page.frame_locator("iframe")
    frame.get_by_role("slider", name="heads").press("ArrowLeft")
    expect(frame.locator(".count")).to_have_text("all 7 heads")
    page.close()
