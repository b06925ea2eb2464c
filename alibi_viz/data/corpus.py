"""The corpus that every machine has: Python's own standard library, or a text file in its place.

Sources of the standard library, docstrings and comments included. Left out: tests, programs that
ship with it (idlelib, lib2to3), tables that no one wrote by hand (encodings, pydoc_data), what
other people installed, and files that differ from machine to machine.
"""

import hashlib
import platform
import sysconfig
import tokenize
from dataclasses import dataclass
from pathlib import Path

from alibi_viz.data.text import read_text

LEFT_OUT = frozenset(
    "test tests idle_test idlelib lib2to3 encodings pydoc_data turtledemo ensurepip "
    "site-packages dist-packages __pycache__ __phello__".split()
)
MACHINE_SPECIFIC = ("_sysconfigdata", "config-", "sitecustomize", "usercustomize")

# One file in this many is validation, chosen by its name's hash.
VALIDATION_SHARE = 12


@dataclass(frozen=True)
class Corpus:
    """Documents to train on and to validate on."""

    name: str
    """What it is, e.g. "python-stdlib" or a file's name."""
    train: tuple[str, ...]
    """Documents to learn from, in a fixed order."""
    validation: tuple[str, ...]
    """Documents never trained on, in a fixed order."""
    version: str
    """Of Python's library: 3.11.7 and so on; empty for a file."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all documents in order, as 64 hexadecimal digits."""
        digest = hashlib.sha256()
        for part in (self.train, self.validation):
            for document in part:
                digest.update(document.encode("utf-8", "surrogatepass") + b"\0")
            digest.update(b"\1")
        return digest.hexdigest()

    def describe(self) -> dict[str, str | int]:
        """Returns what a record says of its corpus; characters are counted, not bytes."""
        return {
            "name": self.name,
            "version": self.version,
            "fingerprint": self.fingerprint,
            "train_characters": sum(map(len, self.train)),
            "validation_characters": sum(map(len, self.validation)),
        }


def _is_wanted(relative: Path) -> bool:
    return not any(part in LEFT_OUT or part.startswith(MACHINE_SPECIFIC) for part in relative.parts)


def _is_validation(name: str) -> bool:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % VALIDATION_SHARE == 0


def standard_library(root: Path | None = None) -> Corpus:
    """Returns the sources of Python's standard library, split by file.

    The same Python version gives the same corpus on every machine; another version gives another,
    which the fingerprint tells.

    Args:
        root: Folder to read in its place; the running Python's library if left out.

    Raises:
        ValueError: No source files there, or none on one side of the split.
    """
    folder = Path(sysconfig.get_paths()["stdlib"]) if root is None else root
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    train: list[str] = []
    validation: list[str] = []
    for name in names:
        if _is_wanted(Path(name)):
            with tokenize.open(folder / name) as file:
                text = file.read()
            if text.strip():
                (validation if _is_validation(name) else train).append(text)
    if not train or not validation:
        raise ValueError(f"no Python sources to train and validate on in {folder}")
    return Corpus("python-stdlib", tuple(train), tuple(validation), platform.python_version())


def text_corpus(path: Path, validation_fraction: float = 0.1) -> Corpus:
    """Returns a text file as a corpus; its last part is for validation.

    Args:
        path: A UTF-8 text file.
        validation_fraction: Share of the characters held back, at the end of the file.

    Raises:
        ValueError: The file is not UTF-8 text, or has too little of it to split.
    """
    text = read_text(path)
    cut = round(len(text) * (1 - validation_fraction))
    if not text[:cut].strip() or not text[cut:].strip():
        raise ValueError(f"{path} has {len(text)} characters: too few to train and validate on")
    return Corpus(path.name, (text[:cut],), (text[cut:],), "")


def load_corpus(text_file: Path | None) -> Corpus:
    """Returns the standard library, or `text_file` if one is given."""
    return standard_library() if text_file is None else text_corpus(text_file)
