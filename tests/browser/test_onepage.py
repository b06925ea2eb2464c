"""ALiBi on one page: from a disk, without a network, with the app's numbers and pixels."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from alibi_viz.charts.biases import AllHeadsChart
from alibi_viz.charts.decay import DecayChart
from alibi_viz.figures import theme
from alibi_viz.onepage.page import HERE, LIVE_FOLDER, PARTS, one_page
from alibi_viz.ui import canvas
from tests.browser.accessibility import css_colour, said_by_axe
from tests.browser.server import settle

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


@pytest.mark.parametrize("part", PARTS)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_part, part):
    page = open_part(part)
    for dark, width in ((False, 1400), (True, 1400), (True, 390), (False, 360)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        surface = theme.DARK if dark else theme.LIGHT
        expect(page.locator("body")).to_have_css("background-color", css_colour(surface.background))
        for fold in page.locator("details:visible:not([open]) > summary").all():
            fold.click()
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
