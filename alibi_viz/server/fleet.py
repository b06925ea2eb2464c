"""Several app processes behind one proxy: started, watched, started again where one dies."""

import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from alibi_viz import processes
from alibi_viz.paths import PROJECT
from alibi_viz.server.proxy import Proxy, own_folder

LOOK_EVERY_SECONDS = 0.5
# On a machine that has much else to do a start of five seconds takes minutes.
START_SECONDS = 300.0
GRACE_SECONDS = 20.0
# A process that dies so often in a minute is not started again: something else is wrong.
MAX_DEATHS = 5

Command = Callable[[int], Sequence[str]]


class Fleet:
    """App processes on ports of their own, and the proxy before them."""

    def __init__(self, command: Command, count: int, say: Callable[[str], None] = print) -> None:
        """Starts nothing yet.

        Args:
            command: Returns the command that serves the app on a port of this machine.
            count: How many processes.
            say: Tells whoever started it.
        """
        self._command, self._say = command, say
        self.ports = free_ports(count)
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self._deaths: list[float] = []
        # Whoever moves to another process must not be taken for a stranger there.
        self._environment = {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32)}
        self._is_ending = False

    def run(self, proxy: Proxy, host: str, port: int) -> int:
        """Serves until it is asked to end, and returns an exit status.

        Args:
            proxy: What stands before the processes.
            host: Address that the proxy listens on.
            port: Its port.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)
        with own_folder() as folder:
            started: subprocess.Popen[bytes] | None = None
            try:
                for worker in self.ports:
                    self._start(worker)
                if self._wait_until_ready():
                    command = proxy.command(host, port, self.ports, Path(folder))
                    # Caddy keeps its last configuration where this says.
                    own = {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
                    started = processes.start(command, Path(folder), environment=own)
                    shown = "localhost" if host in ("0.0.0.0", "::") else host
                    self._say(f"All {len(self.ports)} workers are ready: http://{shown}:{port}")
                    return self._watch(started)
                return 0 if self._is_ending else 1
            finally:
                for process in (started, *self._workers.values()):
                    if process is not None:
                        processes.end(process, GRACE_SECONDS)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._is_ending = True

    def _start(self, port: int) -> None:
        process = processes.start(list(self._command(port)), PROJECT, environment=self._environment)
        self._workers[port] = process
        self._say(f"worker {process.pid} serves port {port}")

    def _wait_until_ready(self) -> bool:
        deadline = time.monotonic() + START_SECONDS
        for port in self.ports:
            while not is_healthy(port):
                if self._workers[port].poll() is not None or time.monotonic() > deadline:
                    self._say(f"error: the worker of port {port} did not start")
                    return False
                if self._is_ending:
                    return False
                time.sleep(LOOK_EVERY_SECONDS)
        return True

    def _watch(self, proxy: "subprocess.Popen[bytes]") -> int:
        while not self._is_ending:
            if proxy.poll() is not None:
                self._say(f"error: the proxy ended with status {proxy.returncode}")
                return 1
            for port, worker in list(self._workers.items()):
                if worker.poll() is not None and not self._is_ending:
                    now = time.monotonic()
                    self._deaths = [death for death in self._deaths if now - death < 60] + [now]
                    if len(self._deaths) > MAX_DEATHS:
                        self._say("error: the workers keep dying")
                        return 1
                    self._say(f"worker {worker.pid} ended with status {worker.returncode}")
                    self._start(port)
            time.sleep(LOOK_EVERY_SECONDS)
        return 0


def is_healthy(port: int) -> bool:
    """Returns whether an app on this machine takes visitors."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def free_ports(count: int) -> list[int]:
    """Returns ports that nothing listens on."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def serve_command(host: str, port: int, *more: str) -> list[str]:
    """Returns the command that serves the app in one process.

    Args:
        host: Address to listen on.
        port: Port to listen on.
        more: Further options of `streamlit run`.
    """
    options = ["--server.address", host, "--server.port", str(port), "--server.headless", "true"]
    return [sys.executable, "-m", "streamlit", "run", str(PROJECT / "app.py"), *options, *more]
