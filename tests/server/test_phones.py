import asyncio
import json
import re

import pytest
from starlette.applications import Starlette

from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import Store
from alibi_viz.server import changes as changes_module
from alibi_viz.server import rooms
from alibi_viz.server.changes import Changes
from alibi_viz.server.phone import phone_page
from alibi_viz.server.rooms import COOKIE, Phones
from tests.server.asgi import request, requested, scope

THIRD = "ladder/third"


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "rooms.sqlite3")
    yield store
    store.close()


@pytest.fixture
def room(store):
    return Room.open(store)


@pytest.fixture
def changes(store, monkeypatch):
    monkeypatch.setattr(changes_module, "LOOK_EVERY_SECONDS", 0.01)
    return Changes(store.versions)


@pytest.fixture
def app(store, changes, monkeypatch):
    monkeypatch.setattr(rooms, "SLOWED", 0.0)
    return Starlette(routes=Phones(lambda: store, changes).routes("/join"))


def post(app, room, what, content=None, **headers):
    body = json.dumps(content or {}).encode()
    return request(app, f"/join/{room.code}/{what}", "POST", body, **headers)


def join(app, room):
    """Joins as a new browser and returns its cookie."""
    answer = post(app, room, "join")
    assert answer.status == 200
    return answer.headers["set-cookie"].split(";")[0]


def error(answer):
    return json.loads(answer.body)["error"]


def test_a_browser_joins_by_a_cookie_that_scripts_cannot_read(app, room):
    cookie = post(app, room, "join").headers["set-cookie"]
    assert re.match(COOKIE + r"=[\w-]{22};", cookie)
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Max-Age=86400" in cookie


def test_one_browser_has_one_seat_and_two_have_two(app, room):
    first = join(app, room)
    post(app, room, "join", cookie=first)
    assert room.state().joined == 1
    join(app, room)
    assert room.state().joined == 2


def test_an_answer_counts(app, room):
    cookie = join(app, room)
    room.start_round(THIRD)
    answer = post(app, room, "answer", {"round": 1, "answer": "1/8"}, cookie=cookie)
    assert answer.status == 200
    assert room.results()[0].groups[0].count == 1


def test_codes_may_be_typed_in_small_letters(app, room):
    room.code, code = room.code.lower(), room.code
    assert post(app, room, "join").status == 200
    room.code = code


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ({"round": 1, "answer": "a half"}, 422),
        ({"round": 1}, 422),
        ({"round": 2, "answer": "1/8"}, 409),
        ({"round": "1", "answer": "1/8"}, 409),
        ({"answer": "1" * 3000}, 413),
        ([1], 422),
    ],
)
def test_what_is_no_answer_is_refused_with_a_sentence(app, room, content, status):
    cookie = join(app, room)
    room.start_round(THIRD)
    answer = post(app, room, "answer", content, cookie=cookie)
    assert answer.status == status
    assert error(answer).endswith((".", "'"))
    assert room.state().answered == 0


def test_what_is_no_json_is_refused(app, room):
    cookie = join(app, room)
    for body in (b"", b"[" * 2000, b"\xff"):
        answer = request(app, f"/join/{room.code}/answer", "POST", body, cookie=cookie)
        assert answer.status == 422


def test_strangers_neither_listen_nor_answer(app, room):
    room.start_round(THIRD)
    assert request(app, f"/join/{room.code}/events").status == 401
    assert post(app, room, "answer", {"round": 1, "answer": "1/8"}).status == 401


def test_a_locked_room_says_so(app, room):
    room.lock()
    answer = post(app, room, "join")
    assert (answer.status, error(answer)) == (403, "The room is locked: nobody else can join.")


def test_whoever_tries_codes_is_slowed_down_and_then_shut_out(app, room, monkeypatch):
    waits = []

    async def note(seconds):
        waits.append(seconds)

    monkeypatch.setattr(rooms, "SLOWED", 1.5)
    monkeypatch.setattr(rooms.asyncio, "sleep", note)
    most = rooms.WRONG_CODES[0]
    answers = [request(app, "/join/ZZZZ/join", "POST") for _ in range(most + 1)]
    assert [answer.status for answer in answers] == [404] * most + [429]
    assert waits == [1.5] * most
    # From that address not even a right code: it could be a lucky one.
    assert post(app, room, "join").status == 429


def test_answers_come_no_faster_than_a_person_gives_them(app, room):
    cookie = join(app, room)
    room.start_round(THIRD)
    statuses = [
        post(app, room, "answer", {"round": 1, "answer": "1/8"}, cookie=cookie).status
        for _ in range(rooms.ANSWERS[0] + 1)
    ]
    assert statuses[-2:] == [200, 429]


class Stream:
    """A phone that listens."""

    def __init__(self, app, room, cookie):
        self.events = asyncio.Queue()
        self.gone = asyncio.Event()
        where = scope("http", f"/join/{room.code}/events", "GET", {"cookie": cookie})
        self.task = asyncio.create_task(app(where, self._receive, self._send))

    async def _receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        for line in message.get("body", b"").decode().splitlines():
            if line.startswith("data: "):
                await self.events.put(json.loads(line.removeprefix("data: ")))

    async def next(self):
        return await asyncio.wait_for(self.events.get(), 10)


def test_a_phone_hears_of_each_phase_and_of_the_end(app, room):
    cookie = join(app, room)

    async def listen():
        stream = Stream(app, room, cookie)
        phases = [(await stream.next())["phase"]]
        for do in (lambda: room.start_round(THIRD), room.close_round, room.reveal, room.end):
            do()
            phases.append((await stream.next())["phase"])
        await asyncio.wait_for(stream.task, 10)
        return phases

    assert asyncio.run(listen()) == ["waiting", "open", "closed", "revealed", "ended"]


def test_a_page_that_is_loaded_again_takes_the_place_of_its_older_stream(app, room, monkeypatch):
    monkeypatch.setattr(rooms, "HEARTBEAT_SECONDS", 0.05)
    cookie = join(app, room)

    async def load_again():
        older = Stream(app, room, cookie)
        await older.next()
        newer = Stream(app, room, cookie)
        await newer.next()
        await asyncio.wait_for(older.task, 10)
        room.start_round(THIRD)
        heard = await newer.next()
        newer.gone.set()
        await newer.task
        return heard["phase"], older.events.qsize()

    assert asyncio.run(load_again()) == ("open", 0)


def test_streams_end_when_the_server_does(app, room, changes):
    cookie = join(app, room)

    async def end():
        stream = Stream(app, room, cookie)
        await stream.next()
        await asyncio.sleep(0.05)
        changes.end()
        await asyncio.wait_for(stream.task, 10)
        late = Stream(app, room, cookie)
        await asyncio.wait_for(late.task, 10)
        return stream, late

    assert all(one.task.done() and not one.task.exception() for one in asyncio.run(end()))


def test_many_streams_look_at_the_file_once(app, room, store, monkeypatch):
    looks = []
    monkeypatch.setattr(changes_module, "LOOK_EVERY_SECONDS", 0.2)
    counted = Changes(lambda: looks.append(1) or store.versions())

    async def wait():
        await asyncio.gather(
            *(counted.after(room.code, store.versions()[room.code], 0.5) for _ in range(50))
        )

    asyncio.run(wait())
    assert len(looks) <= 4


def test_the_page_is_small_and_brings_all_that_it_needs():
    page = phone_page()
    assert len(page.body) < 30_000
    assert not re.search(rb"""(src|href)=|url\(|@import|https?://(?!www\.w3\.org)""", page.body)
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_the_page_asks_nothing_that_plain_http_lacks():
    # These exist in secure contexts only; a class opens http://192.168...
    for name in (b"randomUUID", b"crypto.subtle", b"navigator.clipboard", b"serviceWorker"):
        assert name not in phone_page().body


def test_the_page_is_the_same_for_every_code(app):
    async def pages():
        return [(await requested(app, path)).body for path in ("/join", "/join/BCDF")]

    one, other = asyncio.run(pages())
    assert one == other
