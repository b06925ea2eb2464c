"""Files of records, `{"schema": 1, "records": [...]}`: one pattern for every kind; torch-free.

A kind is a frozen dataclass that JSON can hold, with its schema, its committed file and a `key`.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from alibi_viz.files import last_written, lock, read_json, write_bytes


class Stored(Protocol):
    """What a kind of record must have."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    schema: ClassVar[int]
    """Raised whenever the fields change."""
    file: ClassVar[Path]
    """Where the committed records lie."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement; records are sorted by it."""


R = TypeVar("R", bound=Stored)


def load_records(kind: type[R], path: Path | None = None) -> list[R]:
    """Returns the records of a file, in the order of their keys.

    Args:
        kind: Of the records.
        path: The file; the committed one if left out.

    Raises:
        ValueError: No such file, another schema, or a record that cannot be true.
    """
    path = path or kind.file
    rows = read_rows(path, kind.schema)
    names = [field.name for field in fields(kind)]
    records = []
    for number, row in enumerate(rows):
        where = f"{path}, record {number}"
        if not isinstance(row, dict) or sorted(row) != sorted(names):
            raise ValueError(f"{where} must have exactly the fields {', '.join(names)}")
        try:
            records.append(kind(**row))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}: {error}") from None
    return records


def known_records(kind: type[R], path: Path | None = None) -> list[R]:
    """Returns the records of a file; none where there is no file yet."""
    return load_records(kind, path) if (path or kind.file).is_file() else []


def shared_records(kind: type[R], path: Path | None = None) -> tuple[R, ...]:
    """Returns the records of a file, read once for all, and again when it changes; none without it.

    Args:
        kind: Of the records.
        path: The file; the committed one if left out.

    Raises:
        ValueError: The file cannot be read, or a record cannot be true.
    """
    path = path or kind.file
    return _read(kind, path, changed) if (changed := last_written(path)) else ()


@lru_cache(maxsize=16)
def _read(kind: type[R], path: Path, changed: int) -> tuple[R, ...]:
    return tuple(load_records(kind, path))


def last_change(*kinds: type[Stored]) -> tuple[tuple[str, int], ...]:
    """Returns where kinds of records lie and when they last changed: what a cache is good for.

    Args:
        kinds: Of records.

    Returns:
        (kind,) the committed file, and nanoseconds; 0 where there is no file.
    """
    return tuple((str(kind.file), last_written(kind.file)) for kind in kinds)


def add_records(records: Iterable[R], path: Path | None = None) -> None:
    """Adds records of one kind to a file; a repeated measurement replaces the one before.

    Several processes may do so at once: each waits for its turn, and a reader sees the file before
    or after.

    Args:
        records: Of one kind.
        path: The file, made if missing; the committed one if left out.

    Raises:
        ValueError: The file is there and cannot be read; it is left as it is.
    """
    added = list(records)
    if not added:
        return
    kind = type(added[0])
    path = path or kind.file
    with lock(path.with_name(f".{path.name}.lock")):
        merged = {record.key: record for record in [*known_records(kind, path), *added]}
        write_rows(path, kind.schema, [asdict(merged[key]) for key in sorted(merged)])


def write_rows(path: Path, schema: int, rows: Iterable[dict[str, Any]]) -> None:
    """Writes a file of records, one a line: readable, and a change of one changes one line."""
    body = ",\n".join(json.dumps(row, allow_nan=False) for row in rows)
    write_bytes(path, f'{{"schema": {schema}, "records": [\n{body}\n]}}\n'.encode())


def read_rows(path: Path, schema: int) -> list[Any]:
    """Returns what `write_rows` wrote.

    Raises:
        ValueError: No such file, or another schema.
    """
    content = read_json(path)
    if not isinstance(content, dict) or content.get("schema") != schema:
        found = content.get("schema") if isinstance(content, dict) else None
        raise ValueError(f"{path} has schema {found!r}, this version reads {schema}")
    return list(content.get("records", []))
