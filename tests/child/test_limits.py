import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from alibi_viz.paths import PROJECT

TRIED = """
import socket, subprocess
from alibi_viz.child.limits import allow, limit_resources, shut_in
limit_resources(3 * 2**30)
print(shut_in())
for what in (
    lambda: socket.socket(),
    lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
    lambda: subprocess.run(["true"]),
    lambda: open("/tmp/alibi-viz-child-test", "w").write("x" * 9000),
    lambda: [open("/dev/null") for _ in range(300)],
):
    try:
        what()
        print("did it")
    except OSError as error:
        print(error.errno)
allow(400_000_000, 1)
try:
    bytearray(800_000_000)
    print("did it")
except MemoryError:
    print("no memory")
while True:
    pass
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")
def test_a_child_has_no_network_programs_or_files_and_ends_when_its_time_is_over():
    run = subprocess.run(
        [sys.executable, "-c", TRIED], cwd=PROJECT, capture_output=True, text=True, timeout=280
    )
    # EACCES three times, EFBIG, EMFILE.
    assert run.stdout.split("\n")[:-1] == ["True", "13", "13", "13", "27", "24", "no memory"]
    # SIGXCPU.
    assert run.returncode == -24


SERVER = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-m", "alibi_viz.child"], stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
time.sleep(600)
"""


def told(process, file):
    """What the system tells of a process; nothing of one that is gone."""
    with suppress(OSError):
        return Path(f"/proc/{process}/{file}").read_text()
    return ""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up as Linux has them")
def test_a_child_ends_with_a_server_that_was_killed():
    # This end of its questions stays open, so that it does not end for want of questions.
    read, write = os.pipe()
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=PROJECT, stdin=read, stdout=subprocess.PIPE
    )
    with server:
        child = int(server.stdout.readline())
        try:
            deadline = time.monotonic() + 120
            # It is shut in once it has begun.
            while "Seccomp:\t2" not in told(child, "status"):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            server.kill()
            while told(child, "cmdline") and time.monotonic() < deadline:
                time.sleep(0.1)
            assert not told(child, "cmdline")
        finally:
            server.kill()
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.close(read)
            os.close(write)
