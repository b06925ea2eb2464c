"""Foreign files are opened here: inside their folder, up to a size; whatever goes wrong is told.

A checkpoint that somebody else made can hold anything. So there is one place that turns whatever
happens inside it into a sentence with the file and the reason, and one that opens its files.
"""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alibi_viz.errors import first_lines
from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.words import plain_text

# What the libraries say where they find no memory; they have no common error for it.
_NO_MEMORY = ("can't allocate memory", "not enough memory", "Cannot allocate memory")


@contextmanager
def boundary(name: str, what: str, *, folder: Path | None = None) -> Iterator[None]:
    """Turns whatever is raised in the block into `UnreadableModel`.

    Args:
        name: The file or folder that is at fault.
        what: What is wrong with it, e.g. "cannot be opened".
        folder: Its place on this disk, which is nobody's business and left out of reasons.
    """
    try:
        yield
    except (UnreadableModel, UnfitAsking):
        raise
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    # The one place where everything is caught: foreign files can make any library raise anything,
    # and what goes wrong in one written in Rust is no `Exception`.
    except BaseException as error:
        if is_memory_error(error):
            reason = "it needs more memory than a model may take here"
        else:
            reason = first_lines(error, 2)
        if folder is not None:
            reason = reason.replace(f"{folder}{os.sep}", "")
        raise UnreadableModel(plain_text(f"{name} {what}: {reason}")) from error


def is_memory_error(error: BaseException) -> bool:
    """Returns whether an error says that there is no memory, in the words of any library."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY)


def resolved(path: Path, root: Path) -> Path:
    """Returns where a file really lies.

    Args:
        path: A file, perhaps a link.
        root: Folder that it must lie in.

    Raises:
        UnreadableModel: It lies elsewhere, or is no file.
    """
    with boundary(path.name, "cannot be opened"):
        found = path.resolve(strict=True)
        if not found.is_relative_to(root.resolve()):
            raise UnreadableModel(plain_text(f"{path.name} is a link that leads out of its folder"))
        if not stat.S_ISREG(found.stat().st_mode):
            raise UnreadableModel(plain_text(f"{path.name} is no file"))
        return found


def read(path: Path, root: Path, most: int) -> bytes:
    """Returns what is in a foreign file, or its beginning.

    Args:
        path: The file.
        root: Folder that it must lie in.
        most: Bytes that are read of it.

    Raises:
        UnreadableModel: It lies elsewhere, is no file, or cannot be read.
    """
    found = resolved(path, root)
    with boundary(path.name, "cannot be read"):
        # Neither waits for a writer, nor follows a link that was put there meanwhile.
        careful = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        with open(found, "rb", opener=lambda name, flags: os.open(name, flags | careful)) as file:
            return file.read(most)


def read_foreign_json(path: Path, root: Path, most: int) -> dict[str, Any]:
    """Returns the object in a foreign JSON file.

    Args:
        path: The file.
        root: Folder that it must lie in.
        most: Bytes that it may have.

    Raises:
        UnreadableModel: It cannot be read, is too long, or holds no object.
    """
    content = read(path, root, most + 1)
    if len(content) > most:
        raise UnreadableModel(
            plain_text(f"{path.name} is damaged: it is longer than {most:,} bytes")
        )
    with boundary(path.name, "is damaged"):
        found = json.loads(content.decode())
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise UnreadableModel(plain_text(f"{path.name} holds no settings, but a {kind}"))
    return found
