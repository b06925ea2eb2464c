"""Texts that visitors bring, kept under a hash of their content while something needs them."""

import hashlib
import re
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from alibi_viz.files import write_bytes
from alibi_viz.jobs.store import JOBS
from alibi_viz.paths import PROJECT
from alibi_viz.policy import is_hub_name

TEXTS = JOBS.with_name("texts")
# The server's own text: the standard library to train on, its validation part to evaluate on.
LIBRARY = "library"
# A data set of the Hugging Face hub: see `HubText`.
HUB_PREFIX = "hub:"
MAX_BYTES = 1_000_000
# Enough for a few windows of training and one to validate.
MIN_CHARACTERS = 10_000
# Texts that no job needs: so many, for so long.
MAX_SPARE = 64
SPARE_SECONDS = 24 * 3600.0
_ID = re.compile(r"[0-9a-f]{16}")
_HUB_PART = re.compile(r"[A-Za-z0-9][\w.-]{0,95}")


@dataclass(frozen=True)
class HubText:
    """A part of a text data set of the Hugging Face hub, e.g. Salesforce/wikitext."""

    name: str
    """Owner and name, as the hub spells them."""
    subset: str
    """Folder of the data set that holds the files, e.g. "wikitext-103-raw-v1"; "" for the first."""
    split: str
    """E.g. "validation" or "test"."""

    def __post_init__(self) -> None:
        """Raises ValueError on what cannot be a name there."""
        if not is_hub_name(self.name):
            raise ValueError(f"{self.name!r} is no data set's name; they read owner/name")
        for part in (self.subset, self.split):
            if part and not _HUB_PART.fullmatch(part):
                raise ValueError(f"{part!r} is no name of a subset or split")
        if not self.split:
            raise ValueError("name a split, for example validation or test")

    @property
    def identity(self) -> str:
        """How a request writes it: "hub:<name>:<subset>:<split>"."""
        return f"{HUB_PREFIX}{self.name}:{self.subset}:{self.split}"

    @staticmethod
    def parse(identity: str) -> "HubText":
        """Returns what `identity` stands for.

        Raises:
            ValueError: Not of that form.
        """
        parts = identity.removeprefix(HUB_PREFIX).split(":")
        if not identity.startswith(HUB_PREFIX) or len(parts) != 3:
            raise ValueError(f"no such text: {identity!r}")
        return HubText(*parts)

    def arguments(self, output: Path) -> list[str]:
        """Returns the arguments of `python -m alibi_viz` that fetch it into a text file."""
        subset = ["--subset", self.subset] if self.subset else []
        place = ["--output", spelled_path(output), "--characters", str(MAX_BYTES)]
        return ["fetch", self.name, *subset, "--split", self.split, *place]


def keep_text(content: bytes, folder: Path | None = None) -> str:
    """Writes a text down and returns the id that it is found by; the same text has the same id.

    Args:
        content: UTF-8, as it was uploaded or pasted.
        folder: Where texts are kept; `TEXTS` if left out.

    Raises:
        ValueError: Too long, too short, or not text; the message says which.
        OSError: The disk is full, or cannot be written.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"the text has {len(content):,} bytes; at most {MAX_BYTES:,} are taken")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"this is not UTF-8 text: {error.reason} at byte {error.start:,}"
        ) from None
    if "\0" in text:
        raise ValueError("this is not text: it holds NUL characters")
    if len(text.strip()) < MIN_CHARACTERS:
        raise ValueError(
            f"the text has {len(text.strip()):,} characters; at least {MIN_CHARACTERS:,} are needed"
        )
    identity = text_id(content)
    path = text_path(identity, folder)
    if path.is_file():
        # Asked for again: among the newest.
        path.touch()
        return identity
    write_bytes(path, content)
    return identity


def forget_texts(in_use: Collection[str], folder: Path | None = None) -> None:
    """Deletes the texts that no job needs, but for the newest of the last day.

    Args:
        in_use: Ids of the texts that jobs need.
        folder: Where texts are kept; `TEXTS` if left out.
    """
    spare = [path for path in (folder or TEXTS).glob("*.txt") if path.stem not in in_use]
    newest_first = sorted(spare, key=lambda path: -path.stat().st_mtime)
    for place, path in enumerate(newest_first):
        if place >= MAX_SPARE or path.stat().st_mtime < time.time() - SPARE_SECONDS:
            path.unlink(missing_ok=True)


def text_id(content: bytes) -> str:
    """Returns the id of a text: the same text has the same."""
    return hashlib.sha256(content).hexdigest()[:16]


def text_path(identity: str, folder: Path | None = None) -> Path:
    """Returns where the text of that id lies.

    Raises:
        ValueError: Not an id: nothing else may become part of a path.
    """
    if not _ID.fullmatch(identity):
        raise ValueError(f"no such text: {identity!r}")
    return (folder or TEXTS) / f"{identity}.txt"


def own_texts(text: str) -> tuple[str, ...]:
    """Returns the id of a visitor's text, if a request's text is one."""
    return (text,) if _ID.fullmatch(text) else ()


def text_arguments(text: str) -> list[str]:
    """Returns the arguments that make a command read that text in place of its own."""
    return [] if text == LIBRARY else ["--text", spelled_path(text_path(text))]


def spelled_path(path: Path) -> str:
    """Returns a path as a command that runs in the project's folder can name it."""
    inside = path.is_relative_to(PROJECT)
    return path.relative_to(PROJECT).as_posix() if inside else str(path)
