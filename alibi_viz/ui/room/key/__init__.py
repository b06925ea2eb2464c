"""Whose room it is: the browser that opened it holds the key, and finds the room again with it."""

from pathlib import Path

import streamlit as st

from alibi_viz.rates import Allowance, network_of
from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import NoSuchRoom, RoomShut, rooms

HERE = Path(__file__).parent
_KEY = "room_key"
_HELD, _ENDED, _REFUSAL = "_room", "_room_ended", "_room_refusal"
# Rooms that one address may open: several lecturers of a school at once, and then one a minute.
_OPENINGS = Allowance(10, 1 / 60)

_COMPONENT = st.components.v2.component(
    "alibi_room_key", js=(HERE / "key.js").read_text(encoding="utf-8")
)


def held_room() -> Room | None:
    """Returns the room that this browser drives; None if there is none, or no longer."""
    held = st.session_state.get(_HELD)
    ended = st.session_state.get(_ENDED)
    data = {"keep": held, "forget": None if held else ended}
    _COMPONENT(key=_KEY, data=data, on_kept_change=_found, height=1)
    if held is None:
        return None
    try:
        return Room(rooms(), **held)
    except NoSuchRoom:
        leave_room()
        st.rerun()


def open_room() -> None:
    """Opens a room for this browser; a callback of a button."""
    if not _OPENINGS.take(network_of(st.context.ip_address or "")):
        st.session_state[_REFUSAL] = "That were many rooms. Wait a minute, please."
        return
    try:
        room = Room.open(rooms())
    except RoomShut as error:
        st.session_state[_REFUSAL] = str(error)
        return
    st.session_state[_HELD] = {"code": room.code, "host": room.host}


def end_room(room: Room) -> None:
    """Ends a room with all that was answered in it; a callback of a button."""
    room.end()
    leave_room()


def leave_room() -> None:
    """Forgets the key of a room that has ended."""
    held = st.session_state.pop(_HELD, None)
    st.session_state[_ENDED] = held["code"] if held else ""


def say_why_no_room_opened() -> None:
    """Says why no room was opened, if one was asked for just now."""
    if refusal := st.session_state.pop(_REFUSAL, None):
        st.warning(refusal)


def _found() -> None:
    """Takes the room that the browser remembers."""
    kept = st.session_state[_KEY].get("kept")
    is_key = isinstance(kept, dict) and all(isinstance(kept.get(k), str) for k in ("code", "host"))
    if _HELD not in st.session_state and is_key:
        held = {"code": kept["code"][:4], "host": kept["host"][:64]}
        if held["code"] != st.session_state.get(_ENDED):
            st.session_state[_HELD] = held
