"""Text data sets of the Hugging Face hub, fetched by name: parquet and plain text, never code."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pandas as pd
from huggingface_hub import HfApi, RepoFile, hf_hub_download
from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # its own base class

from alibi_viz.data.text import read_text
from alibi_viz.errors import first_lines

SUFFIXES = (".parquet", ".txt")
# What is fetched and held in memory at most, in bytes.
MAX_BYTES = 64_000_000
TEXT_COLUMN = "text"


@dataclass(frozen=True)
class HubFile:
    """A file of a data set."""

    path: str
    """From the data set's root."""
    size: int
    """In bytes."""


def fetch_text(name: str, *, subset: str = "", split: str = "test", characters: int) -> str:
    """Returns the beginning of one split of a data set of the hub.

    Args:
        name: Owner and name, e.g. "Salesforce/wikitext".
        subset: Folder of the data set that holds the files; "" for whichever comes first.
        split: E.g. "validation" or "test".
        characters: Length of the result at most.

    Raises:
        ValueError: The hub cannot be reached, has no such data set, or no text in it that can be
            read; the message says which.
    """
    try:
        files = [
            HubFile(entry.path, entry.size)
            for entry in HfApi().list_repo_tree(name, repo_type="dataset", recursive=True)
            if isinstance(entry, RepoFile)
        ]
        chosen = choose_file(files, subset=subset, split=split)
        path = Path(hf_hub_download(name, chosen.path, repo_type="dataset"))
    except (OSError, HTTPError) as error:
        raise ValueError(f"cannot fetch {name} from the hub: {first_lines(error)}") from None
    return beginning_of_text(path, characters)


def choose_file(files: Sequence[HubFile], *, subset: str, split: str) -> HubFile:
    """Returns the first file of a split.

    Args:
        files: All files of the data set.
        subset: A folder in the file's path; "" for any.
        split: What the file's name begins with, or one of its folders is called.

    Raises:
        ValueError: No such file, or one that is too large.
    """

    def fits(file: HubFile) -> bool:
        path = PurePosixPath(file.path)
        folders = path.parts[:-1]
        is_split = path.stem.split("-")[0] == split or split in folders
        return path.suffix in SUFFIXES and is_split and (not subset or subset in folders)

    found = sorted((file for file in files if fits(file)), key=lambda file: file.path)
    if not found:
        where = f"of subset {subset!r}" if subset else "of any subset"
        raise ValueError(f"no {' or '.join(SUFFIXES)} file of split {split!r} {where} is there")
    if found[0].size > MAX_BYTES:
        raise ValueError(f"{found[0].path} has {found[0].size:,} bytes; at most {MAX_BYTES:,}")
    return found[0]


def beginning_of_text(path: Path, characters: int) -> str:
    """Returns the beginning of a text file, or of the column `text` of a parquet file.

    Args:
        path: The file.
        characters: Length of the result at most.

    Raises:
        ValueError: No such column, no UTF-8 text, or nothing in it.
    """
    if path.suffix == ".parquet":
        try:
            rows = pd.read_parquet(path, columns=[TEXT_COLUMN])[TEXT_COLUMN]
        except (KeyError, OSError, ValueError) as error:
            raise ValueError(f"{path.name} has no column {TEXT_COLUMN!r}: {error}") from None
        text = "\n".join(str(row).rstrip("\n") for row in rows)
    else:
        # Where the cache lies is nothing to a visitor.
        text = read_text(path, name=path.name)
    if not text.strip():
        raise ValueError(f"{path.name} holds no text")
    return text[:characters]
