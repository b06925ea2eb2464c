"""Runs one job to its end: `python -m alibi_viz.jobs.worker FOLDER SUBMITTED`.

A small process between the server and the command, so that neither can leave the other behind: it
ends the command when somebody cancels, when its time is over, when nobody watches and others wait,
when the server is gone (its standard input closes), and when it is itself asked to end. One worker
at a time is at work below a root folder, whichever server started it.
"""

import os
import signal
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType

from alibi_viz import policy, processes
from alibi_viz.errors import EXIT_STOPPED
from alibi_viz.files import lock, read_json
from alibi_viz.jobs.limits import threads_for_jobs
from alibi_viz.jobs.store import JobFolder, State, Status, locked
from alibi_viz.paths import PROJECT

# Visitors' requests come first: jobs take what they leave.
NICENESS = 10
# Seconds between two looks at the command, the server and the cancel mark.
LOOK_EVERY = 0.2
# Seconds that a command has to save its state after it was asked to end.
GRACE_VARIABLE = "ALIBI_VIZ_JOB_GRACE"
GRACE = 20.0
# A job that nobody has watched for so many seconds gives way to those that wait.
PATIENCE = 300.0
# Seconds between two looks at what else waits.
LOOK_AROUND_EVERY = 10.0
# A log that grows beyond the first keeps its newest part, in bytes.
MAX_LOG, KEPT_LOG = 1_000_000, 250_000
# The end of the log that may hold the reason of a failure, in bytes.
LOG_TAIL = 4096

Ending = tuple[State, str]
FINISHED: Ending = ("finished", "")
CANCELLED: Ending = ("cancelled", "")
STOPPED: Ending = ("stopped", "The server stopped before it was done.")
GAVE_WAY: Ending = ("stopped", "Nobody watched it, and others were waiting.")


class Worker:
    """One job's worker; `run` returns once the job's status says how it ended."""

    def __init__(self, folder: JobFolder) -> None:
        self.folder = folder
        self.status = folder.read_status()
        self._minutes = policy.job_minutes()
        self._deadline = float("inf")
        self._looked_around = time.monotonic()
        # The server is gone, or somebody asked this process to end.
        self._is_over = threading.Event()
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)
        threading.Thread(target=self._listen_to_server, daemon=True).start()

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._is_over.set()

    def _listen_to_server(self) -> None:
        sys.stdin.read()
        self._is_over.set()

    def run(self) -> None:
        """Waits for its turn, then runs the job's commands until one does not succeed."""
        with ExitStack() as turn:
            state, message = self._wait_for_turn(turn) or self._run_commands()
            self._write(replace(self.status, state=state, ended=time.time(), message=message))

    def _write(self, status: Status) -> None:
        self.status = status
        self.folder.write_status(status)

    def _wait_for_turn(self, turn: ExitStack) -> Ending | None:
        ending = self._wish(wait=0.0)
        while ending is None:
            try:
                turn.enter_context(lock(self.folder.path.parent / ".turn", wait=False))
                return None
            except BlockingIOError:
                ending = self._wish()
        return ending

    def _run_commands(self) -> Ending:
        self._write(replace(self.status, state="running", started=time.time()))
        self._deadline = time.monotonic() + 60 * self._minutes
        for command in read_json(self.folder.commands):
            ending = self._run_command(command)
            if ending is not FINISHED:
                return ending
        return FINISHED

    def _run_command(self, command: list[str]) -> Ending:
        wish = None
        with self.folder.log.open("ab") as log:
            child = processes.start(
                command,
                PROJECT,
                output=log,
                cpu_seconds=max(1, int(60 * self._minutes * threads_for_jobs())),
            )
            while child.poll() is None:
                wish = self._wish()
                self._shorten_log()
                if wish is not None:
                    processes.end(child, float(os.environ.get(GRACE_VARIABLE, GRACE)))
        if child.returncode == 0:
            return FINISHED
        if wish is not None:
            return wish
        return STOPPED if child.returncode == EXIT_STOPPED else self._failure(child.returncode)

    def _wish(self, wait: float = LOOK_EVERY) -> Ending | None:
        """Returns how to end, if somebody wants that, after at most `wait` seconds."""
        is_over = self._is_over.wait(wait)
        if self.folder.cancel_mark.exists():
            return CANCELLED
        if is_over:
            return STOPPED
        if time.monotonic() > self._deadline:
            return "failed", f"It took more than the {self._minutes} minutes that a job has here."
        return GAVE_WAY if self._is_in_the_way() else None

    def _is_in_the_way(self) -> bool:
        """Whether nobody watches the job and others wait; looked up once in a while."""
        if time.monotonic() - self._looked_around < LOOK_AROUND_EVERY:
            return False
        self._looked_around = time.monotonic()
        return self.folder.unwatched_seconds() > PATIENCE and any(
            other.parent != self.folder.path and JobFolder(other.parent).is_waiting()
            for other in self.folder.path.parent.glob("*/status.json")
        )

    def _shorten_log(self) -> None:
        """Keeps the newest part of a log that grows; the command appends, wherever the end is."""
        log = self.folder.log
        if log.stat().st_size > MAX_LOG:
            with log.open("r+b") as file:
                file.seek(-KEPT_LOG, os.SEEK_END)
                newest = file.read()
                file.seek(0)
                file.write(newest)
                file.truncate()

    def _failure(self, returncode: int) -> Ending:
        if returncode < 0:
            name = signal.Signals(-returncode).name
            if name == "SIGXCPU":
                return "failed", "It used up the processor time that a job has here."
            return "failed", f"It was killed by {name}; perhaps the machine ran out of memory."
        with self.folder.log.open("rb") as file:
            file.seek(max(0, self.folder.log.stat().st_size - LOG_TAIL))
            lines = file.read().decode(errors="replace").strip().splitlines()
        last = lines[-1].removeprefix("error: ") if lines else f"exit status {returncode}"
        return "failed", f"The server's disk is full: {last}" if "No space left" in last else last


def main() -> None:
    """Runs the job whose folder and time of submission are the arguments."""
    processes.be_nice(NICENESS)
    folder = JobFolder(Path(sys.argv[1]))
    held = locked(folder.worker_lock)
    # A server that died before this process began may have left the job to another one.
    if held is not None and folder.read_status().submitted == float(sys.argv[2]):
        Worker(folder).run()


if __name__ == "__main__":
    main()
