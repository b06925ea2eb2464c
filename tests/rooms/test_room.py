import csv
import io
import multiprocessing
import re

import pytest

from alibi_viz.rooms import room as room_module
from alibi_viz.rooms import seat
from alibi_viz.rooms import store as store_module
from alibi_viz.rooms.room import Room
from alibi_viz.rooms.seat import NotJoined, NotNow
from alibi_viz.rooms.store import NoSuchRoom, RoomShut, Store

# Lesson, question, the right answer (2^-3) and what counting heads from 0 gives (2^-2).
THIRD = "ladder/third"
# Its second option is right.
RULES = "ladder/rules"


def test_a_code_is_four_letters_that_make_no_word(store):
    codes = {Room.open(store).code for _ in range(30)}
    assert len(codes) == 30
    assert all(re.fullmatch("[BCDFGHJKLMNPQRSTVWXZ]{4}", code) for code in codes)


def test_a_class_answers_talks_answers_again_and_hears_what_is_right(room, student):
    ann, ben, cas = student("ann"), student("ben"), student("cas")
    room.start_round(THIRD)
    ann.answers("1/4")
    ben.answers("0.125")
    cas.answers("7")
    room.close_round()
    room.start_round(THIRD)
    ann.answers("2^-3", number=2)
    ben.answers("1/8", number=2)
    room.reveal()
    first, second = room.results()
    assert [(group.label, group.count, group.is_right) for group in first.groups] == [
        ("0.125", 1, True),
        ("counts heads from 0", 1, False),
        ("another number", 1, False),
    ]
    assert (second.answered, second.groups[0].count) == (2, 2)
    assert ann.sees()["right"] is True


def test_choices_are_counted_in_the_order_shown(room, student):
    room.start_round(RULES)
    for place, name in enumerate(["a", "b", "c", "d", "e"]):
        student(name).answers(min(place, 1))
    (result,) = room.results()
    assert [group.count for group in result.groups] == [1, 4, 0]
    assert [group.is_right for group in result.groups] == [False, True, False]
    assert result.groups[2].error == "takes multiples of 8 for powers of two"


def test_lines_are_kept_as_they_were_drawn(room, student):
    room.start_round("sketch/alibi")
    student("ann").answers([0.1 * step for step in range(10)])
    (result,) = room.results()
    assert result.groups == ()
    assert result.lines == ((0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),)


def test_the_state_says_how_many_have_answered(room, student):
    ann = student("ann")
    student("ben")
    assert (room.state().phase, room.state().joined) == ("waiting", 2)
    room.start_round(THIRD)
    ann.answers("1")
    ann.answers("2")
    state = room.state()
    assert (state.question, state.round, state.phase) == (THIRD, 1, "open")
    assert (state.joined, state.answered) == (2, 1)


def test_the_last_answer_of_a_round_stands(room, student):
    ann = student("ann")
    room.start_round(THIRD)
    ann.answers("1/4")
    ann.answers("1/8")
    assert ann.sees()["mine"] == 0.125
    assert room.results()[0].answered == 1


@pytest.mark.parametrize("phase", ["waiting", "open", "closed"])
def test_nothing_is_given_away_before_the_reveal(room, student, phase):
    ann, ben = student("ann"), student("ben")
    if phase != "waiting":
        room.start_round(THIRD)
        ben.answers("0.125")
        ann.answers("0.25")
    if phase == "closed":
        room.close_round()
    seen = ann.sees()
    assert not {"answer", "right", "feedback", "measured", "answered"} & set(seen)
    assert "0.125" not in repr(seen)


def test_what_a_phone_is_asked_holds_no_answer(room, student):
    ann = student("ann")
    for question in (THIRD, RULES, "ladder/from-zero", "sketch/rope"):
        room.start_round(question)
        asked = ann.sees()["question"]
        assert not {"answer", "right", "reveal", "error"} & set(asked)
        assert "Heads count from 1" not in repr(asked)


def test_answers_are_taken_while_their_round_is_open(room, student):
    ann = student("ann")
    room.start_round(THIRD)
    with pytest.raises(NotNow):
        ann.answers("1/8", number=2)
    room.close_round()
    with pytest.raises(NotNow):
        ann.answers("1/8")
    room.reveal()
    with pytest.raises(NotNow):
        ann.answers("1/8")


@pytest.mark.parametrize(
    ("question", "given"),
    [
        (THIRD, "about a half"),
        (THIRD, 0.125),
        (THIRD, "1" * 80),
        (RULES, 3),
        (RULES, -1),
        (RULES, True),
        (RULES, "1"),
        ("ladder/from-zero", 4),
        ("sketch/rope", [1.0] * 9),
        ("sketch/rope", [float("nan")] * 10),
        ("sketch/rope", "up"),
        ("sketch/rope", None),
    ],
)
def test_what_is_no_answer_is_refused(room, student, question, given):
    room.start_round(question)
    with pytest.raises(ValueError, match=r"number|Choose one|heights"):
        student("ann").answers(given)
    assert room.results() == ()


def test_who_has_not_joined_neither_sees_nor_answers(store, room):
    room.start_round(THIRD)
    with pytest.raises(NotJoined):
        seat.view(store, room.code, "stranger")
    with pytest.raises(NotJoined):
        seat.answer(store, room.code, "stranger", 1, "1/8")


def test_a_locked_room_keeps_who_is_in_and_lets_nobody_else_in(store, room, student):
    student("ann")
    room.lock()
    seat.join(store, room.code, "ann")
    with pytest.raises(RoomShut, match="locked"):
        seat.join(store, room.code, "ben")
    room.lock(False)
    seat.join(store, room.code, "ben")
    assert room.state().joined == 2


def test_a_room_has_so_many_seats(store, room, monkeypatch):
    monkeypatch.setattr(seat, "MAX_MEMBERS", 3)
    for name in ("a", "b", "c", "a"):
        seat.join(store, room.code, name)
    with pytest.raises(RoomShut, match="full: 3"):
        seat.join(store, room.code, "d")


def test_a_server_has_so_many_rooms(store, monkeypatch):
    monkeypatch.setattr(store_module, "MAX_ROOMS", 2)
    rooms = [Room.open(store) for _ in range(2)]
    with pytest.raises(RoomShut, match="2 rooms"):
        Room.open(store)
    rooms[0].end()
    Room.open(store)


def test_a_question_has_so_many_rounds(room, monkeypatch):
    monkeypatch.setattr(room_module, "MAX_ROUNDS", 2)
    room.start_round(THIRD)
    room.start_round(THIRD)
    with pytest.raises(ValueError, match="2 rounds"):
        room.start_round(THIRD)


def test_only_the_host_key_drives_a_room(store, room):
    assert Room(store, room.code, room.host).state().phase == "waiting"
    with pytest.raises(NoSuchRoom, match="host key"):
        Room(store, room.code, "guess")
    with pytest.raises(NoSuchRoom):
        Room(store, "ZZZZ", room.host)


@pytest.mark.parametrize("question", ["", "ladder/none", "none/third", "sketch/none", "sketch"])
def test_a_question_that_is_none_is_refused_by_its_name(room, question):
    with pytest.raises(ValueError, match=r"must be one of|unknown position method"):
        room.start_round(question)


def test_nothing_is_revealed_before_anything_was_asked(room):
    with pytest.raises(ValueError, match="nothing was asked"):
        room.reveal()


def test_the_table_holds_every_answer_and_nobodys_name(room, student):
    ann, ben = student("ann"), student("ben")
    room.start_round(THIRD)
    ann.answers("1/4")
    ben.answers("1/8")
    room.start_round(RULES)
    ben.answers(2)
    rows = list(csv.reader(io.StringIO(room.export_csv())))
    assert rows == [
        ["question", "round", "student", "answer", "right", "error"],
        [RULES, "1", "2", "3", "0", "takes multiples of 8 for powers of two"],
        [THIRD, "1", "1", "0.25", "0", "counts heads from 0"],
        [THIRD, "1", "2", "0.125", "1", ""],
    ]
    assert "ann" not in room.export_csv()


def test_nothing_of_a_room_is_kept_once_it_has_ended(store, room, student):
    ann = student("ann")
    room.start_round(THIRD)
    ann.answers("1/8")
    room.end()
    with pytest.raises(NoSuchRoom):
        ann.sees()
    with store.reading() as db:
        left = [db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("member", "vote")]
    assert left == [0, 0]


def test_a_room_ends_after_a_day_and_an_empty_one_after_an_hour(store, monkeypatch, room, student):
    student("ann")
    empty = Room.open(store)
    now = store_module.time.time()
    monkeypatch.setattr(store_module.time, "time", lambda: now + 2 * 3600)
    store.forget_ended()
    assert not seat.exists(store, empty.code)
    assert seat.exists(store, room.code)
    monkeypatch.setattr(store_module.time, "time", lambda: now + 25 * 3600)
    assert not seat.exists(store, room.code)
    store.forget_ended()
    assert store.versions() == {}


def test_cookies_and_keys_are_not_kept_as_they_are(file, room, student):
    student("a-cookie-of-somebody")
    content = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert b"a-cookie-of-somebody" not in content
    assert room.host.encode() not in content


def test_another_process_goes_on_where_one_stopped(file, store, room, student):
    ann = student("ann")
    room.start_round(THIRD)
    ann.answers("1/8")
    other = Store(file)
    again = Room(other, room.code, room.host)
    assert again.state().answered == 1
    again.close_round()
    assert ann.sees()["phase"] == "closed"
    other.close()


def test_versions_rise_with_what_students_see_and_only_with_that(store, room, student):
    before = store.versions()[room.code]
    ann = student("ann")
    assert store.versions()[room.code] == before
    room.start_round(THIRD)
    ann.answers("1/8")
    assert store.versions()[room.code] == before + 1


def _vote_of_many(file, code, start):
    store = Store(file)
    for name in range(start, start + 40):
        seat.join(store, code, f"student {name}")
        seat.answer(store, code, f"student {name}", 1, "1/8")
    store.close()


def test_processes_that_write_at_once_lose_nothing(file, room):
    room.start_round(THIRD)
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_vote_of_many, args=(file, room.code, 40 * place))
        for place in range(3)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert (room.state().joined, room.state().answered) == (120, 120)
    seats = {row.split(",")[2] for row in room.export_csv().splitlines()[1:]}
    assert len(seats) == 120
