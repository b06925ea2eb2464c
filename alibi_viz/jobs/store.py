"""Jobs on disk: a folder each, named after what was asked for, and a lock that tells the living.

A folder's lock is held from the moment a job is queued until its worker ends. So a job that says
"running" while nobody holds its lock was cut off by a crash, a kill or a restart of the server.
"""

import fcntl
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from alibi_viz.files import read_json, write_json
from alibi_viz.paths import CACHE

# ALIBI_VIZ_JOBS names another folder: a disk of its own, or one for a test.
JOBS = Path(os.environ.get("ALIBI_VIZ_JOBS") or CACHE / "jobs").resolve()

State = Literal["queued", "running", "finished", "cancelled", "stopped", "failed"]
CUT_OFF = "It was cut off: the server, its worker or the machine stopped."


@dataclass(frozen=True)
class Status:
    """Where a job stands. Times are seconds since the epoch."""

    state: State
    """Queued and running jobs are active; the last three can be resumed."""
    submitted: float
    """When it was asked for, or last resumed."""
    started: float | None = None
    """When its worker began."""
    ended: float | None = None
    """When its worker ended."""
    message: str = ""
    """Why it failed or stopped."""

    def __post_init__(self) -> None:
        """Raises ValueError on a state that is none."""
        if self.state not in get_args(State):
            raise ValueError(f"a job's state is one of {get_args(State)}, got {self.state!r}")


@dataclass(frozen=True)
class JobFolder:
    """The files of one job."""

    path: Path

    @property
    def request(self) -> Path:
        """What was asked for: {"kind": ..., "parameters": {...}}."""
        return self.path / "request.json"

    @property
    def commands(self) -> Path:
        """The commands that the worker runs, one after the other, as lists of arguments."""
        return self.path / "commands.json"

    @property
    def status_file(self) -> Path:
        """A `Status`."""
        return self.path / "status.json"

    @property
    def log(self) -> Path:
        """What the commands print."""
        return self.path / "log.txt"

    @property
    def cancel_mark(self) -> Path:
        """Exists from the moment somebody cancels until the job is submitted again."""
        return self.path / "cancel"

    @property
    def lock(self) -> Path:
        """Held while the job is active."""
        return self.path / ".lock"

    def read_request(self) -> dict[str, Any]:
        """Returns the request's JSON.

        Raises:
            ValueError: None there, or damaged.
        """
        content: dict[str, Any] = read_json(self.request)
        return content

    def write_status(self, status: Status) -> None:
        """Replaces the status in one step."""
        write_json(self.status_file, asdict(status))

    def read_status(self) -> Status:
        """Returns the status as it was last written, whether or not anybody is at work.

        Raises:
            ValueError: None there, or damaged.
        """
        try:
            return Status(**read_json(self.status_file))
        except TypeError as error:
            raise ValueError(f"{self.status_file} is no status: {error}") from None

    def hold(self, patience: float = 0.0) -> int | None:
        """Returns a file descriptor that holds the lock, or None where somebody else does.

        Who inherits the descriptor holds it too; the lock is free once all copies are closed.

        Args:
            patience: Seconds to wait for a holder that is about to end.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o644)
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    return None
                time.sleep(0.02)

    def is_held(self) -> bool:
        """Returns whether somebody holds the lock; ask only while nobody else may ask."""
        descriptor = self.hold()
        if descriptor is None:
            return True
        os.close(descriptor)
        return False
