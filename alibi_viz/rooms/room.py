"""The presenter's side of a room: open it, ask, close, reveal, and take the results home."""

import json
import sqlite3
from dataclasses import dataclass
from hmac import compare_digest

from alibi_viz.rooms.asked import find_question
from alibi_viz.rooms.results import RoundResult, Vote, as_csv, round_result
from alibi_viz.rooms.store import LIFE_SECONDS, NoSuchRoom, Phase, Store, digest, room_row

MAX_ROUNDS = 9
MAX_QUESTIONS = 60


@dataclass(frozen=True)
class RoomState:
    """Where a room stands."""

    question: str
    """Key of what is asked; "" before the first."""
    round: int
    """Round of this question, counted from 1; 0 before the first."""
    phase: Phase
    """Waiting for a question, open for answers, closed, or revealed."""
    joined: int
    """How many have joined."""
    answered: int
    """How many have answered in this round."""
    is_locked: bool
    """Whether nobody else can join."""
    ends: float
    """When it ends by itself, in seconds since the epoch."""


class Room:
    """One room, in the hands of whoever has its host key."""

    def __init__(self, store: Store, code: str, host: str) -> None:
        """Takes a room over: the same browser later, or another process.

        Args:
            store: The rooms.
            code: The room's code.
            host: Its host key.

        Raises:
            NoSuchRoom: None has this code and this key.
        """
        self.code, self.host = code, host
        self._store = store
        self.state()

    @classmethod
    def open(cls, store: Store) -> "Room":
        """Returns a new room.

        Raises:
            RoomShut: There are as many rooms as this server keeps.
        """
        return cls(store, *store.add_room())

    def state(self) -> RoomState:
        """Returns where the room stands."""
        with self._store.reading() as db:
            room = self._row(db)
            (joined,) = db.execute(
                "SELECT count(*) FROM member WHERE room = ?", (self.code,)
            ).fetchone()
            (answered,) = db.execute(
                "SELECT count(*) FROM vote WHERE room = ? AND question = ? AND round = ?",
                (self.code, room["question"], room["round"]),
            ).fetchone()
        return RoomState(
            question=room["question"],
            round=room["round"],
            phase=room["phase"],
            joined=joined,
            answered=answered,
            is_locked=bool(room["locked"]),
            ends=room["opened"] + LIFE_SECONDS,
        )

    def start_round(self, question: str) -> None:
        """Opens a question for answers: its first round, or the next one.

        Args:
            question: Its key.

        Raises:
            ValueError: No such question, or one that had all its rounds.
        """
        find_question(question)
        with self._store.writing() as db:
            room = self._row(db)
            (before,) = db.execute(
                "SELECT coalesce(max(round), 0) FROM vote WHERE room = ? AND question = ?",
                (self.code, question),
            ).fetchone()
            if question == room["question"]:
                before = max(before, room["round"])
            (asked,) = db.execute(
                "SELECT count(DISTINCT question) FROM vote WHERE room = ?", (self.code,)
            ).fetchone()
            if before >= MAX_ROUNDS or asked >= MAX_QUESTIONS:
                raise ValueError(
                    f"a room has at most {MAX_QUESTIONS} questions of {MAX_ROUNDS} rounds"
                )
            self._set(db, question=question, round=before + 1, phase="open")

    def close_round(self) -> None:
        """Takes no more answers to the round."""
        with self._store.writing() as db:
            if self._row(db)["phase"] == "open":
                self._set(db, phase="closed")

    def reveal(self) -> None:
        """Shows everybody the library's answer, and what there is to say of their own.

        Raises:
            ValueError: Nothing was asked yet.
        """
        with self._store.writing() as db:
            if not self._row(db)["question"]:
                raise ValueError("nothing was asked yet")
            self._set(db, phase="revealed")

    def lock(self, is_locked: bool = True) -> None:
        """Lets nobody else join, or lets them again."""
        with self._store.writing() as db:
            self._row(db)
            self._set(db, locked=int(is_locked))

    def end(self) -> None:
        """Ends the room; nothing of it is kept."""
        with self._store.writing() as db:
            self._row(db)
            db.execute("DELETE FROM room WHERE code = ?", (self.code,))

    def results(self, question: str | None = None) -> tuple[RoundResult, ...]:
        """Returns the rounds of a question in order, that which is open included.

        Args:
            question: Its key; the one that is asked now if left out.
        """
        asked = self.state().question if question is None else question
        rounds: dict[int, list[Vote]] = {}
        for vote in self._votes():
            if vote.question == asked:
                rounds.setdefault(vote.round, []).append(vote)
        return tuple(round_result(asked, number, rounds[number]) for number in sorted(rounds))

    def export_csv(self) -> str:
        """Returns all answers of the room as CSV, a row each; students are numbers."""
        return as_csv(self._votes())

    def _votes(self) -> list[Vote]:
        with self._store.reading() as db:
            self._row(db)
            rows = db.execute(
                "SELECT question, round, seat, answer FROM vote WHERE room = ? "
                "ORDER BY question, round, seat",
                (self.code,),
            ).fetchall()
        return [
            Vote(row["question"], row["round"], row["seat"], json.loads(row["answer"]))
            for row in rows
        ]

    def _row(self, db: sqlite3.Connection) -> sqlite3.Row:
        row = room_row(db, self.code)
        if not compare_digest(row["host"], digest(self.host)):
            raise NoSuchRoom(f"this is not the host key of room {self.code}")
        return row

    def _set(self, db: sqlite3.Connection, **columns: str | int) -> None:
        """Changes columns, by names that this file alone gives, and tells the students."""
        changes = ", ".join(f"{name} = ?" for name in columns)
        db.execute(
            f"UPDATE room SET version = version + 1, {changes} WHERE code = ?",
            (*columns.values(), self.code),
        )
