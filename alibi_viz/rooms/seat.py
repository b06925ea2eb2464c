"""A student's side of a room: join, see what is asked, answer."""

import json
import sqlite3
from typing import Any

from alibi_viz.lessons.markup import block
from alibi_viz.rooms.asked import find_question, question_for_phone, read_answer, verdict
from alibi_viz.rooms.sketch import SketchQuestion
from alibi_viz.rooms.store import MAX_MEMBERS, NoSuchRoom, RoomShut, Store, digest, room_row


class NotNow(ValueError):
    """An answer to a round that is not open."""


class NotJoined(ValueError):
    """Somebody who has not joined the room."""


def join(store: Store, code: str, cookie: str) -> None:
    """Gives a browser a seat; it keeps the one that it has.

    Args:
        store: The rooms.
        code: The room.
        cookie: What the browser is known by.

    Raises:
        NoSuchRoom: None has this code.
        RoomShut: It is locked, or full.
    """
    with store.writing() as db:
        room = room_row(db, code)
        if _seat(db, code, cookie) is not None:
            return
        if room["locked"]:
            raise RoomShut("The room is locked: nobody else can join.")
        (count,) = db.execute("SELECT count(*) FROM member WHERE room = ?", (code,)).fetchone()
        if count >= MAX_MEMBERS:
            raise RoomShut(f"The room is full: {count:,} have joined.")
        db.execute("INSERT INTO member VALUES (?, ?, ?)", (code, digest(cookie), count + 1))


def view(store: Store, code: str, cookie: str) -> dict[str, Any]:
    """Returns all that a student may know now, as JSON can hold it.

    What is right, and what is to be said of the own answer, comes with the reveal; what the others
    answered, never.

    Raises:
        NoSuchRoom: None has this code.
        NotJoined: The browser has no seat there.
    """
    with store.reading() as db:
        room = room_row(db, code)
        seat = _seat(db, code, cookie)
        if seat is None:
            raise NotJoined("join the room first")
        mine = db.execute(
            "SELECT answer FROM vote WHERE room = ? AND question = ? AND seat = ? AND round = ?",
            (code, room["question"], seat, room["round"]),
        ).fetchone()
    said: dict[str, Any] = {name: room[name] for name in ("version", "phase", "round")}
    said["mine"] = json.loads(mine["answer"]) if mine else None
    if room["question"]:
        said["question"] = question_for_phone(room["question"])
    if room["phase"] == "revealed":
        question = find_question(room["question"])
        said["answer"] = block(question.answer_text())
        if isinstance(question, SketchQuestion):
            said["measured"] = [None if h != h else round(h, 3) for h in question.answer()]
        if mine:
            judged = verdict(question, said["mine"])
            said["right"], said["feedback"] = judged.right, block(judged.feedback)
    return said


def answer(store: Store, code: str, cookie: str, round_number: object, given: object) -> None:
    """Keeps an answer; a later one of the same round takes its place.

    Args:
        store: The rooms.
        code: The room.
        cookie: What the browser is known by.
        round_number: The round that is answered.
        given: The answer, as `read_answer` takes it.

    Raises:
        NoSuchRoom: None has this code.
        NotJoined: The browser has no seat there.
        NotNow: Another round is open, or none.
        ValueError: No answer to the question.
    """
    with store.writing() as db:
        room = room_row(db, code)
        seat = _seat(db, code, cookie)
        if seat is None:
            raise NotJoined("join the room first")
        if room["phase"] != "open" or room["round"] != round_number:
            raise NotNow("This round is closed.")
        kept = json.dumps(read_answer(find_question(room["question"]), given))
        db.execute(
            "INSERT OR REPLACE INTO vote VALUES (?, ?, ?, ?, ?)",
            (code, room["question"], room["round"], seat, kept),
        )


def exists(store: Store, code: str) -> bool:
    """Returns whether there is such a room."""
    try:
        with store.reading() as db:
            room_row(db, code)
    except NoSuchRoom:
        return False
    return True


def _seat(db: sqlite3.Connection, code: str, cookie: str) -> int | None:
    row = db.execute(
        "SELECT seat FROM member WHERE room = ? AND cookie = ?", (code, digest(cookie))
    ).fetchone()
    return None if row is None else int(row["seat"])
