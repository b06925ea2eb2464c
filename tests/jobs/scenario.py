"""Steps that the tests of jobs share."""

import os
import time
from pathlib import Path

from alibi_viz.jobs.train_request import TrainRequest


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
