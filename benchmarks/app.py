"""Measures the app as visitors meet it: drawing, settling, the first figure, a crowd at once."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from tests.browser import chromium
from tests.browser.server import running_app, settle

DRAG_STEPS = 60
KEY_PRESSES = 20
COLD_STARTS = 5

# Keeps the time of each drawing of the live view in `drawn`, and of each frame in `frames`.
RECORD_DRAWINGS = """live => {
    window.drawn = [];
    window.frames = [];
    let draws = live.dataset.draws, last = null;
    const step = now => {
        if (last !== null) window.frames.push(now - last);
        last = now;
        if (live.dataset.draws !== draws) {
            window.drawn.push(Number(live.dataset.drawMs));
            draws = live.dataset.draws;
        }
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
}"""

# Resolves with the time from the next key press to the page's last change before 300 ms of rest.
TIME_UNTIL_REST = """() => {
    window.rested = new Promise(resolve => {
        let start = null, last = null;
        document.addEventListener("keydown", () => { start = performance.now(); },
            { once: true, capture: true });
        const observer = new MutationObserver(() => { if (start) last = performance.now(); });
        const main = document.querySelector("[data-testid=stMainBlockContainer]");
        observer.observe(main, { childList: true, subtree: true, attributes: true,
            characterData: true });
        const state = () => document.querySelector("[data-testid=stApp]").dataset.testScriptState;
        const check = setInterval(() => {
            if (!last || performance.now() - last < 300 || state() !== "notRunning") return;
            clearInterval(check);
            observer.disconnect();
            resolve(last - start);
        }, 20);
    });
}"""


@dataclass(frozen=True)
class Row:
    """One line of the budget table: what, measured, allowed."""

    what: str
    measured: str
    budget: str
    is_met: bool


@contextmanager
def browser() -> Iterator[Browser]:
    """Gives a Chromium, and closes it afterwards."""
    path = chromium.find()
    if path is None:
        raise SystemExit("No Chromium: run python tests/browser/chromium.py --install")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


def opened(browser: Browser, address: str) -> Page:
    """Returns a page that has settled, in a browser window of its own without any cache."""
    page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    page.goto(address)
    settle(page)
    return page


def drag_frames(browser: Browser, address: str, heads: int, length: int, budget_ms: float) -> Row:
    """Measures the drawing of one frame while the exponent's slider is dragged."""
    page = opened(browser, f"{address}/?heads={heads}&length={length}")
    live = page.locator(".live:not([data-draws='0'])")
    live.evaluate(RECORD_DRAWINGS)
    thumb = page.locator(".st-key-exponent [data-testid=stSliderThumbValue]").bounding_box()
    track = page.locator(".st-key-exponent [role=group]").bounding_box()
    assert thumb is not None
    assert track is not None
    # The value stands above the thumb; the thumb lies in the middle of the track.
    x, y = thumb["x"] + thumb["width"] / 2, track["y"] + track["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(DRAG_STEPS):
        page.mouse.move(track["x"] + track["width"] * (step + 1) / DRAG_STEPS, y)
    drawn = page.evaluate("window.drawn")
    frames = page.evaluate("window.frames")
    page.mouse.up()
    page.context.close()
    if len(drawn) < DRAG_STEPS // 4:
        raise RuntimeError(f"the view redrew {len(drawn)} times in a drag of {DRAG_STEPS} steps")
    p95, interval = np.percentile(drawn, 95), np.percentile(frames, 50)
    return Row(
        f"one frame while dragging, {heads} heads, {length:,} tokens, p95",
        f"{p95:.1f} ms ({len(drawn)} drawings, a frame every {interval:.1f} ms)",
        f"{budget_ms:.0f} ms",
        bool(p95 <= budget_ms),
    )


def settling(browser: Browser, address: str, name: str, path: str, budget_ms: float) -> Row:
    """Measures from a key press on a slider to the last change of the page."""
    page = opened(browser, f"{address}/{path}")
    slider = page.locator(".st-key-exponent input[type=range]")
    slider.focus()
    times = []
    for press in range(KEY_PRESSES + 1):
        page.evaluate(TIME_UNTIL_REST)
        page.keyboard.press("ArrowRight" if press % 2 == 0 else "ArrowLeft")
        times.append(page.evaluate("window.rested"))
    page.context.close()
    # The first one loads what only a change needs.
    p50, p95 = np.percentile(times[1:], [50, 95])
    return Row(
        f"key press -> page settled, {name}, p95",
        f"{p95:.0f} ms (median {p50:.0f} ms)",
        f"{budget_ms:.0f} ms",
        bool(p95 <= budget_ms),
    )


def first_figure(browser: Browser, budget_s: float) -> Row:
    """Measures from opening the address of a fresh server to the first drawing, nothing cached."""
    times = []
    with running_app() as address:
        for _ in range(COLD_STARTS):
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            page = context.new_page()
            start = time.perf_counter()
            page.goto(address, wait_until="commit")
            page.locator(".live:not([data-draws='0'])").wait_for(timeout=60_000)
            times.append(time.perf_counter() - start)
            context.close()
    return Row(
        "first useful figure after the server is up, cold browser",
        f"{times[0]:.2f} s for the very first visitor, then {np.median(times[1:]):.2f} s",
        f"{budget_s} s",
        times[0] <= budget_s,
    )


def many_visitors(address: str, visitors: int, first_budget_s: float, rerun_budget_s: float) -> Row:
    """Measures how a crowd that arrives at once is served: first run, then a slider moved."""
    results = asyncio.run(_crowd(address, visitors))
    served = [result for result in results if not isinstance(result, BaseException)]
    failures = len(results) - len(served)
    if not served:
        raise RuntimeError(f"no visitor was served: {results[0]!r}")
    first, rerun = np.percentile(np.array(served), 95, axis=0)
    is_met = bool(first <= first_budget_s and rerun <= rerun_budget_s and failures == 0)
    return Row(
        f"{visitors} websocket clients: first run p95 / rerun p95 / failures",
        f"{first:.2f} s / {rerun * 1000:.0f} ms / {failures}",
        f"{first_budget_s:.0f} s / {rerun_budget_s * 1000:.0f} ms / 0",
        is_met,
    )


async def _crowd(address: str, visitors: int) -> list[tuple[float, float] | BaseException]:
    # A minute bounds a visitor who is never answered: a failure, not a wait without end.
    visits = [asyncio.wait_for(_visitor(address), 60) for _ in range(visitors)]
    return await asyncio.gather(*visits, return_exceptions=True)


async def _visitor(address: str) -> tuple[float, float]:
    """Speaks Streamlit's protocol: opens the landing page, then moves the exponent's slider."""
    stream = address.replace("http", "ws", 1) + "/_stcore/stream"
    async with connect(stream, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
        start = time.perf_counter()
        page, slider = await _run(socket, BackMsg(rerun_script={}))
        first = time.perf_counter() - start
        moved = BackMsg(rerun_script={"page_script_hash": page})
        widget = moved.rerun_script.widget_states.widgets.add(id=slider)
        widget.string_array_value.data.append("9")
        # A visitor looks at the page before moving anything.
        await asyncio.sleep(1.0)
        start = time.perf_counter()
        await _run(socket, moved)
        return first, time.perf_counter() - start


async def _run(socket: ClientConnection, message: BackMsg) -> tuple[str, str]:
    """Sends a message; returns the page's hash and the exponent slider's id once all is there."""
    await socket.send(message.SerializeToString())
    page = slider = ""
    while True:
        received = ForwardMsg.FromString(await socket.recv())  # type: ignore[arg-type]
        kind = received.WhichOneof("type")
        if kind == "new_session":
            page = received.new_session.page_script_hash
        elif kind == "delta" and received.delta.new_element.slider.label == "exponent":
            slider = received.delta.new_element.slider.id
        elif kind == "script_finished":
            if received.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                raise RuntimeError("the script failed")
            return page, slider
