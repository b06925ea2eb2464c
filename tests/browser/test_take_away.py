"""A figure leaves the app as PNG, SVG, HTML and CSV: print size, titled, without a network."""

import io
import json
import re
import struct
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

from alibi_viz.charts.decay import WindowsChart, window_column
from alibi_viz.figures.print_size import PRINT_WIDTH
from tests.browser.accessibility import said_by_axe
from tests.browser.server import settle

STATE = "heads 12 · exponent 8 · rule interleaved · length 512 tokens"


@pytest.fixture(scope="module")
def files(browser, server, tmp_path_factory):
    """Everything that the menu of one figure gives, downloaded in the dark theme."""
    folder = tmp_path_factory.mktemp("files")
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.set_default_timeout(120_000)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server}/decay?heads=12&rule=interleaved")
    page.locator(".st-key-take-windows button").click()
    expect(page.locator(".st-key-pictures-windows")).to_be_visible()
    settle(page)
    # Whatever is on its way, colours too, has arrived.
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
    assert said_by_axe(page) == []
    before = [url for url in asked if url.endswith(".js") and "/media/" in url]
    for name in ("PNG", "SVG", "HTML", "CSV", "Python"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).click()
        download.value.save_as(folder / download.value.suggested_filename)
    context.close()
    assert before == [], "plotly's script was fetched before anybody asked for a picture"
    assert all(url.startswith((server, "blob:", "data:")) for url in asked)
    return {path.suffix[1:]: path for path in folder.iterdir()}


def chunks(png):
    """(kind, body) of each chunk of a PNG."""
    at = 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += 12 + size


def test_the_files_are_called_after_the_figure(files):
    assert {path.name for path in files.values()} == {
        f"alibi-viz-windows.{end}" for end in ("png", "svg", "html", "csv", "py")
    }


def test_the_png_is_17_cm_wide_at_300_dots_per_inch_and_knows_its_state(files):
    found = list(chunks(files["png"].read_bytes()))
    width, _ = struct.unpack(">II", found[0][1][:8])
    assert width == pytest.approx(PRINT_WIDTH * 300 / 96, abs=1)
    sizes = next(body for kind, body in found if kind == b"pHYs")
    assert struct.unpack(">IIB", sizes) == (11811, 11811, 1)
    keyword, _, text = next(body for kind, body in found if kind == b"tEXt").partition(b"\0")
    assert keyword == b"alibi-viz"
    state = json.loads(text)
    assert (state["title"], state["heads"], state["rule"]) == (
        WindowsChart.title,
        "12",
        "interleaved",
    )
    assert "heads=12" in state["address"]


def test_the_svg_has_a_size_on_paper_a_white_ground_and_words_as_text(files):
    svg = files["svg"].read_text(encoding="utf-8")
    assert re.match(r'<svg[^>]* width="170\.\d+mm"', svg)
    assert "fill: rgb(255, 255, 255)" in svg
    for words in (WindowsChart.title, STATE, "window, tokens", "head, steepest slope first"):
        assert words in svg
    assert "<desc>Tokens that hold 50, 90, 95 and 99 %" in svg
    assert "<image" not in svg


def test_the_html_draws_without_asking_any_host(files, browser):
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"file://{files['html']}", timeout=60_000)
    expect(page.locator(".scatterlayer .trace").first).to_be_visible(timeout=60_000)
    assert page.title() == WindowsChart.title
    expect(page.locator(".state")).to_contain_text(STATE)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()


def test_the_csv_has_the_points_that_are_drawn(files):
    table = pd.read_csv(io.BytesIO(Path(files["csv"]).read_bytes()))
    assert table["head"].tolist() == list(range(1, 13))
    windows = table.sort_values("slope, nats/token", ascending=False)[window_column(0.95)]
    assert windows.is_monotonic_increasing
