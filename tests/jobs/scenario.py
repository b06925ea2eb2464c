"""Steps that the tests of jobs share."""

import os
import sys
import time
from pathlib import Path

from alibi_viz.jobs.train_request import TrainRequest

# Stands for `python -m alibi_viz`: what it does depends on the seed that it is asked for. It
# writes its process id, then waits for a file named "go", as a long command would compute.
PROGRAM = """
import os, pathlib, signal, sys, time
arguments = dict(zip(sys.argv[2::2], sys.argv[3::2]))
run = pathlib.Path(arguments["--run"])
run.mkdir(parents=True, exist_ok=True)
(run / "starts").open("a").write("x")
(run / "pid").write_text(str(os.getpid()))
seed = int(arguments["--seed"])
if seed == 90:
    sys.exit("error: the corpus is too short")
if seed == 91:
    os.kill(os.getpid(), signal.SIGKILL)
if seed == 92:
    raise OSError(28, "No space left on device")
def save_and_end(*_):
    (run / "saved").touch()
    sys.exit(75)
signal.signal(signal.SIGTERM, signal.SIG_IGN if seed == 93 else save_and_end)
(run / "ready").touch()
while not (run.parent.parent / "go").exists():
    time.sleep(0.01)
"""


def stand_in(folder):
    """Writes the program that stands for the command line, and returns how to start it."""
    script = folder / "program.py"
    script.write_text(PROGRAM)
    return [sys.executable, "-S", str(script)]


def until(claim, seconds=20.0):
    """Waits for a claim to become true, and fails where it does not."""
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def is_running(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"


def request(seed=0):
    return TrainRequest(seed=seed)


def start(registry, seed=0, session="a"):
    """Submits a job and waits until its command runs."""
    job = registry.submit(request(seed), session)
    until(lambda: (job.folder / "run" / "ready").exists())
    until(lambda: registry.job(job.id).state == "running")
    return job


def let_go(registry):
    (registry.root / "go").touch()


def process_of(job):
    """Process id of the newest command of a job."""
    return int((job.folder / "run" / "pid").read_text())
