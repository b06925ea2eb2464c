"""The projector's screen of a room: how to join, what is asked, how many answered, and what."""

from collections.abc import Callable

import streamlit as st

from alibi_viz.lessons.course import find_lesson
from alibi_viz.lessons.questions import ChoiceQuestion, SpotQuestion
from alibi_viz.rooms.asked import SKETCH, find_question
from alibi_viz.rooms.charted import as_chart, plain
from alibi_viz.rooms.moves import Move, make, moves
from alibi_viz.rooms.room import Room, RoomState
from alibi_viz.rooms.sketch import SketchQuestion
from alibi_viz.rooms.store import NoSuchRoom
from alibi_viz.ui.frame.presentation import is_presenting, present
from alibi_viz.ui.link.class_address import address_field, class_address, qr_code
from alibi_viz.ui.link.settle import choose, linked
from alibi_viz.ui.room.controls import ASK
from alibi_viz.ui.room.key import end_room, open_room, say_why_no_room_opened
from alibi_viz.ui.show.figure import show_chart

LOOK_EVERY_SECONDS = 1.0
_PICKED, _PEEKED = "room_question", "_room_peeked"
_LABELS: dict[Move, tuple[str, str]] = {
    "ask": ("Ask it", ":material/play_arrow:"),
    "close": ("Close the vote", ":material/stop:"),
    "again": ("Vote again", ":material/replay:"),
    "reveal": ("Reveal the answer", ":material/visibility:"),
    "next": ("Next question", ":material/arrow_forward:"),
}
_STYLE = """<style>
.st-key-room_code p{font-size:4.2rem;line-height:1.1;font-weight:700;letter-spacing:.14em}
.st-key-room_small p{line-height:1.3}
.st-key-room_small strong{font-size:1.6rem;letter-spacing:.1em}
.st-key-room_count strong{font-size:2.6rem;line-height:1}
[data-testid=stElementToolbar]{display:none}
.st-key-room_buttons .st-key-room_count strong{font-size:1.4rem}
</style>"""
_PRESENTED_STYLE = "<style>.st-key-room_buttons{margin-top:-2.2rem}</style>"


def stepper(room: Room | None) -> Callable[[int], None]:
    """Returns what a presenter's keys do: the usual next move; nothing backwards.

    Args:
        room: The room; None before it is open.
    """

    def step(by: int) -> None:
        if room is not None and by > 0:
            _make(moves(room.state())[0], room)

    return step


def join_address(room: Room | None) -> str:
    """Returns the address that a class opens to join; "" where there is no room."""
    return f"{class_address()}/join/{room.code}" if room else ""


def show_door() -> None:
    """Shows what a room is, and the button that opens one."""
    say_why_no_room_opened()
    st.markdown(
        "Ask your class a question of the lessons, or have it draw a curve. Students join on their "
        "phones with a code of four letters: no account, no name. They answer, talk it over, and "
        "vote again; then both votes stand beside the right answer, as the library computes it."
    )
    _question_field()
    st.button(
        "Open a room", key="room_open", type="primary", icon=":material/groups:", on_click=_open
    )
    st.caption(
        "The room ends after a day, or when you end it; nothing is kept of it. You can save the "
        "answers as a table before. Keys: Page Down makes the next move, D shows or hides what was "
        "answered, Q fills the screen with the code, Escape leaves present mode."
    )


def show_room(room: Room) -> None:
    """Shows the room as it stands."""
    st.html(_STYLE + (_PRESENTED_STYLE if is_presenting() else ""))
    state = room.state()
    _buttons(room, state)
    if state.phase == "waiting":
        _lobby(room, state)
    elif state.phase == "open":
        text, side = st.columns([7, 2], gap="medium")
        with text:
            _question(state)
            if _is_peeked(state):
                _live_votes(room, state)
        with side:
            _way_in(room)
            _pulse(room, state)
    else:
        _question(state)
        if state.phase == "revealed":
            _revealed(room, state)
        elif _is_peeked(state):
            _show_votes(room, state)


def _open() -> None:
    open_room()
    present("1")


def _lobby(room: Room, state: RoomState) -> None:
    """Shows how to join, as large as the screen allows, and what will be asked first."""
    code, words = st.columns([2, 3], gap="large", vertical_alignment="center")
    address = join_address(room)
    code.image(qr_code(address), width="stretch", alt=f"QR code of {address}", output_format="PNG")
    with words:
        st.markdown(f"Scan, or open **{_bare(class_address())}/join** and type")
        with st.container(key="room_code"):
            st.markdown(room.code)
        _pulse(room, state)
        _question_field()


def _way_in(room: Room) -> None:
    """Shows code and QR code small, for those who come late."""
    address = join_address(room)
    st.image(qr_code(address), width=170, alt=f"QR code of {address}", output_format="PNG")
    with st.container(key="room_small"):
        st.markdown(f"{_bare(class_address())}/join  \n**{room.code}**")


def _bare(address: str) -> str:
    return address.partition("://")[2]


@st.fragment(run_every=LOOK_EVERY_SECONDS)
def _pulse(room: Room, drawn: RoomState) -> None:
    """Shows how many have joined and answered, every second; the page follows the room's phase."""
    try:
        state = room.state()
    except NoSuchRoom:
        st.rerun()
    if _stands(state) != _stands(drawn):
        st.rerun()
    with st.container(key="room_count", width="content" if state.phase != "open" else "stretch"):
        if state.phase == "waiting":
            st.markdown(f"**{state.joined}** joined")
        else:
            st.markdown(f"**{state.answered}** of {state.joined} answered")
            if state.phase == "open":
                st.progress(min(state.answered / max(state.joined, 1), 1.0))


def _stands(state: RoomState) -> tuple[str, int, str, bool]:
    return state.question, state.round, state.phase, state.is_locked


def _question(state: RoomState) -> None:
    """Shows what is asked, with what there is to choose from until that stands beside bars."""
    question = find_question(state.question)
    with st.container(key="room_asked", gap="small"):
        st.markdown(question.prompt)
        if isinstance(question, SpotQuestion):
            code = "\n".join(question.lines)
            st.code(code, language="python", line_numbers=True, wrap_lines=True)
        elif isinstance(question, ChoiceQuestion) and state.phase != "revealed":
            st.markdown("\n".join(f"- {option.text}" for option in question.options))
    if state.phase == "closed" and not _is_peeked(state):
        is_over = isinstance(question, SketchQuestion) or state.round > 1
        st.info("The vote is closed." if is_over else "Talk it over with your neighbour.")


def _revealed(room: Room, state: RoomState) -> None:
    """Shows all votes, and beside them the library's answer and why it is right."""
    question = find_question(state.question)
    if isinstance(question, SketchQuestion):
        _show_votes(room, state)
        return
    votes, answer = st.columns([5, 3], gap="large")
    with votes:
        _show_votes(room, state)
    with answer:
        st.markdown(question.in_full())


@st.fragment(run_every=LOOK_EVERY_SECONDS)
def _live_votes(room: Room, state: RoomState) -> None:
    """Shows what is answered while the vote is open."""
    try:
        _show_votes(room, state)
    except NoSuchRoom:
        st.rerun()


def _show_votes(room: Room, state: RoomState) -> None:
    rounds = room.results()
    if not rounds:
        st.caption("Nobody has answered.")
        return
    chart = as_chart(state.question, rounds, is_revealed=state.phase == "revealed")
    show_chart(chart)
    if state.phase == "revealed":
        sentence = chart.sentence()
        st.markdown(sentence[:1].upper() + sentence[1:])


def _buttons(room: Room, state: RoomState) -> None:
    """Shows the presenter's moves, and what is done seldom."""
    with st.container(horizontal=True, vertical_alignment="center", key="room_buttons"):
        for place, move in enumerate(moves(state)):
            label, icon = _LABELS[move]
            st.button(
                label,
                key=f"room_{move}",
                icon=icon,
                type="primary" if place == 0 else "secondary",
                on_click=_make,
                args=(move, room),
                # Presented, the keys are heard elsewhere.
                shortcut="PageDown" if place == 0 and not is_presenting() else None,
            )
        if state.phase in ("open", "closed"):
            label = "Hide the answers" if _is_peeked(state) else "Show the answers"
            st.button(
                label, key="room_peek", type="tertiary", on_click=_peek, args=(state,), shortcut="D"
            )
        with st.popover("Room"):
            _seldom(room, state)
        if state.phase in ("closed", "revealed"):
            _pulse(room, state)


def _seldom(room: Room, state: RoomState) -> None:
    """Shows the address, another question, the lock, the table of answers, and the end."""
    address_field("room_base")
    if state.phase != "waiting":
        _question_field()
        st.button("Ask this one", key="room_other", on_click=_make, args=("next", room))
    with st.container(horizontal=True):
        st.button(
            "Let others join" if state.is_locked else "Lock: nobody else joins",
            key="room_lock",
            on_click=room.lock,
            args=(not state.is_locked,),
        )
        st.download_button(
            "Save as CSV",
            lambda: room.export_csv().encode(),
            file_name=f"alibi-viz-room-{room.code}.csv",
            mime="text/csv",
            key="room_csv",
            on_click="ignore",
        )
        st.button(
            "End the room",
            key="room_end",
            on_click=end_room,
            args=(room,),
            help="All answers are deleted: save them first.",
        )


def _question_field() -> None:
    """Shows which question comes next, to choose another."""
    chosen = linked(ASK)
    # A field of its own for each: one that is folded away would go on saying what it said before.
    key = f"{_PICKED}_{chosen}"
    st.selectbox(
        "the next question",
        ASK.options,
        ASK.options.index(chosen),
        format_func=_name,
        key=key,
        on_change=lambda: _choose(st.session_state[key]),
    )


def _name(key: str) -> str:
    """Returns a question as the list names it."""
    lesson = key.partition("/")[0]
    prompt = plain(find_question(key).prompt)
    return prompt if lesson == SKETCH else f"{find_lesson(lesson).title}: {prompt}"


def _choose(key: str) -> None:
    choose(ASK.key, key)


def _make(move: Move, room: Room) -> None:
    """Makes a move; a callback of buttons and keys."""
    _choose(make(move, room, linked(ASK)))


def _is_peeked(state: RoomState) -> bool:
    """Returns whether the presenter wants to see what is answered in this round already."""
    return bool(st.session_state.get(_PEEKED) == (state.question, state.round))


def _peek(state: RoomState) -> None:
    """Shows what is answered in this round, or hides it again; a callback of a button."""
    here = (state.question, state.round)
    st.session_state[_PEEKED] = None if _is_peeked(state) else here
