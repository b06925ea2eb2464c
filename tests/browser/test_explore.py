"""The live canvas: its formula, its pixels, its handles, and its place in the link."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from alibi_viz.figures import theme
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import SLOPE_RULES, alibi_slopes
from alibi_viz.maths.windows import effective_window
from alibi_viz.ui.canvas.live import HERE
from tests.browser.server import open_more, settle

FORMULA = (HERE / "formula.js").read_text()


@pytest.fixture
def formula(browser):
    """Evaluates an expression with the component's formulas in scope."""
    page = browser.new_page()
    yield lambda expression: page.evaluate(f"() => {{ {FORMULA}\nreturn {expression}; }}")
    page.close()


@pytest.mark.parametrize("rule", SLOPE_RULES)
@pytest.mark.parametrize("n_head", [1, 3, 8, 12, 47, 64])
def test_slopes_of_the_canvas_are_those_of_maths(formula, n_head, rule):
    for exponent in (0.5, 8.0, 16.0):
        ours = formula(f"alibiSlopes({n_head}, {exponent}, '{rule}')")
        # The two languages may round a power differently in the last digit.
        np.testing.assert_allclose(ours, alibi_slopes(n_head, exponent, rule), rtol=1e-15)


@pytest.mark.parametrize("slope", [2**-0.25, 1 / 2, 1 / 256, 2**-16])
@pytest.mark.parametrize("query", [0, 1, 46, 16_383])
def test_weights_of_the_canvas_are_those_of_maths(formula, slope, query):
    ours = formula(f"Array.from({{length: {query + 1}}}, (_, d) => logWeight({slope}, {query}, d))")
    theirs = attention_by_distance([slope], 16_384, query)[0]
    # 16,384 float64 additions err by 1e-12 at most; below 1e-300 float64 itself has fewer digits.
    np.testing.assert_allclose(np.exp(ours), theirs, rtol=1e-11, atol=1e-300)


def test_weights_keep_their_logarithm_where_they_underflow(formula):
    # d = 4000 at slope 1/2: -2000 nats, less the normaliser ln(1 / (1 - exp(-1/2))) = 0.93275...
    assert formula("logWeight(0.5, 16383, 4000)") == pytest.approx(-2000.932752129567, rel=1e-14)


def test_windows_of_the_canvas_are_those_of_maths(formula):
    slopes = [*alibi_slopes(12, 16.0).tolist(), 2**-0.5]
    for query in (0, 1, 6, 511, 16_383):
        calls = ", ".join(f"effectiveWindow({slope}, {query}, 0.95)" for slope in slopes)
        weights = attention_by_distance(slopes, query + 1)
        assert formula(f"[{calls}]") == effective_window(weights, 0.95).tolist()


def test_each_square_of_a_short_map_has_the_colour_of_its_bias(visit):
    page = visit("?length=7&heads=4&head=2&scale=per+head")
    box = drawn(page, "map")
    cell = (box["right"] - box["left"]) / 7
    for query, key in [(0, 0), (2, 1), (6, 0), (6, 5), (5, 5)]:
        x, y = box["left"] + (key + 0.3) * cell, box["top"] + (query + 0.3) * cell
        # The lowest value of this head's own scale is the bias at distance 6.
        place = 1 - (query - key) / 6
        np.testing.assert_allclose(pixel(page, x, y), ramp_colour(place), atol=2)


def test_the_masked_future_is_hatched_in_no_colour_of_the_ramp(visit):
    page = visit("?length=7&heads=4")
    box = drawn(page, "map")
    cell = (box["right"] - box["left"]) / 7
    seen = {
        tuple(pixel(page, box["left"] + 5.2 * cell + step, box["top"] + 1.5 * cell))
        for step in range(8)
    }
    assert len(seen) > 1
    ramp = np.array([ramp_colour(place) for place in np.linspace(0, 1, 256)])
    for colour in seen:
        assert np.abs(ramp - colour).max(axis=1).min() > 8


def drawn(page: Page, what: str) -> dict[str, float]:
    """What the canvas says about its last drawing: the `shown` numbers, or the box of the `map`."""
    live = page.locator(".live")
    expect(live).not_to_have_attribute("data-draws", "0")
    return json.loads(live.get_attribute(f"data-{what}"))


def pixel(page: Page, x: float, y: float) -> list[int]:
    """Red, green and blue of the large map at a point in CSS pixels."""
    read = "(canvas, [x, y]) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data]"
    return page.locator("canvas.base").evaluate(read, [round(x), round(y)])[:3]


def ramp_colour(place: float) -> list[float]:
    """Red, green and blue of the theme's map at a place from 0, lowest, to 1, zero bias."""
    stops = [
        [int(stop[start : start + 2], 16) for start in (1, 3, 5)] for stop in theme.map_stops()
    ]
    places = np.linspace(0, 1, len(stops))
    return [float(np.interp(place, places, channel)) for channel in zip(*stops, strict=True)]


def test_the_view_redraws_while_a_slider_is_dragged_without_asking_the_server(visit):
    page = visit("explore?colour=bias")
    live = page.locator(".live")
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.reload()
    settle(page)
    expect(page.locator(".name")).to_have_text("head 3 of 8, slope 1/8 = 0.125")
    sent.clear()
    draws = int(live.get_attribute("data-draws"))
    x, y = slider_thumb(page, "exponent")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y, steps=12)
    expect(page.locator(".name")).not_to_have_text("head 3 of 8, slope 1/8 = 0.125")
    held = drawn(page, "shown")
    assert held["exponent"] > 8
    assert int(live.get_attribute("data-draws")) >= draws + 3
    assert sent == []
    page.mouse.up()
    # The last moves may be drawn after `held` was read: compare with what the page then says.
    expect(page).to_have_url(re.compile(r"exponent="))
    settle(page)
    released = drawn(page, "shown")
    assert f"exponent={released['exponent']:g}" in page.url
    assert {**released, "exponent": held["exponent"]} == held
    assert sent != []


def slider_thumb(page: Page, key: str) -> list[float]:
    """The centre of a slider's thumb, in the window's CSS pixels."""
    centre = """input => {
        const box = input.closest("[style*=absolute][data-rac]").getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }"""
    return page.locator(f".st-key-{key} input[type=range]").evaluate(centre)


def test_arrow_keys_move_the_cell_and_leave_it_in_the_link(visit):
    page = visit("?cell=400.352")
    readout = page.locator(".readout")
    # Head 3 of 8 has slope 1/8: at distance 48 the bias is -6, the weight exp(-6) (1 - exp(-1/8)).
    expect(readout).to_have_text(
        "query 400, key 352, distance 48, bias −6.00 nats, weight 0.000291"
    )
    page.locator("canvas.mark").focus()
    page.keyboard.press("ArrowUp")
    expect(readout).to_contain_text("query 399, key 352, distance 47, bias −5.88")
    expect(page.locator(".spoken")).to_contain_text("query 399, key 352, distance 47")
    page.keyboard.press("Shift+ArrowLeft")
    # A tenth of 512 tokens is 51.
    expect(readout).to_contain_text("query 399, key 301, distance 98")
    page.keyboard.press("Home")
    expect(readout).to_contain_text("query 399, key 0, distance 399")
    page.keyboard.press("End")
    expect(readout).to_contain_text("query 399, key 399, distance 0, bias 0.00 nats, weight 0.118")
    page.keyboard.press("ArrowRight")
    expect(readout).to_contain_text("query 399, key 399")
    expect(page).to_have_url(re.compile(r"cell=399\.399"))


def test_pointing_reads_out_a_cell_and_a_click_keeps_it(visit):
    page = visit("?length=16&heads=2&head=1&cell=10.3")
    box = drawn(page, "map")
    cell = (box["right"] - box["left"]) / 16
    mark, readout = page.locator("canvas.mark"), page.locator(".readout")

    def at(query: int, key: int) -> dict[str, float]:
        return {"x": box["left"] + (key + 0.5) * cell, "y": box["top"] + (query + 0.5) * cell}

    mark.hover(position=at(12, 5))
    # Slope 2**-4 of the first of two heads, seven tokens away: -0.4375.
    expect(readout).to_contain_text("query 12, key 5, distance 7, bias −0.44")
    mark.hover(position=at(3, 9))
    expect(readout).to_have_text("query 3, key 9: masked, this key lies in the future")
    page.locator("h1").hover()
    expect(readout).to_contain_text("query 10, key 3, distance 7")
    mark.click(position=at(12, 5))
    expect(page).to_have_url(re.compile(r"cell=12\.5"))


def test_a_head_chosen_by_key_or_click_stands_in_the_link(visit):
    page = visit("?heads=16")
    name = page.locator(".name")
    page.locator("canvas.grid").focus()
    page.keyboard.press("ArrowRight")
    expect(name).to_have_text("head 4 of 16, slope 1/4 = 0.25")
    expect(page).to_have_url(re.compile(r"head=4\b"))
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(r"head=16\b"))
    page.locator("canvas.grid").click(position={"x": 20, "y": 40})
    expect(name).to_contain_text("head 1 of 16")
    expect(page).to_have_url(re.compile(r"head=1\b"))
    page.reload()
    expect(name).to_contain_text("head 1 of 16")


def test_a_link_restores_the_whole_state_and_is_what_the_button_copies(visit):
    link = (
        "?cell=700.650&colour=weight&exponent=10&head=9&heads=12&length=1024"
        "&rule=interleaved&scale=per+head"
    )
    page = visit(link)
    shown = drawn(page, "shown")
    assert shown == {"heads": 12, "exponent": 10, "length": 1024}
    # Interleaved: the first extra head has the first slope of 16 heads, 2**(-10/16).
    expect(page.locator(".name")).to_have_text("head 9 of 12, slope 0.648")
    expect(page.locator(".readout")).to_contain_text("query 700, key 650, distance 50")
    open_more(page)
    for chosen in ("weight", "per head", "interleaved"):
        expect(page.get_by_role("radio", name=chosen, exact=True)).to_be_checked()
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_role("button", name="copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert sorted(copied.partition("?")[2].split("&")) == sorted(link[1:].split("&"))


def test_the_copy_button_keeps_the_focus_where_there_is_no_clipboard(visit):
    page = visit("?heads=12")
    # As on plain http: the link is copied out of a field that is there for a moment.
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.get_by_role("button", name="copy link").press("Enter")
    copied = page.get_by_role("button", name="copied")
    expect(copied).to_be_visible()
    expect(copied).to_be_focused()


def test_a_link_out_of_range_is_answered_with_the_nearest_state_and_a_note(visit):
    page = visit("?heads=99&length=0&head=200&cell=5.9")
    assert drawn(page, "shown")["heads"] == 64
    notes = page.locator("[data-testid=stAlert]")
    for named in ("heads=99", "length=0", "head=200", "cell=5.9"):
        expect(notes.filter(has_text=named)).to_be_visible()
    expect(page).to_have_url(re.compile(r"heads=64\b"))
    expect(page).to_have_url(re.compile(r"length=2\b"))


def test_the_largest_state_draws(visit):
    page = visit("?heads=64&length=16384&exponent=16&head=64&cell=16383.0&colour=log+weight")
    # 2**-16 * 16383 = 0.24998; the row is nearly flat, about one over its length each.
    expect(page.locator(".readout")).to_have_text(
        "query 16383, key 0, distance 16383, bias −0.25 nats, weight 5.37e-5".replace(
            "5.37e-5", "5.4·10⁻⁵"
        )
    )
    expect(page.locator(".facts")).to_contain_text("One pixel stands for")
