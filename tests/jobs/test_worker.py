"""What ends a job: its limits, others who wait, and nobody who does."""

import os
import subprocess
import sys
import time

import pytest

from alibi_viz.files import write_json
from alibi_viz.jobs.store import JobFolder, Status
from alibi_viz.paths import PROJECT

SUBMITTED = 1_700_000_000.5
# Stands for the worker's program with limits that a test can wait for.
WORKER = """
from alibi_viz.jobs import worker
worker.policy.job_minutes = lambda: {minutes}
worker.PATIENCE = {patience}
worker.LOOK_AROUND_EVERY = 0.1
worker.main()
"""
SAVE_AND_END = (
    "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(75)); time.sleep(60)"
)


@pytest.fixture
def folder(tmp_path):
    folder = JobFolder(tmp_path / "jobs" / "a")
    folder.path.mkdir(parents=True)
    return folder


def run(folder, code, *, minutes=1, patience=300.0, submitted=SUBMITTED):
    """Runs a job whose command is this Python, and returns the status that it ended with."""
    folder.write_status(Status("queued", SUBMITTED))
    folder.watch()
    write_json(folder.commands, [[sys.executable, "-S", "-c", code]])
    program = WORKER.format(minutes=minutes, patience=patience)
    command = [sys.executable, "-c", program, str(folder.path), repr(submitted)]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE) as worker:
        assert worker.wait(60) == 0
    return folder.read_status()


def test_a_job_that_takes_too_long_is_asked_to_save_its_state_and_fails(folder):
    status = run(folder, SAVE_AND_END, minutes=0.02)
    assert (status.state, status.message) == (
        "failed",
        "It took more than the 0.02 minutes that a job has here.",
    )
    assert status.ended - status.started < 20


def test_a_job_that_computes_too_long_is_ended_by_the_system(folder):
    burn = "import threading\nwhile True: pass"
    # A second of processor time; the clock's limit never comes, for others take the processor.
    status = run(folder, burn, minutes=0.02 / max(1, (os.cpu_count() or 1) - 1))
    assert status.state == "failed"
    assert "processor time" in status.message or "minutes" in status.message


def test_a_log_keeps_its_end_and_the_reason_of_a_failure(folder):
    code = (
        "import sys, time\n"
        "for number in range(40):\n"
        "    print(f'{number} ' * 20_000, flush=True)\n"
        "    time.sleep(0.02)\n"
        "time.sleep(0.5)\n"
        "sys.exit('error: the corpus is too short')\n"
    )
    status = run(folder, code)
    assert (status.state, status.message) == ("failed", "the corpus is too short")
    assert 10_000 < folder.log.stat().st_size <= 1_000_000
    assert "39 39" in folder.log.read_text()


def unwatched(folder, seconds):
    before = time.time() - seconds
    os.utime(folder.watched, (before, before))


@pytest.mark.parametrize(("others_wait", "state"), [(True, "stopped"), (False, "finished")])
def test_a_job_that_nobody_watches_gives_way_to_those_that_wait(folder, others_wait, state):
    other = JobFolder(folder.path.with_name("b"))
    held = other.hold()
    other.write_status(Status("queued" if others_wait else "finished", SUBMITTED))
    try:
        # Nobody has watched it for longer than no time at all.
        status = run(folder, "import time; time.sleep(3)", patience=0.0)
    finally:
        held.close()
    assert status.state == state
    assert ("others were waiting" in status.message) is others_wait


def test_a_worker_whose_job_was_asked_for_again_meanwhile_touches_nothing(folder):
    assert run(folder, "", submitted=SUBMITTED - 1).state == "queued"
