"""The attention map by itself, in a page without the app: what it does when data come and go."""

import base64

import pytest
from playwright.sync_api import Page, expect

from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.text.capture import Capture, capture
from alibi_viz.inspection.text.samples import LINE
from alibi_viz.ui.canvas import looks, pack, read_files
from alibi_viz.ui.canvas.map import HERE, SCRIPTS, map_data
from tests import tiny_models


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "alibi"
    tiny_models.save_own(folder)
    return load_model(folder)


@pytest.fixture
def page(browser):
    opened = browser.new_page(viewport={"width": 1280, "height": 720})
    html, css = ((HERE / f"attention_map.{kind}").read_text() for kind in ("html", "css"))
    opened.set_content(f"<style>{css}</style>{html}")
    # Streamlit imports the script as a module; here its one export is kept in a variable.
    script = read_files(HERE, SCRIPTS).replace("export default", "return")
    opened.add_script_tag(content=f"window.component = (() => {{ {script} }})();")
    opened.evaluate(
        """() => {
            window.call = (text) => component({
                data: Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)),
                parentElement: document.body,
                setStateValue() {},
            });
            window.shown = () => ({ ...document.querySelector(".attention").dataset });
        }"""
    )
    yield opened
    opened.close()


def data(seen: Capture, cell: tuple[int, int]) -> str:
    header, arrays = map_data([HeadOfRun(Run(seen=seen), 2, 1)])
    asked = {"view": "weight", "cell": list(cell), "title": "", "file": "", "state": {}}
    packed = pack({**header, **asked, "difference": None, "looks": looks()}, arrays)
    return base64.b64encode(packed).decode()


def test_a_shorter_text_may_come_under_a_pointer_that_rests(page: Page, model):
    long, short = capture(model, LINE), capture(model, LINE[:12])
    assert 2 < short.length < 20 < long.length
    page.evaluate("(text) => { call(text); }", data(long, (20, 13)))
    frame = page.locator(".mark").bounding_box()
    assert frame is not None
    # The lowest rows, of queries that the short text does not have.
    page.mouse.move(frame["x"] + 120, frame["y"] + 22 + 310)
    expect(page.locator(".attention")).not_to_have_attribute("data-cell", "[20,13]")
    cell = page.evaluate("(text) => { call(text); return shown().cell; }", data(short, (2, 1)))
    assert cell == "[2,1]"


def test_a_map_lives_on_where_newer_data_overtook_a_call(page: Page, model):
    text = data(capture(model, LINE), (20, 13))
    draws = page.evaluate(
        "(text) => { const end = call(text); call(text); end(); return shown().draws; }", text
    )
    page.set_viewport_size({"width": 900, "height": 720})
    expect(page.locator(".attention")).not_to_have_attribute("data-draws", draws)


def test_a_map_that_was_taken_off_the_page_draws_no_more(page: Page, model):
    page.evaluate("(text) => { window.end = call(text); }", data(capture(model, LINE), (20, 13)))
    before, after = page.evaluate(
        """async () => {
            const root = document.querySelector(".attention");
            const before = shown().draws;
            root.remove();
            end();
            // Back again and narrower, which a living map would follow.
            document.body.append(root);
            document.body.style.width = "700px";
            for (let n = 0; n < 5; n += 1) await new Promise(requestAnimationFrame);
            return [before, shown().draws];
        }"""
    )
    assert before == after
