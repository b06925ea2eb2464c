"""The jobs of a server: who asks for what was already asked for gets the same job.

Everything is on disk, so that several server processes on one machine share jobs, and a restart
loses none. A registry only adds the queue: a thread that starts one worker after the other.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from alibi_viz import policy
from alibi_viz.files import lock, remove_leftovers, write_json
from alibi_viz.jobs.limits import threads_for_jobs
from alibi_viz.jobs.queue import Queue, Ticket
from alibi_viz.jobs.requests import Request, read_request, request_key
from alibi_viz.jobs.store import CUT_OFF, JOBS, JobFolder, State, Status
from alibi_viz.jobs.texts import TEXTS, forget_texts, keep_text, text_id, text_path
from alibi_viz.paths import PROJECT
from alibi_viz.rates import Allowance

PROGRAM = (sys.executable, "-m", "alibi_viz")
# Jobs that may wait in all, and finished or broken-off ones that are kept.
MAX_QUEUED = 60
MAX_KEPT = 40
# A waiting job that nobody has watched for so many seconds is given up.
PATIENCE = 90.0
# Texts that may be brought at once, and a second: by a visitor, and from an address.
TEXTS_OF_SESSION = (6, 0.1)
TEXTS_OF_ADDRESS = (40, 0.5)
GIVEN_UP = "Nobody was waiting for it any more."


class JobRefused(ValueError):
    """A job that was not taken on; the message says why and what to do."""


@dataclass(frozen=True)
class Job:
    """A job as it stood when it was looked up."""

    id: str
    """Hash of what was asked for."""
    request: Request
    """What was asked for."""
    status: Status
    """Where it stands; a job that nobody works on is never "running" here."""
    folder: Path
    """Its files."""
    is_stopping: bool
    """Whether somebody cancelled it and its command still saves its state."""

    @property
    def state(self) -> State:
        """Queued, running, finished, cancelled, stopped or failed."""
        return self.status.state

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ("queued", "running")


class Registry:
    """Takes jobs on, and runs them one at a time."""

    def __init__(
        self,
        root: Path = JOBS,
        *,
        program: Sequence[str] = PROGRAM,
        max_queued: int = MAX_QUEUED,
        max_kept: int = MAX_KEPT,
    ) -> None:
        self.root = root
        self._program = list(program)
        self._texts = root.with_name(TEXTS.name)
        self._max_queued, self._max_kept = max_queued, max_kept
        self._changed = threading.Condition()
        self._waiting = Queue()
        self._is_closed = False
        self._worker: subprocess.Popen[bytes] | None = None
        self._texts_of_session = Allowance(*TEXTS_OF_SESSION)
        self._texts_of_address = Allowance(*TEXTS_OF_ADDRESS)
        self._thread = threading.Thread(target=self._serve, name="jobs", daemon=True)
        self._thread.start()

    def submit(self, request: Request, session: str, address: str = "") -> Job:
        """Returns the job that does what is asked, new, resumed or already there.

        Args:
            request: What is asked for.
            session: Who asks; each may have one job waiting.
            address: Where from; all of one address have so many places, and addresses take turns.

        Raises:
            JobRefused: Too many jobs wait, or the disk is full.
        """
        folder = JobFolder(self.root / request_key(request))
        try:
            with self._changed, self._exclusively():
                job = self._read(folder)
                if job is None or not (job.is_active or job.state == "finished"):
                    self._check_bounds(session, address)
                    self._enqueue(folder, request, session, address)
                elif job.state == "queued":
                    folder.cancel_mark.unlink(missing_ok=True)
                job = self._read(folder)
        except OSError as error:
            raise JobRefused(
                f"The server cannot write the job down ({error.strerror}). "
                "Nothing was started; tell whoever runs it."
            ) from error
        assert job is not None, "it was written a moment ago"
        return job

    def keep_text(self, content: bytes, session: str, address: str = "") -> str:
        """Returns the id under which a visitor's text is kept; the same text has the same id.

        Args:
            content: UTF-8, as it was uploaded or pasted.
            session: Who brings it.
            address: Where from.

        Raises:
            ValueError: Too long, too short, not text, or too many in a short time.
            OSError: The disk is full, or cannot be written.
        """
        identity = text_id(content)
        if not text_path(identity, self._texts).is_file() and not (
            self._texts_of_session.take(session) and self._texts_of_address.take(address)
        ):
            raise ValueError("too many texts were brought from here; wait a minute")
        keep_text(content, self._texts)
        self._forget_texts()
        return identity

    def job(self, job_id: str) -> Job | None:
        """Returns the job of that id as it stands now, or None."""
        folder = JobFolder(self.root / Path(job_id).name)
        with self._exclusively():
            return self._read(folder)

    def find(self, request: Request) -> Job | None:
        """Returns the job that does what is asked, or None if nobody asked yet."""
        return self.job(request_key(request))

    def jobs(self) -> list[Job]:
        """Returns all jobs that can be read, the newest first."""
        with self._exclusively():
            found = [self._read(JobFolder(path.parent)) for path in self._status_files()]
        jobs = [job for job in found if job is not None]
        return sorted(jobs, key=lambda job: job.status.submitted, reverse=True)

    def watch(self, job_id: str) -> Job | None:
        """Returns the job as `job` does, and notes that somebody wants it."""
        job = self.job(job_id)
        if job is not None and job.is_active:
            JobFolder(job.folder).watch()
        return job

    def jobs_before(self, job: Job) -> int:
        """Returns how many jobs run or wait before this queued one."""
        with self._changed:
            order = [ticket.folder.path for ticket in self._waiting]
        active = [other for other in self.jobs() if other.is_active]
        if job.folder not in order:
            # In the queue of another server process, which takes turns with this one.
            return sum(other.status.submitted < job.status.submitted for other in active)
        running = sum(other.state == "running" for other in active)
        return running + order.index(job.folder)

    def cancel(self, job_id: str) -> None:
        """Takes a waiting job out of the queue, or asks a running one to save its state and end."""
        folder = JobFolder(self.root / Path(job_id).name)
        with self._changed, self._exclusively():
            job = self._read(folder)
            if job is None or not job.is_active:
                return
            folder.cancel_mark.touch()
            ticket = self._waiting.remove(folder)
            if ticket is not None:
                self._drop(ticket)

    def close(self) -> None:
        """Ends the running job, which saves its state, and leaves the waiting ones as stopped."""
        with self._changed:
            self._is_closed = True
            while self._waiting:
                self._waiting.take().held.close()
            # A worker takes the end of its standard input for the end of the server.
            if self._worker is not None and self._worker.stdin is not None:
                self._worker.stdin.close()
            self._changed.notify()
        self._thread.join()

    def _exclusively(self) -> AbstractContextManager[None]:
        return lock(self.root / ".lock")

    def _status_files(self) -> list[Path]:
        return list(self.root.glob("*/status.json"))

    def _read(self, folder: JobFolder) -> Job | None:
        try:
            status = folder.read_status()
            request = read_request(folder.read_request())
        except ValueError:
            return None
        cancelled = folder.cancel_mark.exists()
        if status.state in ("queued", "running") and not folder.is_held():
            status = replace(status, state="stopped", message=CUT_OFF)
        elif status.state == "queued" and cancelled:
            status = replace(status, state="cancelled")
        return Job(
            id=folder.path.name,
            request=request,
            status=status,
            folder=folder.path,
            is_stopping=status.state == "running" and cancelled,
        )

    def _check_bounds(self, session: str, address: str) -> None:
        if any(ticket.session == session for ticket in self._waiting):
            raise JobRefused(
                "You already have a job waiting. Wait until it runs, or cancel it first."
            )
        places = policy.queue_places()
        if sum(ticket.address == address for ticket in self._waiting) >= places:
            raise JobRefused(
                f"{places} jobs of your network wait already, which is the limit here. "
                "Try again in a few minutes."
            )
        queued = 0
        for path in self._status_files():
            job = self._read(JobFolder(path.parent))
            queued += job is not None and job.state == "queued"
        if queued >= self._max_queued:
            raise JobRefused(
                f"{queued} jobs wait already, which is the limit here. Try again in a few minutes."
            )

    def _enqueue(self, folder: JobFolder, request: Request, session: str, address: str) -> None:
        # A worker that has just written how its job ended needs a moment to go.
        held = folder.hold(patience=2.0)
        if held is None:
            raise JobRefused("This job is just ending. Ask again in a moment.")
        try:
            self._forget_oldest(but=folder)
            submitted = time.time()
            commands = [[*self._program, *command] for command in request.commands(folder.path)]
            folder.cancel_mark.unlink(missing_ok=True)
            write_json(folder.request, {"kind": request.kind, "parameters": request.to_json()})
            write_json(folder.commands, commands)
            folder.watch()
            folder.write_status(Status("queued", submitted))
        except OSError:
            held.close()
            raise
        self._waiting.add(Ticket(folder, held, submitted, session, address))
        self._changed.notify()

    def _forget_oldest(self, but: JobFolder) -> None:
        """Deletes the oldest jobs beyond those that are kept, never an active one."""
        inactive = []
        for path in self._status_files():
            job = self._read(JobFolder(path.parent))
            if path.parent != but.path and (job is None or not job.is_active):
                inactive.append((0.0 if job is None else job.status.submitted, path.parent))
        inactive.sort(reverse=True)
        for _, path in inactive[self._max_kept :]:
            # One that cannot be deleted keeps no job from being taken on.
            shutil.rmtree(path, ignore_errors=True)

    def _forget_texts(self) -> None:
        """Deletes the texts of visitors that no job needs, to begin with or to go on."""
        requests = [job.request for job in self.jobs() if job.state != "finished"]
        in_use = {text for request in requests for text in request.texts()}
        forget_texts(in_use, self._texts)

    def _drop(self, ticket: Ticket, message: str = "") -> None:
        self._end(ticket, Status("cancelled", ticket.submitted, ended=time.time(), message=message))
        ticket.held.close()

    def _end(self, ticket: Ticket, status: Status) -> None:
        # On a full disk it shows as stopped, once nobody holds it.
        with suppress(OSError):
            ticket.folder.write_status(status)

    def _next(self) -> Ticket | None:
        """Takes the next job that somebody still waits for out of the queue."""
        while self._waiting:
            ticket = self._waiting.take()
            if ticket.folder.unwatched_seconds() <= PATIENCE:
                return ticket
            self._drop(ticket, GIVEN_UP)
        return None

    def _serve(self) -> None:
        with suppress(OSError):
            remove_leftovers(self.root)
        while True:
            # Where the folder cannot be used, whoever asks for a job is told.
            with suppress(OSError):
                self._forget_texts()
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                if self._is_closed:
                    return
                with self._exclusively():
                    ticket = self._next()
                if ticket is not None:
                    self._start(ticket)
            if ticket is not None:
                if self._worker is not None:
                    with self._worker as worker:
                        worker.wait()
                    self._worker = None
                ticket.held.close()

    def _start(self, ticket: Ticket) -> None:
        try:
            self._worker = subprocess.Popen(
                [
                    *(sys.executable, "-m", "alibi_viz.jobs.worker"),
                    *(str(ticket.folder.path), repr(ticket.submitted)),
                ],
                cwd=PROJECT,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "OMP_NUM_THREADS": str(threads_for_jobs())},
            )
        except OSError as error:
            message = f"The server could not start a worker: {error.strerror}."
            self._end(ticket, Status("failed", ticket.submitted, message=message))
