"""A class on its phones: all join, hear of a question and answer, while a worker is killed.

    python -m benchmarks.room --phones 300

Two workers behind the proxy that `serve` starts. Each phone is a connection of its own with its own
cookie and event stream, and tries again where the network fails, as the page does.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import Store
from benchmarks.app import Row
from tests.browser.server import running_fleet

QUESTION = "ladder/third"
ANSWER_WITHIN_SECONDS = 10.0
LOOK_EVERY_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
GIVEN = ("1/8", "1/4", "3")


@dataclass
class Class:
    """What the phones of a class met."""

    joins: list[float] = field(default_factory=list)
    """Seconds that joining took, each."""
    hears: list[float] = field(default_factory=list)
    """Seconds from the opening of the round to its arrival, each."""
    answers: list[float] = field(default_factory=list)
    """Seconds until an answer was taken, tries included."""
    taken: list[float] = field(default_factory=list)
    """When each answer was taken."""
    opened: float = 0.0
    """When the round was opened."""


@asynccontextmanager
async def exchange(
    address: str, method: str, path: str, *, cookie: str = "", content: object = None
) -> AsyncIterator[tuple[int, dict[str, str], asyncio.StreamReader]]:
    """Gives status, headers and body of one request on a connection of its own."""
    host = urlsplit(address).netloc
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    try:
        body = json.dumps(content).encode() if content is not None else b""
        head = [
            f"{method} {path} HTTP/1.1",
            f"Host: {host}",
            f"Cookie: {cookie}",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await writer.drain()
        status = int((await reader.readline() or b"- 0").split()[1])
        headers = {}
        while (line := (await reader.readline()).decode().strip()) != "":
            key, _, value = line.partition(": ")
            # Proxy and app each set a cookie of theirs; a browser sends both.
            pair = value.split(";")[0]
            headers[key.lower()] = (
                f"{headers[key.lower()]}; {pair}" if key.lower() in headers else pair
            )
        yield status, headers, reader
    finally:
        writer.close()


async def insist(address: str, path: str, cookie: str, content: object) -> dict[str, str]:
    """Posts until it is taken, and returns the headers of the answer."""
    while True:
        try:
            request = exchange(address, "POST", path, cookie=cookie, content=content)
            async with request as (status, headers, reader):
                if status == 200:
                    return headers
                if status < 500:
                    raise RuntimeError(f"{path}: {status} {(await reader.read(300)).decode()}")
        except (OSError, IndexError, ValueError):
            pass
        await asyncio.sleep(0.2 + random.random() / 2)


async def phone(address: str, code: str, met: Class, given: str) -> None:
    """Joins, listens until the round opens, and answers within the time."""
    await asyncio.sleep(random.random())
    start = time.monotonic()
    headers = await insist(address, f"/join/{code}/join", "", {})
    cookie = headers["set-cookie"]
    met.joins.append(time.monotonic() - start)
    await hear(address, code, cookie)
    met.hears.append(time.monotonic() - met.opened)
    await asyncio.sleep(random.random() * (ANSWER_WITHIN_SECONDS - 1))
    start = time.monotonic()
    await insist(address, f"/join/{code}/answer", cookie, {"round": 1, "answer": given})
    met.answers.append(time.monotonic() - start)
    met.taken.append(time.monotonic())


async def hear(address: str, code: str, cookie: str) -> None:
    """Returns once the round is open; a stream that breaks is opened again."""
    while True:
        try:
            request = exchange(address, "GET", f"/join/{code}/events", cookie=cookie)
            async with request as (status, _, reader):
                while line := await reader.readline():
                    if status == 200 and b'"phase": "open"' in line:
                        return
        except (OSError, IndexError, ValueError):
            pass
        await asyncio.sleep(0.2 + random.random() / 2)


async def lesson(address: str, room: Room, workers: list[int], phones: int) -> tuple[Class, float]:
    """Holds the class and returns what the phones met, and how late the projector was at most."""
    met = Class()
    pupils = [
        asyncio.create_task(phone(address, room.code, met, GIVEN[place % len(GIVEN)]))
        for place in range(phones)
    ]
    while room.state().joined < phones:
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        for pupil in pupils:
            if pupil.done():
                pupil.result()
    await asyncio.sleep(1)
    met.opened = time.monotonic()
    room.start_round(QUESTION)
    killed, behind = False, 0.0
    while not all(pupil.done() for pupil in pupils):
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        shown, now = room.state().answered, time.monotonic()
        # What was taken earlier than this look and is not in it yet.
        late = [now - taken for taken in met.taken[shown:]]
        behind = max([behind, LOOK_EVERY_SECONDS, *late])
        if not killed and now - met.opened > ANSWER_WITHIN_SECONDS / 2:
            os.kill(workers[0], signal.SIGKILL)
            killed = True
    await asyncio.gather(*pupils)
    return met, behind


def measure(phones: int) -> Row:
    """Returns the row of the budget table."""
    with tempfile.TemporaryDirectory() as name, running_fleet(Path(name)) as (address, workers):
        store = Store(Path(name) / "rooms.sqlite3")
        room = Room.open(store)
        met, behind = asyncio.run(
            asyncio.wait_for(lesson(address, room, workers, phones), PATIENCE_SECONDS * 3)
        )
        (result,) = room.results()
        wanted = [len(range(place, phones, len(GIVEN))) for place in range(len(GIVEN))]
        lost = phones - result.answered + (sorted(wanted) != sorted(g.count for g in result.groups))
        store.close()
    join, hear_, answer = (
        1000 * np.percentile(times, 95) for times in (met.joins, met.hears, met.answers)
    )
    return Row(
        f"{phones} phones answer in {ANSWER_WITHIN_SECONDS:.0f} s, one of two workers killed: "
        "lost / projector behind",
        f"{lost} / {behind:.1f} s (p95: join {join:.0f} ms, hear {hear_:.0f} ms, "
        f"answer {answer:.0f} ms)",
        "0 / 2 s",
        lost == 0 and behind <= 2,
    )


def main() -> None:
    """Prints the row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--phones", type=int, default=300)
    row = measure(parser.parse_args().phones)
    print(f"{row.what}: {row.measured}; wanted {row.budget}; {'ok' if row.is_met else 'over'}")


if __name__ == "__main__":
    main()
