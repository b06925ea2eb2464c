"""Processes that this one starts: never left behind, ended gently and then for sure."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

_LINUX_PR_SET_PDEATHSIG = 1


def start(
    command: Sequence[str],
    folder: Path,
    *,
    output: IO[bytes] | None = None,
    environment: Mapping[str, str] | None = None,
) -> "subprocess.Popen[bytes]":
    """Starts a command that heads a group of its own, and on Linux ends when this process dies.

    Args:
        command: Program and arguments.
        folder: Where it runs.
        output: Where its output goes; where this process's goes, if left out.
        environment: What is added to this process's environment.
    """
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "linux":
        options["preexec_fn"] = _end_with_parent
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


def _end_with_parent() -> None:
    """Has Linux end this process when its parent dies, even by a kill that nobody can see."""
    ctypes.CDLL(None).prctl(_LINUX_PR_SET_PDEATHSIG, signal.SIGTERM)
