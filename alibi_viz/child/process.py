"""The server's end of a child process: started when it is first asked, and again after it died."""

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from alibi_viz.child.attached import Attached
from alibi_viz.child.limits import limit_resources
from alibi_viz.child.telling import Tell
from alibi_viz.paths import PROJECT

MEMORY_BYTES = 3 * 2**30
"""What a child may take, unless it is given more or less."""
LARGEST_ANSWER = 2 * 2**30
"""Bytes that are read of one answer at most: a child must not fill its server's memory."""
# How often whoever waits is told how far the work is, and may raise to have it stopped.
_LOOK_SECONDS = 0.2
_PIPE_BYTES = 2**20


class ChildDied(RuntimeError):
    """The child ended, or was ended, before it answered; the message says why."""


class TaskRefused(ValueError):
    """What a task refused; the message says why."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind
        """Name of the error's class in the child."""


class WarmChild:
    """One child process, asked by one thread at a time."""

    def __init__(
        self,
        start: "Callable[[], subprocess.Popen[bytes]] | None" = None,
        memory: int = MEMORY_BYTES,
    ) -> None:
        self._start = start or partial(_started, memory)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        """Whether it has been started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def ask(self, task: str, *, seconds: float, told: Tell | None = None, **arguments: Any) -> Any:
        """Returns what the child makes of a task, as JSON can hold it; `Attached` with bytes.

        Args:
            task: Its name in `tasks.TASKS`.
            seconds: Time that it may take, waiting for those who asked before included.
            told: Called now and then with how far it is; what it raises ends the child.
            arguments: Its arguments, as JSON can hold them.

        Raises:
            TaskRefused: The task refuses its arguments; the message says why.
            ChildDied: It took too long, or the child ended; the next asking starts another.
        """
        end = time.monotonic() + seconds
        if not self._lock.acquire(timeout=seconds):
            raise ChildDied(f"others were before you for all of {seconds:.0f} seconds")
        try:
            answer = self._answer(json.dumps({"task": task, "arguments": arguments}), end, told)
        except BaseException:
            # Whatever it was, half an answer may stand in the pipe.
            self.stop()
            raise
        finally:
            self._lock.release()
        if "refused" in answer:
            raise TaskRefused(answer["refused"], answer.get("kind", ""))
        return (
            Attached(answer["answer"], answer["parts"]) if "parts" in answer else answer["answer"]
        )

    def stop(self) -> None:
        """Ends the child; the next asking starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # What was written and not read cannot be flushed any more.
                with suppress(BrokenPipeError):
                    pipe.close()

    def _answer(self, question: str, end: float, told: Tell | None) -> dict[str, Any]:
        if not self.is_running:
            self.stop()
            self._process = self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            process.stdin.write(question.encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise ChildDied("the process ended before it was asked") from None
        reader = _Reader(process, end, told)
        while "done" in (answer := reader.line()):
            reader.so_far = answer["done"], answer["words"]
            if told is not None:
                told(*reader.so_far)
        if "bytes" in answer:
            answer["parts"] = tuple(reader.exactly(count) for count in answer["bytes"])
        return answer


class _Reader:
    """Reads one answer from a child, up to a time and a size."""

    def __init__(self, process: "subprocess.Popen[bytes]", end: float, told: Tell | None) -> None:
        self.process = process
        self.end = end
        self.told = told
        self.so_far: tuple[float, str] = (0.0, "")
        self._buffer = bytearray()
        self._read = 0

    def line(self) -> dict[str, Any]:
        """Returns the next line.

        Raises:
            ChildDied: No more comes; the message says why, and what the child did last.
        """
        while (at := self._buffer.find(b"\n")) < 0:
            self._more()
        line = json.loads(self._buffer[:at])
        del self._buffer[: at + 1]
        return dict(line)

    def exactly(self, count: int) -> bytes:
        """Returns so many bytes."""
        if count > LARGEST_ANSWER:
            raise ChildDied(f"its answer is larger than {LARGEST_ANSWER / 1e9:.1f} GB")
        while len(self._buffer) < count:
            self._more()
        found = bytes(self._buffer[:count])
        del self._buffer[:count]
        return found

    def _more(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while not selector.select(min(_LOOK_SECONDS, max(0.0, self.end - time.monotonic()))):
                if time.monotonic() >= self.end:
                    raise self._died("it took too long and was stopped")
                if self.told is not None:
                    self.told(*self.so_far)
        found = os.read(pipe.fileno(), _PIPE_BYTES)
        if not found:
            raise self._died(_how_it_ended(self.process.wait()))
        self._read += len(found)
        if self._read > LARGEST_ANSWER:
            raise ChildDied(f"its answer is larger than {LARGEST_ANSWER / 1e9:.1f} GB")
        self._buffer += found

    def _died(self, reason: str) -> ChildDied:
        """Returns why there will be no answer, and what the child did last, if it said so."""
        words = self.so_far[1]
        return ChildDied(f"{reason}, while it did this: {words}" if words else reason)


def _how_it_ended(status: int) -> str:
    """Returns an exit status in words."""
    if status >= 0:
        return f"the process ended with status {status}"
    words = {
        signal.SIGABRT: "was aborted, as happens when there is no memory left for it",
        signal.SIGKILL: "was killed",
        signal.SIGXCPU: "used more processor time than it may",
    }.get(signal.Signals(-status), f"crashed ({signal.Signals(-status).name})")
    return f"the process that did it {words}"


def _started(memory: int) -> "subprocess.Popen[bytes]":
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    limits: dict[str, Any] = {}
    if sys.platform != "win32":
        limits["preexec_fn"] = partial(limit_resources, memory)
    return subprocess.Popen(
        [sys.executable, "-m", "alibi_viz.child"],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        **limits,
    )
