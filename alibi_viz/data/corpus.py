"""The texts that models learn from: code, prose, or a text file.

code     Python's own standard library, docstrings and comments included. Left out: tests, programs
         that ship with it (idlelib, lib2to3), tables that no one wrote by hand (encodings,
         pydoc_data), what other people installed, and files that differ from machine to machine.
prose    The State of the Union addresses of 1790 to 2021; `assets/texts` says where they are from.
"""

import hashlib
import json
import lzma
import platform
import sysconfig
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alibi_viz.data.text import read_text
from alibi_viz.paths import FIRST_TEXT, TEXTS

LEFT_OUT = frozenset(
    "test tests idle_test idlelib lib2to3 encodings pydoc_data turtledemo ensurepip "
    "site-packages dist-packages __pycache__ __phello__".split()
)
MACHINE_SPECIFIC = ("_sysconfigdata", "config-", "sitecustomize", "usercustomize")

# One file in this many is validation, chosen by its name's hash.
VALIDATION_SHARE = 12

ADDRESSES_FILE = TEXTS / "state-of-the-union.jsonl.xz"
# The first president is held back, and every tenth from then on: a president speaks on one side.
PRESIDENTS_SHARE = 10


@dataclass(frozen=True)
class Corpus:
    """Documents to train on and to validate on."""

    name: str
    """What it is: "python-stdlib", "state-of-the-union" or a file's name."""
    train: tuple[str, ...]
    """Documents to learn from, in a fixed order."""
    validation: tuple[str, ...]
    """Documents never trained on, in a fixed order."""
    validation_names: tuple[str, ...]
    """What each of those is called."""
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


def _hash(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)


def _is_validation(name: str) -> bool:
    return _hash(name) % VALIDATION_SHARE == 0


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
    texts: dict[str, str] = {}
    for name in names:
        if _is_wanted(Path(name)):
            with tokenize.open(folder / name) as file:
                texts[name] = file.read()
    held_back = {
        name: text for name, text in texts.items() if text.strip() and _is_validation(name)
    }
    train = tuple(text for name, text in texts.items() if text.strip() and name not in held_back)
    if not train or not held_back:
        raise ValueError(f"no Python sources to train and validate on in {folder}")
    version = platform.python_version()
    return Corpus("python-stdlib", train, tuple(held_back.values()), tuple(held_back), version)


def state_of_the_union(path: Path = ADDRESSES_FILE) -> Corpus:
    """Returns the addresses, split by president.

    A document is a whole address, one paragraph long, called e.g. "1790 George Washington". Their
    order is that of their names' hashes, so that no era stands alone at either end.

    Args:
        path: JSON lines of year, president and text in the order of years, as .xz.

    Raises:
        ValueError: No such file, or another kind of file.
    """
    if not path.is_file():
        raise ValueError(f"no addresses at {path}")
    try:
        rows = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
        addresses = {f"{row['year']} {row['president']}": row for row in rows}
        presidents = list(dict.fromkeys(row["president"] for row in rows))
        texts = {name: str(addresses[name]["text"]) for name in sorted(addresses, key=_hash)}
    except (lzma.LZMAError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no addresses: {error!r}") from None
    heard = set(presidents[::PRESIDENTS_SHARE])
    held_back = {
        name: text for name, text in texts.items() if addresses[name]["president"] in heard
    }
    train = tuple(text for name, text in texts.items() if name not in held_back)
    return Corpus("state-of-the-union", train, tuple(held_back.values()), tuple(held_back), "")


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
    return Corpus(path.name, (text[:cut],), (text[cut:],), (path.name,), "")


@dataclass(frozen=True)
class NamedText:
    """A text that has a name, a tokenizer and committed validation tokens of its own."""

    label: str
    """What a reader is told."""
    corpus_name: str
    """`Corpus.name`, as configurations and records have it."""
    load: Callable[[], Corpus]
    """Reads it."""


NAMED_TEXTS = {
    FIRST_TEXT: NamedText("Python's standard library", "python-stdlib", standard_library),
    "prose": NamedText("State of the Union addresses", "state-of-the-union", state_of_the_union),
}
"""Every text that has a name, by that name."""


def load_corpus(text: str) -> Corpus:
    """Returns the text of that name; what is no name is the path of a text file.

    Raises:
        ValueError: It cannot be read; the message says why.
    """
    return NAMED_TEXTS[text].load() if text in NAMED_TEXTS else text_corpus(Path(text))


def name_of_text(corpus: dict[str, Any]) -> str | None:
    """Returns the name of the text that `Corpus.describe` described; None for a file."""
    wanted = corpus.get("name")
    names = (name for name, text in NAMED_TEXTS.items() if text.corpus_name == wanted)
    return next(names, None)
