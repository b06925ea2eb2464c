"""What a presenter does next: ask, close, let them talk and vote again, reveal, go on."""

from typing import Literal

from alibi_viz.rooms.asked import SKETCH, question_keys
from alibi_viz.rooms.room import Room, RoomState

Move = Literal["ask", "close", "again", "reveal", "next"]


def moves(state: RoomState) -> tuple[Move, ...]:
    """Returns what can be done now, first what a presenter does as a rule.

    A class votes twice, with a discussion between; lines are drawn once.

    Args:
        state: Where the room stands.
    """
    if state.phase == "waiting":
        return ("ask",)
    if state.phase == "open":
        return ("close",)
    if state.phase == "revealed":
        return ("next",)
    is_drawn = state.question.partition("/")[0] == SKETCH
    return ("reveal", "again") if is_drawn or state.round > 1 else ("again", "reveal")


def make(move: Move, room: Room, chosen: str) -> str:
    """Makes a move, and returns the question that is chosen after it.

    Args:
        move: What to do.
        room: The room.
        chosen: Key of the question that is asked next.
    """
    state = room.state()
    if move == "close":
        room.close_round()
    elif move == "reveal":
        room.reveal()
    elif move == "again":
        room.start_round(state.question)
    else:
        room.start_round(chosen)
        return after(chosen)
    return chosen


def after(question: str) -> str:
    """Returns the question that follows one in the order of the course; the last follows itself."""
    keys = question_keys()
    return keys[min(keys.index(question) + 1, len(keys) - 1)]
