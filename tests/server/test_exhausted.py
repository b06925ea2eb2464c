"""A server that has no descriptor left: its log stays short, and it comes back."""

import resource
import socket
import subprocess
import sys
import time
import urllib.request

from alibi_viz.paths import PROJECT
from alibi_viz.server.fleet import serve_command
from tests.browser.server import free_port

DESCRIPTORS = 90


def limited(command, log):
    return subprocess.Popen(
        command,
        cwd=PROJECT,
        stdout=log,
        stderr=log,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS,) * 2),
    )


def test_out_of_descriptors_it_says_so_a_few_times_and_goes_on_afterwards(tmp_path):
    port, log = free_port(), tmp_path / "log"
    with log.open("w") as file:
        server = limited([sys.executable, *serve_command("127.0.0.1", port)[1:]], file)
    try:
        while "is ready" not in log.read_text():
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)
        before = log.stat().st_size
        crowd = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(2 * DESCRIPTORS)]
        time.sleep(4)
        for connection in crowd:
            connection.close()
        health = f"http://127.0.0.1:{port}/_stcore/health"
        assert urllib.request.urlopen(health, timeout=30).status == 200
        # It was 47 MB a minute: 3 MB in this time.
        assert 0 < log.stat().st_size - before < 100_000
    finally:
        server.terminate()
        server.wait(30)
