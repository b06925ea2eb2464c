"""Processes that this one starts: never left behind, ended gently and then for sure."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

if sys.platform != "win32":
    import resource

_LINUX_PR_SET_PDEATHSIG = 1


def start(
    command: Sequence[str],
    folder: Path,
    *,
    output: IO[bytes] | None = None,
    environment: Mapping[str, str] | None = None,
    cpu_seconds: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Starts a command that heads a group of its own, and on Linux ends when this process dies.

    Args:
        command: Program and arguments.
        folder: Where it runs.
        output: Where its output goes; where this process's goes, if left out.
        environment: What is added to this process's environment.
        cpu_seconds: Processor time after which the system ends it, by SIGXCPU, where it can.
    """
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform != "win32":
        options["preexec_fn"] = partial(_settle_in, cpu_seconds)
    return subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
        env={**os.environ, **(environment or {})},
        **options,
    )


def end(process: "subprocess.Popen[bytes]", grace: float) -> None:
    """Asks a process and all that it started to end, and kills what is left after the grace.

    Args:
        process: What `start` returned.
        grace: Seconds.
    """
    for number, seconds in ((signal.SIGTERM, grace), (None, None)):
        try:
            _signal_group(process, number)
            process.wait(seconds)
            return
        except ProcessLookupError:
            process.wait()
            return
        except subprocess.TimeoutExpired:
            continue


def be_nice(niceness: int) -> None:
    """Lets other processes go first, where the system knows of that."""
    if hasattr(os, "nice"):
        os.nice(niceness)


def _signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals | None) -> None:
    """Signals a group, or kills it; where there are no groups, the process alone."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL if number is None else number)
    elif number is None:
        process.kill()
    else:
        process.terminate()


def _settle_in(cpu_seconds: int | None) -> None:
    """Has the system end this process in time, and on Linux when its parent dies, however."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_LINUX_PR_SET_PDEATHSIG, signal.SIGTERM)
    if cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 30))
