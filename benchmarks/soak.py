"""Everything at once, for a long time: visits, jobs, rooms, uploads, hostile frames and kills.

    python -m benchmarks.soak --minutes 30

Two workers behind a proxy; the first one is killed every few minutes, the second one never, so that
its memory, descriptors and threads tell whether anything grows. What visitors meet within ten
seconds of a kill is counted apart.
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin, Subprotocol

from alibi_viz.jobs.registry import JobRefused, Registry
from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import Store
from alibi_viz.ui.frame.navigation import PAGES
from benchmarks.room import exchange, insist
from tests.browser.server import running_fleet

LOOK_EVERY_SECONDS = 10.0
KILL_EVERY_SECONDS = 240.0
AFTER_A_KILL_SECONDS = 10.0
VISITORS, PHONES = 6, 20
UPLOAD = b"x" * 200_000
PROBLEMS = (OSError, WebSocketException, TimeoutError, RuntimeError, IndexError, ValueError)


@dataclass
class Soak:
    """What was done, and what it met."""

    address: str
    """Where the app is served."""
    folder: Path
    """What the server keeps."""
    ends: float
    """When to stop, on the monotonic clock."""
    done: Counter[str] = field(default_factory=Counter)
    """Things done, by their kind."""
    failed: Counter[str] = field(default_factory=Counter)
    """Things that failed, by their kind."""
    after_kills: Counter[str] = field(default_factory=Counter)
    """Those of them that failed while a worker was being replaced."""
    said: list[str] = field(default_factory=list)
    """Why, the first few."""
    killed: float = -1e9
    """When a worker was killed last."""

    def is_over(self) -> bool:
        """Returns whether the time is up."""
        return time.monotonic() > self.ends

    async def keep_doing(
        self, kind: str, do: Callable[[], Awaitable[None]], rest: float, patience: float = 90.0
    ) -> None:
        """Does one kind of thing until the time is up, with a random rest between, in seconds."""
        while not self.is_over():
            started = time.monotonic()
            try:
                await asyncio.wait_for(do(), patience)
                self.done[kind] += 1
            except PROBLEMS as error:
                # Begun before the kill or soon after it.
                near = self.killed > started or started - self.killed < AFTER_A_KILL_SECONDS
                (self.after_kills if near else self.failed)[kind] += 1
                if not near and len(self.said) < 12:
                    self.said.append(f"{kind}: {type(error).__name__} {str(error)[:160]}")
            await asyncio.sleep(rest * (0.5 + random.random()))


async def visit(soak: Soak) -> None:
    """Opens two pages, and leaves one time in three before they are there."""
    stream = soak.address.replace("http", "ws", 1) + "/_stcore/stream"
    protocols = [Subprotocol("streamlit")]
    async with connect(stream, subprotocols=protocols, max_size=None) as socket:
        for page in random.sample(PAGES, 2):
            frame = BackMsg(rerun_script={"page_name": page.name})
            await socket.send(frame.SerializeToString())
            if random.random() < 1 / 3:
                return
            while True:
                told = ForwardMsg.FromString(await socket.recv())  # type: ignore[arg-type]
                if told.WhichOneof("type") == "script_finished":
                    break


async def attack(soak: Soak) -> None:
    """Sends what no visitor sends: foreign origins, caches to clear, wrong codes, broken frames."""
    stream = soak.address.replace("http", "ws", 1) + "/_stcore/stream"
    with suppress(WebSocketException):
        await connect(stream, origin=Origin("https://elsewhere.example"))
    with suppress(WebSocketException):
        async with connect(stream, subprotocols=[Subprotocol("streamlit")]) as socket:
            for frame in (BackMsg(clear_cache=True), BackMsg(load_git_info=True)):
                await socket.send(frame.SerializeToString())
            await socket.send(os.urandom(30))
            await socket.recv()
    async with exchange(soak.address, "POST", "/join/ZZZZ/join", content={}) as (status, _, _):
        if status not in (404, 429):
            raise RuntimeError(f"a wrong code was answered with {status}")
    async with exchange(soak.address, "GET", "/_stcore/metrics") as (status, _, _):
        if status != 404:
            raise RuntimeError(f"metrics were answered with {status}")


async def upload(soak: Soak) -> None:
    """Puts a file where no session of this name is; the endpoint has to read and refuse it."""
    path = f"/_stcore/upload_file/{random.randrange(10**6)}/{random.randrange(10**6)}"
    async with exchange(soak.address, "PUT", path, content=UPLOAD.decode()) as (status, _, _):
        if status not in (400, 403, 413, 503):
            raise RuntimeError(f"an upload was answered with {status}")


async def answer_together(soak: Soak, store: Store) -> None:
    """Holds a room: phones join, answer twice, and every answer has to be there."""
    room = await asyncio.to_thread(Room.open, store)
    joined = [insist(soak.address, f"/join/{room.code}/join", "", {}) for _ in range(PHONES)]
    cookies = [headers["set-cookie"] for headers in await asyncio.gather(*joined)]
    for number, question in enumerate(("ladder/third", "ladder/third"), 1):
        await asyncio.to_thread(room.start_round, question)
        path = f"/join/{room.code}/answer"
        given = {"round": number, "answer": "1/8"}
        await asyncio.gather(*(insist(soak.address, path, cookie, given) for cookie in cookies))
        await asyncio.to_thread(room.close_round)
    results = await asyncio.to_thread(room.results)
    await asyncio.to_thread(room.end)
    if [result.answered for result in results] != [PHONES, PHONES]:
        raise RuntimeError(f"answers were lost: {[result.answered for result in results]}")


async def train(soak: Soak, registry: Registry) -> None:
    """Trains a small model, cancels it or kills its worker one time in three each, and resumes."""
    request = TrainRequest(
        heads=2, layers=1, width=32, train_length=32, tokens=100_000, seed=random.randrange(100)
    )
    try:
        job = await asyncio.to_thread(registry.submit, request, str(random.random()), "soak")
    except JobRefused:
        return
    chance = random.random()
    while job.is_active and not soak.is_over():
        await asyncio.sleep(1.0)
        found = await asyncio.to_thread(registry.watch, job.id)
        if found is None:
            return
        job = found
        if job.state == "running" and chance < 1 / 3:
            await asyncio.to_thread(registry.cancel, job.id)
    if job.state not in ("finished", "cancelled", "stopped", "queued", "running"):
        raise RuntimeError(f"{job.state}: {job.status.message}")


def measure(process: int, folder: Path) -> tuple[float, int, int, float]:
    """Returns a process's memory in megabytes, descriptors, threads, and the folder's megabytes."""
    status = Path(f"/proc/{process}/status").read_text()
    values = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    descriptors = len(list(Path(f"/proc/{process}/fd").iterdir()))
    disk = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            disk += path.stat().st_size
    return int(values["VmRSS"].split()[0]) / 1024, descriptors, int(values["Threads"]), disk / 1e6


async def watch(soak: Soak, process: int) -> list[tuple[float, int, int, float]]:
    """Measures the process that is never killed, until the time is up."""
    rows = []
    while not soak.is_over():
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        rows.append(await asyncio.to_thread(measure, process, soak.folder))
    return rows


async def kill(soak: Soak) -> None:
    """Kills the first worker again and again; the fleet starts another in its place."""
    log = soak.folder / "serve.log"
    port = log.read_text().split("serves port ")[1].split()[0]
    while not soak.is_over():
        await asyncio.sleep(KILL_EVERY_SECONDS)
        newest = [line for line in log.read_text().splitlines() if line.endswith(f"port {port}")][
            -1
        ]
        soak.killed = time.monotonic()
        with suppress(ProcessLookupError):
            os.kill(int(newest.split()[1]), signal.SIGKILL)
            soak.done["kills"] += 1


async def soak_all(soak: Soak, survivor: int) -> list[tuple[float, int, int, float]]:
    """Does everything at once, and returns what was measured meanwhile."""
    store, registry = Store(soak.folder / "rooms.sqlite3"), Registry(soak.folder / "jobs")
    doing = [
        *(soak.keep_doing("visits", lambda: visit(soak), 2.0) for _ in range(VISITORS)),
        soak.keep_doing("attacks", lambda: attack(soak), 3.0),
        soak.keep_doing("uploads", lambda: upload(soak), 2.0),
        soak.keep_doing("rooms", lambda: answer_together(soak, store), 5.0),
        soak.keep_doing("jobs", lambda: train(soak, registry), 5.0, patience=900.0),
    ]
    try:
        killing = asyncio.create_task(kill(soak))
        rows, *_ = await asyncio.gather(watch(soak, survivor), *doing)
        killing.cancel()
        return rows
    finally:
        await asyncio.to_thread(registry.close)
        store.close()


def report(soak: Soak, rows: list[tuple[float, int, int, float]]) -> bool:
    """Prints what was done and measured; returns whether all held."""
    print("| | done | failed | failed while a worker was replaced |\n|---|---|---|---|")
    for kind in sorted({*soak.done, *soak.failed, *soak.after_kills}):
        numbers = (soak.done[kind], soak.failed[kind], soak.after_kills[kind])
        print(f"| {kind} | " + " | ".join(map(str, numbers)) + " |")
    print("\n| of the worker never killed | 1st third | 2nd | 3rd |\n|---|---|---|---|")
    thirds = np.array_split(np.array(rows), 3)
    flat = True
    for place, (what, slack) in enumerate(
        (("memory, MB", 40), ("descriptors", 20), ("threads", 8), ("disk of the server, MB", 30))
    ):
        medians = [float(np.median(third[:, place])) for third in thirds]
        flat &= medians[2] <= 1.1 * medians[1] + slack
        print(f"| {what} | " + " | ".join(f"{median:.0f}" for median in medians) + " |")
    for line in soak.said:
        print(line)
    print("flat" if flat else "GROWING", "and", "no failures" if not soak.failed else "FAILURES")
    return flat and not soak.failed


def main() -> int:
    """Runs it and returns an exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    minutes = parser.parse_args().minutes
    # The jobs' workers of this process compute on one core.
    with tempfile.TemporaryDirectory() as name:
        os.environ["ALIBI_VIZ_DATA"] = name
        with running_fleet(Path(name)) as (address, workers):
            soak = Soak(address, Path(name), time.monotonic() + 60 * minutes)
            rows = asyncio.run(soak_all(soak, workers[1]))
            return 0 if report(soak, rows) else 1


if __name__ == "__main__":
    sys.exit(main())
