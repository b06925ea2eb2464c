"""Starts the app and waits for its pages, for the browser tests and the benchmark."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

ROOT = Path(__file__).parents[2]
READY = "ALiBi Viz is ready"
SETTLED = (
    "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
)
# Long, because it only matters where a test fails or the machine is busy.
PATIENCE_MS = 45_000


def free_port() -> int:
    """Returns a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_app(host: str | None = None, **environment: str) -> Iterator[str]:
    """Gives the address of a fresh server, as `make run` starts it, and stops it afterwards."""
    with running_server(host, **environment) as (address, _):
        yield address


@contextmanager
def running_server(host: str | None = None, **environment: str) -> Iterator[tuple[str, int]]:
    """Gives the address of a fresh server and its process id, and stops it afterwards."""
    port = free_port()
    options = {
        "server.port": port,
        "server.headless": "true",
        # A failing test should name the error that a visitor is not shown.
        "client.showErrorDetails": "full",
    }
    if host is not None:
        options["server.address"] = host
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [part for name, value in options.items() for part in (f"--{name}", str(value))]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        _wait_until_ready(process)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(timeout=20)
        assert process.stdout is not None
        process.stdout.close()


@contextmanager
def running_fleet(folder: Path, *options: str) -> Iterator[tuple[str, list[int]]]:
    """Gives the address of two workers behind a proxy, and the workers' process ids.

    Their rooms lie in `folder`, and what they say in serve.log there.
    """
    port = free_port()
    command = [sys.executable, "-u", "-m", "alibi_viz", "serve", "--workers", "2"]
    environment = {**os.environ, "ALIBI_VIZ_ROOMS": str(folder / "rooms.sqlite3")}
    log = folder / "serve.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port), *options],
            cwd=ROOT,
            stdout=output,
            stderr=output,
            env=environment,
        )
    try:
        while "workers are ready" not in log.read_text():
            if process.poll() is not None:
                raise RuntimeError(f"serve did not start: {log.read_text()}")
            time.sleep(0.2)
        workers = re.findall(r"worker (\d+) serves", log.read_text())
        yield f"http://127.0.0.1:{port}", [int(number) for number in workers]
    finally:
        process.terminate()
        process.wait(timeout=60)


def _wait_until_ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if READY in line:
            # Whatever it says later must not fill the pipe and stop it.
            threading.Thread(target=_drain, args=[process], daemon=True).start()
            return
    raise RuntimeError("the app did not start: " + "".join(said))


def _drain(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    try:
        for _ in process.stdout:
            pass
    except ValueError:
        # Closed while reading: the server has been stopped.
        return


def is_served(address: str, patience: float = 90.0) -> bool:
    """Whether the landing page's script runs to its end there, once the server is up."""
    stream = address.replace("http", "ws", 1) + "/_stcore/stream"
    deadline = time.monotonic() + patience
    while True:
        try:
            with connect(stream, subprotocols=[Subprotocol("streamlit")], max_size=None) as visitor:
                visitor.send(BackMsg(rerun_script={}).SerializeToString())
                while True:
                    told = ForwardMsg.FromString(visitor.recv(timeout=60))  # type: ignore[arg-type]
                    if told.WhichOneof("type") == "script_finished":
                        return bool(told.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY)
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.5)


def settle(page: Page) -> None:
    """Waits until the script has run and everything that it sent is there."""
    expect.set_options(timeout=PATIENCE_MS)
    page.locator(SETTLED).first.wait_for(state="attached", timeout=PATIENCE_MS)
    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)


def open_more(page: Page) -> None:
    """Opens the controls that are folded away below a page's figure."""
    page.locator(".st-key-stage_more summary").click()
    settle(page)
