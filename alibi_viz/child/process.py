"""The server's end of a child process: started when it is first asked, and again after it died."""

import json
import os
import resource
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from alibi_viz.paths import PROJECT

MEMORY_BYTES = 6 * 2**30
"""Address space of a child at most; torch alone maps two gigabytes."""
DESCRIPTORS = 256


class ChildDied(RuntimeError):
    """The child ended, or was ended, before it answered; the message says why."""


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)


class WarmChild:
    """One child process, asked by one thread at a time."""

    def __init__(self, start: Callable[[], "subprocess.Popen[str]"] | None = None) -> None:
        self._start = start or _started
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def ask(self, task: str, *, seconds: float, **arguments: Any) -> Any:
        """Returns what the child makes of a task, as JSON can hold it.

        Args:
            task: Its name in `tasks.TASKS`.
            seconds: Time that it may take, waiting for those who asked before included.
            arguments: Its arguments, as JSON can hold them.

        Raises:
            ValueError: The task refuses its arguments; the message says why.
            ChildDied: It took too long, or the child ended; the next asking starts another.
        """
        end = time.monotonic() + seconds
        if not self._lock.acquire(timeout=seconds):
            raise ChildDied(f"others were before you for all of {seconds:.0f} seconds")
        try:
            line = self._answer(json.dumps({"task": task, "arguments": arguments}), end)
        finally:
            self._lock.release()
        answer = json.loads(line)
        if "refused" in answer:
            raise ValueError(answer["refused"])
        return answer["answer"]

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

    def _answer(self, question: str, end: float) -> str:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._process = self._start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            raise ChildDied("the process ended before it was asked") from None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(max(0.0, end - time.monotonic())):
                self.stop()
                raise ChildDied("it took too long and was stopped")
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            self.stop()
            raise ChildDied(f"the process ended with status {status}")
        return line


def _started() -> "subprocess.Popen[str]":
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "alibi_viz.child"],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        preexec_fn=_limits,
    )
