"""Rooms on disk: one SQLite file that all server processes of a machine share.

What is kept of anybody is a hash of a random cookie and what they answered. All of it goes when the
room ends, a day after it was opened at the latest.
"""

import hashlib
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

from alibi_viz.paths import CACHE

# ALIBI_VIZ_ROOMS names another file.
ROOMS = Path(os.environ.get("ALIBI_VIZ_ROOMS") or CACHE / "rooms.sqlite3").resolve()

# No vowels, so that no code is a word, and no letters that look like others.
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH = 4
LIFE_SECONDS = 24 * 3600.0
# A room that nobody joined lives shorter.
EMPTY_LIFE_SECONDS = 3600.0
MAX_ROOMS = 200
MAX_MEMBERS = 1000

Phase = Literal["waiting", "open", "closed", "revealed"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS room (
    code TEXT PRIMARY KEY, host BLOB NOT NULL, opened REAL NOT NULL, locked INTEGER NOT NULL,
    version INTEGER NOT NULL, question TEXT NOT NULL, round INTEGER NOT NULL, phase TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS member (
    room TEXT NOT NULL REFERENCES room ON DELETE CASCADE, cookie BLOB NOT NULL,
    seat INTEGER NOT NULL, PRIMARY KEY (room, cookie)
) STRICT;
CREATE TABLE IF NOT EXISTS vote (
    room TEXT NOT NULL REFERENCES room ON DELETE CASCADE, question TEXT NOT NULL,
    round INTEGER NOT NULL, seat INTEGER NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (room, question, round, seat)
) STRICT;
"""


class NoSuchRoom(ValueError):
    """No room has this code, or no longer."""


class RoomShut(ValueError):
    """Nobody can come in; the message says why."""


class Store:
    """The file and its rules; each method is one transaction, or part of the caller's."""

    def __init__(self, path: Path = ROOMS) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            path, timeout=10.0, isolation_level=None, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row
        # A killed process loses nothing that was answered; a power cut may lose the last moment.
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Gives the connection for changes that happen together or not at all."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Gives the connection for questions that see one state of the file."""
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                self._connection.execute("COMMIT")

    def add_room(self) -> tuple[str, str]:
        """Returns code and host key of a new room.

        Raises:
            RoomShut: There are as many rooms as this server keeps.
        """
        self.forget_ended()
        host = secrets.token_urlsafe(16)
        with self.writing() as db:
            (count,) = db.execute("SELECT count(*) FROM room").fetchone()
            if count >= MAX_ROOMS:
                raise RoomShut(f"{count} rooms are open, which is the limit here.")
            code = _new_code()
            while db.execute("SELECT 1 FROM room WHERE code = ?", (code,)).fetchone():
                code = _new_code()
            db.execute(
                "INSERT INTO room VALUES (?, ?, ?, 0, 1, '', 0, 'waiting')",
                (code, digest(host), time.time()),
            )
        return code, host

    def forget_ended(self) -> None:
        """Deletes the rooms whose time is over, and all that was answered in them."""
        now = time.time()
        with self.writing() as db:
            db.execute(
                "DELETE FROM room WHERE opened < ? OR (opened < ? AND NOT EXISTS "
                "(SELECT 1 FROM member WHERE member.room = room.code))",
                (now - LIFE_SECONDS, now - EMPTY_LIFE_SECONDS),
            )

    def versions(self) -> dict[str, int]:
        """Returns, by code, a number that rises with all that students see change in a room."""
        with self.reading() as db:
            return dict(tuple(row) for row in db.execute("SELECT code, version FROM room"))


@cache
def rooms() -> Store:
    """Returns the rooms of this server, one connection for the whole process."""
    return Store()


def room_row(db: sqlite3.Connection, code: str) -> sqlite3.Row:
    """Returns a room's row.

    Raises:
        NoSuchRoom: None, or its time is over.
    """
    row: sqlite3.Row | None = db.execute("SELECT * FROM room WHERE code = ?", (code,)).fetchone()
    if row is None or row["opened"] < time.time() - LIFE_SECONDS:
        raise NoSuchRoom(f"no room {code!r}")
    return row


def digest(secret: str) -> bytes:
    """Returns what is kept of a key or a cookie: enough to know it again, not to use it."""
    return hashlib.sha256(secret.encode()).digest()


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
