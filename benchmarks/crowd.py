"""Measures the server under many visitors, who speak Streamlit's protocol without a browser.

The clients share the machine with the server, so their own processor time is told apart.
"""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.app import Row, cpu_seconds
from tests.browser.server import running_fleet, running_server

PATIENCE_SECONDS = 90.0
FRESH_VISITS = 12
WAVES, WAVE = 10, 30
MIXED = ("home", "explore", "decay", "methods", "extrapolation", "retrieval", "lessons", "claims")


@dataclass
class Visit:
    """What one visitor met."""

    first: float
    """Seconds until the page was there."""
    step: float
    """Seconds until a step of a slider was answered; 0 where none was moved."""
    received: int
    """Bytes of the first run."""


@dataclass
class Answer:
    """What a run of a page's script sent."""

    page: str = ""
    """The page's hash."""
    slider: str = ""
    """The id of the slider of exponents."""
    fragment: str = ""
    """The fragment that the slider is in."""
    received: int = 0
    """Bytes."""


def stream(address: str, **options: Any) -> connect:
    """Returns the websocket of a new visitor, who waits for it as long as it takes.

    Args:
        address: Where the app is served.
        options: More for `connect`.
    """
    return connect(
        address.replace("http", "ws", 1) + "/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        open_timeout=None,
        **options,
    )


async def visit(address: str, page: str, *, steps: bool) -> Visit:
    """Opens a page as a new visitor, and moves its slider of exponents after a look at it."""
    async with stream(address) as socket:
        start = time.perf_counter()
        answer = await _run(socket, BackMsg(rerun_script={"page_name": page}))
        first = time.perf_counter() - start
        if not steps:
            return Visit(first, 0.0, answer.received)
        moved = BackMsg(
            rerun_script={"page_script_hash": answer.page, "fragment_id": answer.fragment}
        )
        widget = moved.rerun_script.widget_states.widgets.add(id=answer.slider)
        widget.string_array_value.data.append("9")
        await asyncio.sleep(1.0)
        start = time.perf_counter()
        await _run(socket, moved)
        return Visit(first, time.perf_counter() - start, answer.received)


async def _run(socket: ClientConnection, message: BackMsg) -> Answer:
    """Sends a message, and returns what came until the script had run."""
    await socket.send(message.SerializeToString())
    answer = Answer()
    while True:
        frame = await socket.recv()
        answer.received += len(frame)
        told = ForwardMsg.FromString(frame)  # type: ignore[arg-type]
        kind = told.WhichOneof("type")
        if kind == "new_session":
            answer.page = told.new_session.page_script_hash
        elif kind == "delta" and told.delta.new_element.slider.label == "exponent":
            answer.slider = told.delta.new_element.slider.id
            answer.fragment = told.delta.fragment_id
        elif kind == "script_finished":
            if told.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                continue
            if told.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                raise RuntimeError("the script failed")
            return answer


async def crowd(
    address: str, pages: list[str], *, steps: bool = False
) -> list[Visit | BaseException]:
    """Lets a visitor a page arrive, all at once; who is never answered is a failure."""
    visits = (
        asyncio.wait_for(visit(address, page, steps=steps), PATIENCE_SECONDS) for page in pages
    )
    return await asyncio.gather(*visits, return_exceptions=True)


def _served(met: list[Visit | BaseException]) -> tuple[list[Visit], int]:
    served = [one for one in met if isinstance(one, Visit)]
    if not served:
        raise RuntimeError(f"no visitor was served: {met[0]!r}")
    return served, len(met) - len(served)


def first_run(address: str, process: int, page: str, budget_ms: float) -> Row:
    """Measures the server's processor time for a new visitor of a page that others have seen."""
    asyncio.run(crowd(address, [page] * 2))
    before, own = cpu_seconds(process), time.process_time()
    for _ in range(FRESH_VISITS):
        served, _ = _served(asyncio.run(crowd(address, [page])))
    spent = 1000 * (cpu_seconds(process) - before) / FRESH_VISITS
    own_ms = 1000 * (time.process_time() - own) / FRESH_VISITS
    return Row(
        f"{page}: first run, server CPU / bytes",
        f"{spent:.0f} ms / {served[0].received / 1000:.0f} kB (client {own_ms:.0f} ms apart)",
        f"{budget_ms:.0f} ms",
        spent <= budget_ms,
    )


def at_once(
    address: str, visitors: int, page: str, first_budget_s: float, step_budget_s: float
) -> Row:
    """Measures a crowd in one process: the first run, then a step of the slider, p95."""
    own = time.process_time()
    met, failures = _served(asyncio.run(crowd(address, [page] * visitors, steps=True)))
    first, step = np.percentile([[one.first, one.step] for one in met], 95, axis=0)
    own_ms = 1000 * (time.process_time() - own) / visitors
    return Row(
        f"{visitors} at once, one process, {page}: first run / step, p95 / failures",
        f"{first:.2f} s / {step * 1000:.0f} ms / {failures} (client {own_ms:.0f} ms each)",
        f"{first_budget_s} s / {step_budget_s * 1000:.0f} ms / 0",
        bool(first <= first_budget_s and step <= step_budget_s and not failures),
    )


def at_two_processes(visitors: int, budget_s: float) -> Row:
    """Measures a crowd in front of two processes behind a proxy: the first run, p95."""
    with tempfile.TemporaryDirectory() as name, running_fleet(Path(name)) as (address, _):
        asyncio.run(crowd(address, ["explore"] * 4))
        met, failures = _served(asyncio.run(crowd(address, ["explore"] * visitors)))
    first = float(np.percentile([one.first for one in met], 95))
    return Row(
        f"{visitors} at once, two processes, explore: first run p95 / failures",
        f"{first:.2f} s / {failures}",
        f"{budget_s:.0f} s / 0",
        first <= budget_s and not failures,
    )


def memory(budget_mb: float) -> Row:
    """Measures the server's memory after waves of visits to all kinds of pages."""
    sizes = []
    with running_server() as (address, process):
        for _ in range(WAVES):
            asyncio.run(crowd(address, [MIXED[at % len(MIXED)] for at in range(WAVE)]))
            sizes.append(_megabytes(process))
    third, last = sizes[2], sizes[-1]
    return Row(
        f"memory after {WAVES} waves of {WAVE} mixed visits (after the third)",
        f"{last:.0f} MB ({third:.0f} MB)",
        f"{budget_mb:.0f} MB, flat from the third",
        last <= budget_mb and last <= 1.05 * third,
    )


def _megabytes(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / 1e6
