"""Everything at once, for a long time: visits, jobs, rooms, uploads, hostile models, and kills.

    python -m benchmarks.soak --minutes 30

Two workers behind a proxy; the first one is killed every few minutes, the second one never, so that
its memory, descriptors and threads tell whether anything grows. What visitors meet until a worker
is replaced, and ten seconds longer, is counted apart. What is measured is printed every five
minutes, so that a run that is cut off has told what it saw.
"""

import argparse
import asyncio
import os
import random
import re
import signal
import sys
import tempfile
import time
import urllib.request
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from alibi_viz.inspection.loading.policy import ModelsPolicy
from alibi_viz.jobs.registry import JobRefused, Registry
from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import Store
from alibi_viz.server.fleet import is_healthy
from alibi_viz.server.proxy import COOKIE as SEAT
from alibi_viz.ui.frame.navigation import PAGES
from benchmarks.crowd import stream
from benchmarks.room import QUESTION, exchange, insist
from tests.browser.server import running_fleet
from tests.inspection.hostile import make_all, make_good

LOOK_EVERY_SECONDS = 10.0
TELL_EVERY_SECONDS = 300.0
KILL_EVERY_SECONDS = 240.0
AFTER_A_KILL_SECONDS = 10.0
VISITORS, PHONES = 6, 20
UPLOAD = b"word " * 40_000
# Every so many-th of the hostile models is in the folder that visitors choose from.
EVERY_HOSTILE = 6
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
    replaced: float = -1e9
    """When the worker that was killed last had been replaced; never, while it is being replaced."""
    patience: float = 90.0
    """Seconds that one thing may take; more on a machine that others use too."""
    models: list[str] = field(default_factory=list)
    """Names of the models in the folder that visitors choose from; most of them are hostile."""

    def is_over(self) -> bool:
        """Returns whether the time is up."""
        return time.monotonic() > self.ends

    async def keep_doing(
        self, kind: str, do: Callable[[], Awaitable[None]], rest: float, patience: float = 0.0
    ) -> None:
        """Does one kind of thing until the time is up, with a random rest between, in seconds."""
        while not self.is_over():
            started = time.monotonic()
            try:
                await asyncio.wait_for(do(), max(patience, self.patience))
                self.done[kind] += 1
            except PROBLEMS as error:
                # Begun before the next one took its place, or soon after.
                near = started - self.replaced < AFTER_A_KILL_SECONDS
                (self.after_kills if near else self.failed)[kind] += 1
                if not near:
                    after = f"after {time.monotonic() - started:.0f} s"
                    print(f"{kind}: {type(error).__name__} {str(error)[:160]} {after}", flush=True)
            await asyncio.sleep(rest * (0.5 + random.random()))


async def visit(soak: Soak) -> None:
    """Opens one page after another, and leaves each time one in three before it is there."""
    async with _stream(soak) as socket:
        for page in random.sample(PAGES, 2):
            frame = BackMsg(rerun_script={"page_name": page.name})
            await socket.send(frame.SerializeToString())
            if random.random() < 1 / 3:
                return
            await _until(socket, "script_finished")


async def look_into(soak: Soak) -> None:
    """Opens a model of the folder on the page about trained ones, which has to come to its end."""
    query = urlencode({"model": f"folder:{random.choice(soak.models)}"})
    asked = {"page_name": "trained_attention", "query_string": query}
    async with _stream(soak) as socket:
        await socket.send(BackMsg(rerun_script=asked).SerializeToString())
        told = await _until(socket, "script_finished")
        if told.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
            raise RuntimeError(f"{query}: the page broke off")


def _stream(soak: Soak, seat: str = "") -> connect:
    headers = {"Cookie": f"{SEAT}={seat}"} if seat else None
    # Whoever does something has a patience for all of it.
    return stream(soak.address, additional_headers=headers, ping_interval=None)


async def _until(socket: ClientConnection, kind: str) -> ForwardMsg:
    """Returns the next message of a kind; a page that begins again at once has not finished."""
    while True:
        told = ForwardMsg.FromString(await socket.recv())  # type: ignore[arg-type]
        again = told.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        if told.WhichOneof("type") == kind and not (kind == "script_finished" and again):
            return told


async def attack(soak: Soak) -> None:
    """Sends what no visitor sends: foreign origins, caches to clear, wrong codes, broken frames."""
    with suppress(WebSocketException):
        await stream(soak.address, origin=Origin("https://elsewhere.example"))
    with suppress(WebSocketException):
        async with _stream(soak) as socket:
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
    """Puts a file where no session of its name is, which is refused, and one where a session is."""
    nowhere = f"/_stcore/upload_file/{random.randrange(10**6)}/{random.randrange(10**6)}"
    async with exchange(soak.address, "PUT", nowhere, content="x") as (status, _, _):
        if status not in (400, 403, 413, 503):
            raise RuntimeError(f"an upload to nobody was answered with {status}")
    # The same worker has to hear of the session and of its file.
    seat = uuid.uuid4().hex
    async with _stream(soak, seat) as socket:
        await socket.send(BackMsg(rerun_script={"page_name": "train"}).SerializeToString())
        await _until(socket, "script_finished")
        wanted = {"request_id": "1", "file_names": ["words.txt"]}
        await socket.send(BackMsg(file_urls_request=wanted).SerializeToString())
        told = await _until(socket, "file_urls_response")
        address = soak.address + told.file_urls_response.file_urls[0].upload_url
        await asyncio.to_thread(_put, address, f"{soak.address}/_stcore/health", seat)


def _put(address: str, health: str, seat: str) -> None:
    """Puts a file as a browser does: with the token that the server gave in a cookie."""
    ask = urllib.request.Request(health, headers={"Cookie": f"{SEAT}={seat}"})
    with urllib.request.urlopen(ask, timeout=300) as answer:
        given = answer.headers.get_all("Set-Cookie") or []
    (token,) = [c.split(";")[0] for c in given if c.startswith("_streamlit_xsrf=")]
    head = 'Content-Disposition: form-data; name="file"; filename="words.txt"'
    body = f"--edge\r\n{head}\r\n\r\n".encode() + UPLOAD + b"\r\n--edge--\r\n"
    headers = {
        "Cookie": f"{SEAT}={seat}; {token}",
        "X-Xsrftoken": token.partition("=")[2],
        "Content-Type": "multipart/form-data; boundary=edge",
    }
    put = urllib.request.Request(address, data=body, method="PUT", headers=headers)
    with urllib.request.urlopen(put, timeout=300) as answer:
        if answer.status != 204:
            raise RuntimeError(f"an upload was answered with {answer.status}")


async def answer_together(soak: Soak, store: Store) -> None:
    """Holds a room: phones join, answer twice, and every answer has to be there."""
    room = await asyncio.to_thread(Room.open, store)
    joined = [insist(soak.address, f"/join/{room.code}/join", "", {}) for _ in range(PHONES)]
    cookies = [headers["set-cookie"] for headers in await asyncio.gather(*joined)]
    for number in (1, 2):
        await asyncio.to_thread(room.start_round, QUESTION)
        path = f"/join/{room.code}/answer"
        given = {"round": number, "answer": "1/8"}
        await asyncio.gather(*(insist(soak.address, path, cookie, given) for cookie in cookies))
        await asyncio.to_thread(room.close_round)
    results = await asyncio.to_thread(room.results)
    await asyncio.to_thread(room.end)
    if [result.answered for result in results] != [PHONES, PHONES]:
        raise RuntimeError(f"answers were lost: {[result.answered for result in results]}")


async def train(soak: Soak, registry: Registry) -> None:
    """Trains a small model, and cancels it one time in three; what was cancelled may be resumed."""
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


@dataclass(frozen=True)
class Look:
    """What was measured of the worker that is never killed, and of the server's folder."""

    minutes: float
    """Since the start."""
    memory: float
    """Of the worker, in megabytes."""
    children: float
    """Of all processes below it, in megabytes."""
    descriptors: int
    threads: int
    disk: float
    """Of the folder, in megabytes."""


def measure(process: int, folder: Path, minutes: float) -> Look:
    """Returns what a process and the server's folder take."""
    status = _status(process)
    disk = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            disk += path.stat().st_size
    return Look(
        minutes=minutes,
        memory=_megabytes(status),
        children=sum(_megabytes(_status(child)) for child in _below(process)),
        descriptors=len(list(Path(f"/proc/{process}/fd").iterdir())),
        threads=int(status["Threads"]),
        disk=disk / 1e6,
    )


def _status(process: int) -> dict[str, str]:
    """Returns what the system says of a process; nothing of one that is gone."""
    with suppress(OSError):
        text = Path(f"/proc/{process}/status").read_text()
        return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return {}


def _megabytes(status: dict[str, str]) -> float:
    return int(status.get("VmRSS", "0 kB").split()[0]) / 1024


def _below(process: int) -> list[int]:
    """Returns the processes that a process started, and those that these started."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
    return found


async def watch(soak: Soak, process: int) -> list[Look]:
    """Measures the process that is never killed, until the time is up."""
    looks: list[Look] = []
    started = told = time.monotonic()
    while not soak.is_over():
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        now = time.monotonic()
        minutes = (now - started) / 60
        looks.append(await asyncio.to_thread(measure, process, soak.folder, minutes))
        if now - told >= TELL_EVERY_SECONDS:
            told = now
            print(looks[-1], dict(soak.done), dict(soak.failed), flush=True)
    return looks


async def kill(soak: Soak) -> None:
    """Kills the first worker again and again; the fleet starts another in its place."""
    log = soak.folder / "serve.log"
    port = log.read_text().split("serves port ")[1].split()[0]
    while not soak.is_over():
        await asyncio.sleep(KILL_EVERY_SECONDS)
        workers = re.findall(rf"worker (\d+) serves port {port}$", log.read_text(), re.MULTILINE)
        soak.replaced = float("inf")
        with suppress(ProcessLookupError):
            os.kill(int(workers[-1]), signal.SIGKILL)
            soak.done["kills"] += 1
        while not await asyncio.to_thread(is_healthy, int(port)):
            await asyncio.sleep(1.0)
        soak.replaced = time.monotonic()


async def soak_all(soak: Soak, survivor: int, visitors: int) -> list[Look]:
    """Does everything at once, and returns what was measured meanwhile."""
    store, registry = Store(soak.folder / "rooms.sqlite3"), Registry(soak.folder / "jobs")
    doing = [
        *(soak.keep_doing("visits", lambda: visit(soak), 2.0) for _ in range(visitors)),
        soak.keep_doing("models looked into", lambda: look_into(soak), 5.0),
        soak.keep_doing("attacks", lambda: attack(soak), 3.0),
        soak.keep_doing("uploads", lambda: upload(soak), 2.0),
        soak.keep_doing("rooms", lambda: answer_together(soak, store), 5.0),
        soak.keep_doing("jobs", lambda: train(soak, registry), 5.0, patience=900.0),
    ]
    try:
        killing = asyncio.create_task(kill(soak))
        looks, *_ = await asyncio.gather(watch(soak, survivor), *doing)
        killing.cancel()
        return looks
    finally:
        await asyncio.to_thread(registry.close)
        store.close()


# What may not grow: its name, and by how much it may differ all the same.
BOUNDED = {"memory": 40, "children": 600, "descriptors": 20, "threads": 8, "disk": 30}


def report(soak: Soak, looks: list[Look]) -> bool:
    """Prints what was done and measured; returns whether all held."""
    print("| | done | failed | failed while a worker was replaced |\n|---|---|---|---|")
    for kind in sorted({*soak.done, *soak.failed, *soak.after_kills}):
        numbers = (soak.done[kind], soak.failed[kind], soak.after_kills[kind])
        print(f"| {kind} | " + " | ".join(map(str, numbers)) + " |")
    print("\n| of the worker never killed | 1st third | 2nd | 3rd |\n|---|---|---|---|")
    flat = True
    for what, slack in BOUNDED.items():
        values = np.array([getattr(look, what) for look in looks])
        medians = [float(np.median(third)) for third in np.array_split(values, 3)]
        flat &= medians[2] <= 1.1 * medians[1] + slack
        print(f"| {what} | " + " | ".join(f"{median:.0f}" for median in medians) + " |")
    print("flat" if flat else "GROWING", "and", "no failures" if not soak.failed else "FAILURES")
    return flat and not soak.failed


def offer_models(folder: Path) -> list[str]:
    """Writes hostile models and a good one into a folder, and returns their names."""
    good = make_good(folder / "good")
    for kind, made in list(make_all(good, folder / "made"))[::EVERY_HOSTILE]:
        made.rename(folder / f"{kind}-{made.name}")
    return ModelsPolicy(folder.resolve()).offered()


def main() -> int:
    """Runs it and returns an exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--visitors", type=int, default=VISITORS, help="at a time")
    parser.add_argument("--patience", type=float, default=Soak.patience, help="seconds")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, models = Path(name), Path(name) / "models"
        offered = offer_models(models)
        os.environ |= {"ALIBI_VIZ_DATA": name, "ALIBI_VIZ_MODELS": str(models)}
        with running_fleet(folder) as (address, workers):
            ends = time.monotonic() + 60 * args.minutes
            soak = Soak(address, folder, ends, patience=args.patience, models=offered)
            looks = asyncio.run(soak_all(soak, workers[1], args.visitors))
            return 0 if report(soak, looks) else 1


if __name__ == "__main__":
    sys.exit(main())
