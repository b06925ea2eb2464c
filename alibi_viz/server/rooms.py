"""The phones of a class: a light page, plain requests, and a stream of events.

No Streamlit session: a phone costs a few kilobytes and milliseconds, and hears of each change.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from alibi_viz.rates import Allowance, network_of
from alibi_viz.rooms import seat
from alibi_viz.rooms.seat import NotJoined, NotNow
from alibi_viz.rooms.store import LIFE_SECONDS, NoSuchRoom, RoomShut, Store
from alibi_viz.server.changes import OVER, Changes
from alibi_viz.server.phone import phone_page

COOKIE = "alibi_viz_seat"
MAX_BODY = 2048
# Whoever types codes: a class behind one address mistypes some; who tries them all waits for days.
WRONG_CODES = (60, 0.5)
# Seats given to one address: a whole class at once, and then one every other second.
JOINS = (400, 2.0)
ANSWERS = (20, 1.0)
STREAMS = (20, 0.5)
TOO_OFTEN = "That was too often. Wait a moment."
# Seconds that a wrong code waits for its answer.
SLOWED = 1.0
HEARTBEAT_SECONDS = 15.0
_STATUS = {NoSuchRoom: 404, RoomShut: 403, NotJoined: 401, NotNow: 409, ValueError: 422}

_T = TypeVar("_T")


class Refused(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Phones:
    """What phones ask for, below one address."""

    def __init__(self, store: Callable[[], Store], changes: Changes) -> None:
        """Keeps where the rooms are.

        Args:
            store: Returns the rooms.
            changes: Wakes the streams.
        """
        self._store, self._changes = store, changes
        self._wrong_codes = Allowance(*WRONG_CODES)
        self._joins = Allowance(*JOINS)
        self._answers = Allowance(*ANSWERS)
        self._streams = Allowance(*STREAMS)
        self._newest_stream: dict[tuple[str, str], object] = {}

    def routes(self, address: str) -> list[BaseRoute]:
        """Returns the routes.

        Args:
            address: The path that students open, e.g. "/join".
        """
        room = f"{address}/{{code}}"
        return [
            Route(address, self._page),
            Route(room, self._page),
            Route(f"{room}/join", self._join, methods=["POST"]),
            Route(f"{room}/answer", self._answer, methods=["POST"]),
            Route(f"{room}/events", self._events),
        ]

    async def _page(self, request: Request) -> Response:
        return phone_page()

    async def _join(self, request: Request) -> Response:
        cookie = request.cookies.get(COOKIE) or secrets.token_urlsafe(16)

        async def join() -> Response:
            code = await self._code(request)
            if not self._joins.take(_client(request)):
                raise Refused(429, "Too many are joining. Try again in a moment.")
            await self._ask(seat.join, code, cookie)
            response = JSONResponse({})
            response.set_cookie(
                COOKIE, cookie, max_age=int(LIFE_SECONDS), httponly=True, samesite="lax"
            )
            return response

        return await _answered(join())

    async def _answer(self, request: Request) -> Response:
        async def answer() -> Response:
            code, cookie = await self._code(request), request.cookies.get(COOKIE, "")
            if not self._answers.take(cookie):
                raise Refused(429, TOO_OFTEN)
            content = await _body(request)
            await self._ask(seat.answer, code, cookie, content.get("round"), content.get("answer"))
            return JSONResponse({})

        return await _answered(answer())

    async def _events(self, request: Request) -> Response:
        async def open_stream() -> Response:
            code, cookie = await self._code(request), request.cookies.get(COOKIE, "")
            if not self._streams.take(cookie):
                raise Refused(429, TOO_OFTEN)
            first = await self._ask(seat.view, code, cookie)
            return StreamingResponse(
                self._stream(code, cookie, first),
                media_type="text/event-stream",
                # A proxy must not gather events before it passes them on.
                headers={"cache-control": "no-store", "x-accel-buffering": "no"},
            )

        return await _answered(open_stream())

    async def _stream(self, code: str, cookie: str, view: dict[str, Any]) -> AsyncIterator[str]:
        """Yields what a student may know, whenever that changes, until the room ends."""
        # A page that was loaded again has a stream of its own, and its older one ends.
        mine = self._newest_stream[code, cookie] = object()
        try:
            yield f"retry: {1000 + secrets.randbelow(2000)}\n\n"
            version = view["version"]
            yield f"data: {json.dumps(view)}\n\n"
            while self._newest_stream.get((code, cookie)) is mine:
                newest = await self._changes.after(code, version, HEARTBEAT_SECONDS)
                if newest == OVER:
                    return
                if newest == version:
                    # Says to proxies that somebody is here, and finds out who is not.
                    yield ": \n\n"
                    continue
                view = await self._ask(seat.view, code, cookie)
                version = view["version"]
                yield f"data: {json.dumps(view)}\n\n"
        except (NoSuchRoom, NotJoined):
            yield 'data: {"phase": "ended"}\n\n'
        finally:
            if self._newest_stream.get((code, cookie)) is mine:
                del self._newest_stream[code, cookie]

    async def _ask(self, do: Callable[..., _T], *arguments: Any) -> _T:
        return await to_thread.run_sync(lambda: do(self._store(), *arguments))

    async def _code(self, request: Request) -> str:
        """The room that a request names.

        Raises:
            Refused: This address has tried too many codes.
            NoSuchRoom: None has it; said slowly.
        """
        code, client = request.path_params["code"].upper(), _client(request)
        if not self._wrong_codes.has(client):
            raise Refused(429, "Too many wrong codes. Wait a minute.")
        if not await self._ask(seat.exists, code):
            self._wrong_codes.take(client)
            await asyncio.sleep(SLOWED)
            raise NoSuchRoom("There is no such room.")
        return str(code)


async def _answered(work: Any) -> Response:
    """The answer of a piece of work, or the refusal that it ended in."""
    try:
        response: Response = await work
    except Refused as refusal:
        return JSONResponse({"error": str(refusal)}, status_code=refusal.status)
    except ValueError as error:
        status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
        return JSONResponse({"error": str(error)}, status_code=status)
    return response


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object that a request carries.

    Raises:
        Refused: It is long, or something else.
    """
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MAX_BODY:
            raise Refused(413, "That is too long.")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refused(422, "That is no answer.")
    return found


def _client(request: Request) -> str:
    return network_of(request.client.host) if request.client else ""
