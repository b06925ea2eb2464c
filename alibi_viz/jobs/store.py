"""Jobs on disk: a folder each, named after what was asked for, and a lock that tells the living.

The server holds a lock from the moment a job is queued until its worker has ended, and the worker
one of its own while it is at work. So a job that says "running" while nobody holds either was cut
off by a crash, a kill or a restart.
"""

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal, get_args

from filelock import lock_descriptor

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
        """Raises ValueError on a state that is none, and on times that are no numbers."""
        if self.state not in get_args(State):
            raise ValueError(f"a job's state is one of {get_args(State)}, got {self.state!r}")
        for time_ in (self.submitted, self.started, self.ended):
            if time_ is not None and not (type(time_) in (int, float) and 0 <= time_ < 1e12):
                raise ValueError(f"a job's times are seconds, got {time_!r}")
        if self.submitted is None or not isinstance(self.message, str):
            raise ValueError("a job's status lacks when it was asked for, or its words")


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
    def watched(self) -> Path:
        """Touched while somebody watches the job."""
        return self.path / "watched"

    @property
    def server_lock(self) -> Path:
        """Held by the server that has the job in its queue, or waits for its worker."""
        return self.path / ".lock"

    @property
    def worker_lock(self) -> Path:
        """Held by the worker."""
        return self.path / ".worker"

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

    def watch(self) -> None:
        """Notes that somebody watches the job now."""
        self.watched.touch()

    def unwatched_seconds(self) -> float:
        """Returns for how long nobody has watched the job."""
        try:
            return time.time() - self.watched.stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def is_waiting(self) -> bool:
        """Returns whether this is a job that waits for its turn."""
        try:
            return self.read_status().state == "queued" and self.is_held()
        except ValueError:
            return False

    def hold(self, patience: float = 0.0) -> IO[bytes] | None:
        """Returns the server's lock, free once it is closed, or None where somebody is at work.

        Args:
            patience: Seconds to wait for a holder that is about to end.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        deadline = time.monotonic() + patience
        while True:
            held = locked(self.server_lock)
            working = locked(self.worker_lock) if held else None
            if working:
                working.close()
                return held
            if held:
                held.close()
            if time.monotonic() >= deadline:
                return None
            time.sleep(0.02)

    def is_held(self) -> bool:
        """Returns whether somebody is at work; ask only while nobody else may ask."""
        try:
            held = self.hold()
        except (IsADirectoryError, NotADirectoryError, PermissionError):
            # What cannot be locked was not made by a server, so that nobody works on it.
            return False
        if held is None:
            return True
        held.close()
        return False


def locked(path: Path) -> IO[bytes] | None:
    """Returns a lock file that is held until it is closed, or None where somebody else holds it."""
    file = path.open("ab")
    if lock_descriptor(file.fileno(), blocking=False):
        return file
    file.close()
    return None
