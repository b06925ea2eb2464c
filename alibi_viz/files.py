"""Files that are there whole or not at all, and locks that let one writer in at a time."""

import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

# The name of a file that is being written, and that a kill leaves behind.
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}")


def last_written(path: Path) -> int:
    """Returns when a file last changed, in nanoseconds: what a cache is good for; 0 for no file."""
    return path.stat().st_mtime_ns if path.is_file() else 0


def write_bytes(path: Path, content: bytes) -> None:
    """Writes `content` to `path` in one step: a reader sees the old file or the new one.

    Raises:
        OSError: The disk is full, or the folder cannot be written; the old file is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not by tempfile: its files are their owner's alone, whatever the umask allows.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, content: Any, *, indent: int | None = 1) -> None:
    """Writes `content` as JSON, in one step, ending with a newline."""
    text = json.dumps(content, indent=indent, allow_nan=False) + "\n"
    write_bytes(path, text.encode())


def read_json(path: Path) -> Any:
    """Returns the content of a JSON file.

    Raises:
        ValueError: No such file, or not JSON; the message names it.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"no file at {path}") from None
    except (IsADirectoryError, NotADirectoryError, PermissionError) as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    # Numbers of thousands of digits and brackets within brackets are not JSON for this parser.
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from None


@contextmanager
def lock(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds the lock file `path` while the block runs; a killed process lets go of it.

    Args:
        path: A file of its own, not the one that it guards: that one is replaced.
        wait: Whether to wait for another holder, or raise at once.

    Raises:
        BlockingIOError: Another process holds it, and `wait` is False.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        if not lock_descriptor(file.fileno(), blocking=wait):
            raise BlockingIOError(f"{path} is held by another process")
        yield


def remove_leftovers(folder: Path, older_than: float = 3600.0) -> None:
    """Deletes what killed writers left anywhere below a folder.

    Args:
        folder: The folder.
        older_than: Seconds; younger files may be at work.
    """
    before = time.time() - older_than
    for path in folder.rglob(".*"):
        if _TEMPORARY.fullmatch(path.name) and path.is_file() and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
