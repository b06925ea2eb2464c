"""Inside a trained model, in a browser: numbers, keys, clicks, files, and a small screen."""

import json
import os
import re
import struct
import zlib
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.loading.policy import FOLDER_VARIABLE
from alibi_viz.inspection.text.capture import capture
from alibi_viz.inspection.text.samples import LINE
from tests import tiny_models
from tests.browser.server import running_app

QUANTITIES = ("content", "position", "logit", "weight")
LENGTH = 31


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("models")
    tiny_models.save_own(made / "alibi")
    tiny_models.save_own(made / "rope", "rope")
    for family in tiny_models.FAMILIES:
        tiny_models.save_foreign(made / family.lower(), family)
    return made


@pytest.fixture(scope="module")
def seen(folder):
    return capture(load_model(folder / "alibi"), LINE)


@pytest.fixture(scope="module")
def address(folder):
    before = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = str(folder)
    with running_app() as started:
        yield started
    del os.environ[FOLDER_VARIABLE]
    if before is not None:
        os.environ[FOLDER_VARIABLE] = before


@pytest.fixture
def opened(visit, address):
    def open_page(query="", model="alibi", **given) -> Page:
        chosen = f"model=folder:{model}&sample=one+line"
        page = visit(f"trained_attention?{chosen}&{query}", address=address, **given)
        expect(page.locator(".attention")).to_have_attribute("data-values", re.compile("."))
        return page

    return open_page


def shown(page, name):
    # A canvas that is put up anew has nothing to say for a moment.
    expect(page.locator(".attention")).to_have_attribute(f"data-{name}", re.compile("."))
    return json.loads(page.locator(".attention").get_attribute(f"data-{name}"))


def numbers(seen, layer, head, query, key):
    attention = seen.attention(layer, head, range(query, query + 1))
    parts = (attention.content, attention.position, attention.logits, attention.weights)
    return dict(zip(QUANTITIES, (float(part[0, key]) for part in parts), strict=True))


def expect_numbers(page, seen, layer, head, query, key):
    expect(page.locator(".attention")).to_have_attribute("data-cell", f"[{query},{key}]")
    values = shown(page, "values")[0]
    # Both are float32, summed in different orders.
    assert values == pytest.approx(numbers(seen, layer, head, query, key), rel=1e-5, abs=1e-5)


def test_the_cell_of_a_link_is_read_out_and_keys_move_it(opened, seen):
    page = opened("layer_head=2.1&pair=20.13&quantity=content")
    expect_numbers(page, seen, 1, 0, 20, 13)
    expected = numbers(seen, 1, 0, 20, 13)["content"]
    row = page.locator(".readout tr[data-quantity=content] td")
    expect(row).to_have_text(f"{expected:+.2f}".replace("-", "−"))
    expect(page.locator(".readout tr").nth(0)).to_contain_text(seen.tokens[20].text.strip())
    expect(page.locator(".readout tr").nth(2)).to_contain_text("7")
    mark = page.locator(".attention .mark")
    mark.focus()
    for key in ("ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown"):
        mark.press(key)
    expect_numbers(page, seen, 1, 0, 21, 11)
    expect(page.locator(".attention .spoken")).to_contain_text("query 21")
    mark.press("End")
    expect_numbers(page, seen, 1, 0, 21, 21)
    mark.press("Home")
    expect_numbers(page, seen, 1, 0, 21, 0)
    page.wait_for_url(lambda url: parse_qs(urlparse(url).query).get("pair") == ["21.0"])


def test_a_zoomed_map_follows_the_cell_and_is_saved_with_its_state(opened):
    page = opened("pair=20.13")
    mark = page.locator(".attention .mark")
    mark.focus()
    mark.press("+")
    query, key, span = shown(page, "part")
    assert span == LENGTH / 2
    assert query <= 20 < query + span
    assert key <= 13 < key + span
    with page.expect_download() as saved:
        page.get_by_role("button", name="save PNG").click()
    state = state_of_picture(Path(saved.value.path()).read_bytes())
    assert (state["model"], state["cell"]) == ("folder:alibi", [20, 13])
    assert state["part"]["span"] == LENGTH / 2
    assert "sample=one+line" in state["address"]
    # The browser's own size of the page, not the map's.
    mark.press("Control+0")
    assert shown(page, "part") == [query, key, span]
    mark.press("Home")
    query, key, span = shown(page, "part")
    assert key <= 0 < key + span
    mark.press("0")
    assert shown(page, "part") == [0, 0, LENGTH]


@pytest.mark.parametrize(("query", "type_scale"), [("", 1), ("large=1", 1.25)])
def test_labels_have_the_pages_font_at_the_pages_size(opened, query, type_scale):
    page = opened(query)
    # What each canvas writes last: the unit of the colour bar, and the corner of the table.
    for canvas, size in ((".attention .base", 12), (".overview .grid", 10)):
        expect(page.locator(canvas)).to_be_visible()
        expect(page.locator(".overview")).not_to_have_attribute("data-draws", "0")
        used, asked = page.locator(canvas).evaluate(
            """(canvas, size) => {
                const probe = document.createElement("canvas").getContext("2d");
                probe.font = `${size}px ${getComputedStyle(canvas).fontFamily}`;
                return [canvas.getContext("2d").font, probe.font];
            }""",
            size * type_scale,
        )
        assert used == asked
        # A font that the canvas refuses leaves it at "10px sans-serif".
        assert used.startswith(f"{size * type_scale:g}px ")
        assert used != "10px sans-serif"


@pytest.mark.parametrize("family", tiny_models.FAMILIES)
def test_a_model_of_transformers_is_read_out_as_it_runs(opened, folder, family):
    seen = capture(load_model(folder / family.lower()), LINE)
    page = opened("layer_head=2.5&pair=20.13", model=family.lower())
    expect(page.locator(".attention")).to_have_attribute("data-cell", "[20,13]")
    values = shown(page, "values")[0]
    # bfloat16 has steps of 2^-8; a tie may be rounded the other way after another order of sums.
    assert values == pytest.approx(numbers(seen, 1, 4, 20, 13), rel=2**-7, abs=1e-5)
    verdict = page.get_by_text("Slopes read back").locator("..")
    expect(verdict).to_contain_text("ALiBi is on")
    expect(verdict).to_contain_text("interleaved, exponent 8")


def test_pointing_reads_a_cell_out_and_a_token_of_the_text_becomes_the_query(opened, seen):
    page = opened("layer_head=1.2")
    mark = page.locator(".attention .mark")
    mark.scroll_into_view_if_needed()
    frame = mark.bounding_box()
    # Every cell of the diagonal lies on a line: find the map by walking along one row.
    found = set()
    for x in range(90, int(frame["width"]) - 90, 9):
        page.mouse.move(frame["x"] + x, frame["y"] + frame["height"] / 2)
        query, key = shown(page, "cell")
        found.add((query, key))
    assert len({query for query, _ in found} - {round(0.8 * 30)}) == 1
    assert len(found) > 20
    query, key = shown(page, "cell")
    if key <= query:
        expect_numbers(page, seen, 0, 1, query, key)
    page.locator(".strip span[data-token='7']").click()
    expect(page.locator(".attention")).to_have_attribute("data-cell", "[7,7]")
    expect(page.locator(".strip span.query")).to_have_attribute("data-token", "7")
    said = "tokens; arrow keys move query and key"
    expect(page.locator(".strip")).to_have_attribute("aria-label", re.compile(f"{said}$"))
    shaded = page.locator(".strip span[style*='background-color: rgb']")
    assert shaded.count() > 2


def test_clicks_and_arrow_keys_choose_a_head(opened, seen):
    page = opened("layer_head=1.1&pair=20.13")
    before = page.locator(".attention").get_attribute("data-heads")
    grid = page.locator(".overview .grid")
    frame = grid.bounding_box()
    # Layers down, heads across: the last picture is layer 2, head 3.
    x, y = json.loads(page.locator(".overview").get_attribute("data-last"))
    page.mouse.click(frame["x"] + x, frame["y"] + y)
    expect(page.locator(".overview")).to_have_attribute("data-chosen", "5")
    expect(page.locator(".attention .name")).to_contain_text("layer 2 of 2, head 3 of 3")
    # The head that a bare link means needs no place in it.
    page.wait_for_url(lambda url: "layer_head" not in parse_qs(urlparse(url).query))
    assert page.locator(".attention").get_attribute("data-heads") != before
    expect_numbers(page, seen, 1, 2, 20, 13)
    grid.focus()
    grid.press("ArrowUp")
    grid.press("ArrowLeft")
    expect(grid).to_have_attribute("aria-valuenow", "2")
    expect(page.locator(".attention .name")).to_contain_text("layer 1 of 2, head 2 of 3")


def test_a_change_of_the_slopes_shows_both_maps_and_their_difference(opened, seen):
    page = opened("mode=what+if&slope_scale=0&layer_head=2.1&pair=20.13&quantity=position")
    expect(page.locator(".attention thead th")).to_have_count(3)
    unchanged, changed, difference = shown(page, "values")
    assert unchanged["position"] == pytest.approx(-7 * 2 ** (-8 / 3), rel=1e-5)
    assert changed["position"] == 0
    assert difference["position"] == pytest.approx(7 * 2 ** (-8 / 3), rel=1e-5)
    text = page.get_by_text("What to look for").locator("..")
    expect(text).to_contain_text("the mean loss goes from")
    page.get_by_role("slider", name="slopes times").press("End")
    # Eight times the slope, seven tokens away.
    steeper = re.compile(rf"\"position\":{-56 * 2 ** (-8 / 3):.4f}")
    expect(page.locator(".attention")).to_have_attribute("data-values", steeper)


def test_two_models_are_compared_on_one_cell(opened, folder, seen):
    page = opened("mode=compare&other_model=folder:rope&other_head=1.2&layer_head=2.1&pair=9.4")
    first, second, difference = shown(page, "values")
    other = capture(load_model(folder / "rope"), LINE)
    assert first == pytest.approx(numbers(seen, 1, 0, 9, 4), rel=1e-5, abs=1e-5)
    assert second == pytest.approx(numbers(other, 0, 1, 9, 4), rel=1e-5, abs=1e-5)
    assert difference["weight"] == pytest.approx(second["weight"] - first["weight"])


def test_markup_in_a_text_stays_text(opened):
    page = opened()
    page.get_by_role("combobox", name="text").click()
    page.get_by_role("option", name="your own").click()
    field = page.get_by_role("textbox", name="your own text")
    field.fill("<img src=x onerror=alert(1)>&amp;")
    field.press("Control+Enter")
    expect(page.locator(".strip")).to_have_text("<img src=x onerror=alert(1)>&amp;")
    assert page.locator(".strip img").count() == 0


def state_of_picture(png):
    texts = [body for kind, body in chunks(png) if kind == b"tEXt"]
    keyword, _, text = texts[0].partition(b"\0")
    assert keyword == b"alibi-viz"
    return json.loads(text)


def chunks(png):
    at = 8
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", png, at + 8 + size)[0] == zlib.crc32(kind + body)
        yield kind, body
        at += 12 + size


def test_a_map_is_saved_at_print_size_with_its_model_text_and_head(opened):
    page = opened("layer_head=2.3")
    page.locator(".st-key-take-map_1 button").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG", exact=True).click()
    svg = Path(saved.value.path()).read_text()
    assert re.match('<svg[^>]* width="170', svg)
    state = json.loads(re.search("<metadata>(.*?)</metadata>", svg)[1].replace("&amp;", "&"))
    assert state["alibi-viz"]["model"] == "folder:alibi"
    assert (state["alibi-viz"]["layer"], state["alibi-viz"]["head"]) == ("2", "3")
    assert "Attention weight of layer 2, head 3" in svg
    # The map is pixels; its axes are text. "two" is a token of the text.
    assert "<image" in svg
    assert "query" in svg


@pytest.mark.parametrize("mode", ["one+head", "what+if"])
def test_a_phone_shows_everything_without_sideways_scroll(opened, mode):
    page = opened(f"mode={mode}", width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for part in (".overview .grid", ".attention .mark", ".strip", ".readout table"):
        frame = page.locator(part).bounding_box()
        assert frame["x"] >= 0
        assert frame["x"] + frame["width"] <= 390
