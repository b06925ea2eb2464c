"""Runs one job to its end: `python -m alibi_viz.jobs.worker FOLDER`.

A small process between the server and the command, so that neither can leave the other behind: it
ends the command when somebody cancels, when the server is gone (its standard input closes), and
when it is itself asked to end. One worker at a time is at work below a root folder, whichever
server started it.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType

from alibi_viz.errors import EXIT_STOPPED
from alibi_viz.files import lock, read_json
from alibi_viz.jobs.store import JobFolder, State, Status
from alibi_viz.paths import PROJECT

# Visitors' requests come first: jobs take what they leave.
NICENESS = 10
# Seconds between two looks at the command, the server and the cancel mark.
LOOK_EVERY = 0.2
# Seconds that a command has to save its state after it was asked to end.
GRACE_VARIABLE = "ALIBI_VIZ_JOB_GRACE"
GRACE = 20.0
# The end of the log that may hold the reason of a failure, in bytes.
LOG_TAIL = 4096

Ending = tuple[State, str]
FINISHED: Ending = ("finished", "")
CANCELLED: Ending = ("cancelled", "")
STOPPED: Ending = ("stopped", "The server stopped before it was done.")
_LINUX_PR_SET_PDEATHSIG = 1


class Worker:
    """One job's worker; `run` returns once the job's status says how it ended."""

    def __init__(self, folder: JobFolder) -> None:
        self.folder = folder
        self.status = folder.read_status()
        self.asked_to_end = False
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.asked_to_end = True

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
        for command in read_json(self.folder.commands):
            ending = self._run_command(command)
            if ending is not FINISHED:
                return ending
        return FINISHED

    def _run_command(self, command: list[str]) -> Ending:
        with self.folder.log.open("ab") as log:
            child = subprocess.Popen(
                command,
                cwd=PROJECT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
            wish = None
            while child.poll() is None:
                wish = self._wish()
                if wish is not None:
                    _end_group(child)
        if child.returncode == 0:
            return FINISHED
        if wish is not None:
            return wish
        return STOPPED if child.returncode == EXIT_STOPPED else self._failure(child.returncode)

    def _wish(self, wait: float = LOOK_EVERY) -> Ending | None:
        """Returns how to end, if somebody wants that, after at most `wait` seconds."""
        server_is_gone, _, _ = select.select([sys.stdin], [], [], wait)
        if self.folder.cancel_mark.exists():
            return CANCELLED
        return STOPPED if server_is_gone or self.asked_to_end else None

    def _failure(self, returncode: int) -> Ending:
        if returncode < 0:
            name = signal.Signals(-returncode).name
            return "failed", f"It was killed by {name}; perhaps the machine ran out of memory."
        with self.folder.log.open("rb") as file:
            file.seek(max(0, self.folder.log.stat().st_size - LOG_TAIL))
            lines = file.read().decode(errors="replace").strip().splitlines()
        last = lines[-1].removeprefix("error: ") if lines else f"exit status {returncode}"
        return "failed", f"The server's disk is full: {last}" if "No space left" in last else last


def _end_with_parent() -> None:
    """Has Linux end this process when the worker dies, even by a kill that it cannot see."""
    ctypes.CDLL(None).prctl(_LINUX_PR_SET_PDEATHSIG, signal.SIGTERM)


def _end_group(child: "subprocess.Popen[bytes]") -> None:
    """Asks the command and all that it started to end, and kills what is left after the grace."""
    for number, seconds in (
        (signal.SIGTERM, float(os.environ.get(GRACE_VARIABLE, GRACE))),
        (signal.SIGKILL, None),
    ):
        try:
            os.killpg(child.pid, number)
            child.wait(seconds)
            return
        except ProcessLookupError:
            child.wait()
            return
        except subprocess.TimeoutExpired:
            continue


def main() -> None:
    """Runs the job whose folder is the first argument; an open descriptor holds its lock."""
    os.nice(NICENESS)
    Worker(JobFolder(Path(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
