"""Measures the app in a browser of its own: bytes, the first figure, drawing, settling."""

import base64
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.browser import chromium
from tests.browser.server import running_server, settle

DRAG_STEPS = 60
KEY_PRESSES = 20
COLD_STARTS = 5
# Where a page's first figure has been drawn.
DRAWN = {
    "": ".ending[data-length]",
    "explore": ".live:not([data-draws='0'])",
    "decay": ".js-plotly-plot .main-svg",
    "methods": ".js-plotly-plot .main-svg",
    "extrapolation": ".js-plotly-plot .main-svg",
}
# Bits a second and milliseconds of a poor network.
SLOW_BITS, SLOW_MS = 4e6, 60

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


def fresh_page(browser: Browser) -> Page:
    """Returns an empty page in a browser window of its own without any cache."""
    return browser.new_context(viewport={"width": 1400, "height": 900}).new_page()


@dataclass
class Traffic:
    """What a page has received, as the browser counts it: headers and compression included."""

    bytes: int = 0
    """By HTTP, and in the websocket's frames."""
    frames: int = 0
    """Of the websocket."""


def listening(page: Page) -> tuple[CDPSession, Traffic]:
    """Returns a page's protocol session, and the traffic that it counts from now on."""
    session, heard = page.context.new_cdp_session(page), Traffic()

    def loaded(told: dict[str, float]) -> None:
        heard.bytes += int(told["encodedDataLength"])

    def framed(told: dict[str, dict[str, str]]) -> None:
        heard.bytes += len(base64.b64decode(told["response"]["payloadData"]))
        heard.frames += 1

    session.on("Network.loadingFinished", loaded)
    session.on("Network.webSocketFrameReceived", framed)
    session.send("Network.enable")
    return session, heard


def cold_bytes(browser: Browser, address: str, name: str, budget_mb: float) -> Row:
    """Measures what a page transfers into a browser without any cache until it has settled."""
    page = fresh_page(browser)
    _, heard = listening(page)
    page.goto(f"{address}/{name}")
    page.locator(DRAWN[name]).first.wait_for(timeout=120_000)
    settle(page)
    # What comes last is fetched by what came before it, a few milliseconds later.
    page.wait_for_load_state("networkidle")
    page.context.close()
    megabytes = heard.bytes / 1e6
    return Row(
        f"{name or 'landing page'} cold, transferred",
        f"{megabytes:.2f} MB",
        f"{budget_mb} MB",
        megabytes <= budget_mb,
    )


def on_a_slow_network(browser: Browser, address: str, budget_s: float) -> Row:
    """Measures the landing page's first drawing, cold, throttled in the browser."""
    times = []
    for _ in range(3):
        page = fresh_page(browser)
        session, _ = listening(page)
        bytes_a_second = SLOW_BITS / 8
        session.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": SLOW_MS,
                "downloadThroughput": bytes_a_second,
                "uploadThroughput": bytes_a_second,
            },
        )
        times.append(_seconds_until_drawn(page, address, ""))
        page.context.close()
    median = float(np.median(times))
    return Row(
        f"first drawing at {SLOW_BITS / 1e6:.0f} Mbit/s, {SLOW_MS} ms (HTTP throttled)",
        f"{median:.2f} s",
        f"{budget_s} s",
        median <= budget_s,
    )


def _seconds_until_drawn(page: Page, address: str, name: str) -> float:
    start = time.perf_counter()
    page.goto(f"{address}/{name}", wait_until="commit")
    page.locator(DRAWN[name]).first.wait_for(timeout=120_000)
    return time.perf_counter() - start


def slider_steps(browser: Browser, address: str, process: int, budget_kb: float) -> Row:
    """Measures what steps of a slider on explore cost: frames, bytes, and the server's time."""
    page = opened(browser, f"{address}/explore")
    page.locator(".st-key-exponent input[type=range]").focus()
    _, heard = listening(page)
    before = cpu_seconds(process)
    for press in range(KEY_PRESSES):
        page.keyboard.press("ArrowRight" if press % 2 == 0 else "ArrowLeft")
        # Longer than a browser waits before it tells the server.
        page.wait_for_timeout(400)
        settle(page)
    spent = 1000 * (cpu_seconds(process) - before) / KEY_PRESSES
    page.context.close()
    kilobytes = heard.bytes / 1000 / KEY_PRESSES
    return Row(
        "explore: a slider step, bytes / frames / server CPU",
        f"{kilobytes:.1f} kB / {heard.frames / KEY_PRESSES:.0f} / {spent:.1f} ms",
        f"{budget_kb:.0f} kB, 0 where the view can draw alone",
        kilobytes <= budget_kb,
    )


def cpu_seconds(process: int) -> float:
    """Returns the processor time that a process has taken, in steps of some milliseconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def opened(browser: Browser, address: str) -> Page:
    """Returns a page that has settled, in a browser window of its own without any cache."""
    page = fresh_page(browser)
    page.goto(address)
    settle(page)
    return page


def drag_frames(browser: Browser, address: str, heads: int, length: int, budget_ms: float) -> Row:
    """Measures the drawing of one frame while the exponent's slider is dragged."""
    page = opened(browser, f"{address}/explore?heads={heads}&length={length}")
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


def settling(browser: Browser, address: str, name: str, budget_ms: float) -> Row:
    """Measures from a key press on a slider to the last change of the page."""
    page = opened(browser, f"{address}/{name}")
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


def first_figure(browser: Browser, first_budget_s: float, budget_s: float) -> Row:
    """Measures from opening the address of a fresh server to the first drawing, nothing cached."""
    times = []
    with running_server() as (address, _):
        for _ in range(COLD_STARTS):
            page = fresh_page(browser)
            times.append(_seconds_until_drawn(page, address, ""))
            page.context.close()
    then = float(np.median(times[1:]))
    return Row(
        "first drawing, local, very first visitor / then",
        f"{times[0]:.2f} s / {then:.2f} s",
        f"{first_budget_s} s / {budget_s} s",
        times[0] <= first_budget_s and then <= budget_s,
    )
