"""Requests that never reach the app: foreign origins, closed addresses, uploads beyond bounds."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from alibi_viz.rates import network_of

# Uploads that are held at a time, in bytes: one visitor's, those of one network, which a class may
# share, and all together.
MAX_UPLOADED = 4_000_000
MAX_UPLOADED_FROM = 32_000_000
MAX_UPLOADED_IN_ALL = 64_000_000
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class SameOrigin:
    """Lets a page of another site neither open a websocket here nor change anything.

    Streamlit asks the network for this machine's external address before it refuses an origin, and
    answers nobody meanwhile. So it sees none: an Origin is judged here, and what passes is without.
    """

    def __init__(self, app: ASGIApp, *, allowed: Collection[str] = ()) -> None:
        """Keeps the list.

        Args:
            app: What answers requests that may pass.
            allowed: Other origins that may pass, e.g. "https://alibi.example.org": a reverse proxy
                that sends its own Host header makes the site's origin look foreign.
        """
        self._app = app
        self._allowed = frozenset(origin.lower() for origin in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves the request."""
        if scope["type"] in ("http", "websocket"):
            headers = MutableHeaders(scope=scope)
            if "origin" in headers:
                if self._is_ours(headers["origin"], headers.get("host", "")):
                    del headers["origin"]
                elif scope["type"] == "websocket":
                    await send({"type": "websocket.close", "code": 1008})
                    return
                elif scope["method"] not in SAFE_METHODS:
                    await _refuse(403, "This comes from another site.", scope, receive, send)
                    return
        await self._app(scope, receive, send)

    def _is_ours(self, origin: str, host: str) -> bool:
        origin = origin.lower()
        try:
            named = urlsplit(origin).netloc
        except ValueError:
            # Brackets that do not close, or characters that are none in a name.
            return False
        return bool(host) and (origin in self._allowed or named == host.lower())


class Closed:
    """Answers 404 for addresses that are nobody's business."""

    def __init__(self, app: ASGIApp, *, addresses: Collection[str]) -> None:
        """Keeps the list.

        Args:
            app: What answers everything else.
            addresses: Paths, exactly.
        """
        self._app = app
        self._addresses = frozenset(addresses)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves the request."""
        if scope["type"] == "http" and scope["path"].rstrip("/") in self._addresses:
            await _refuse(404, "Not found", scope, receive, send)
            return
        await self._app(scope, receive, send)


class BoundedUploads:
    """Refuses uploads that are switched off, or more than this server holds at a time."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        address: str,
        are_allowed: Callable[[], bool],
        held: Callable[[], Mapping[str, int]],
    ) -> None:
        """Keeps where uploads go.

        Args:
            app: What takes uploads that are within bounds.
            address: Path below which they are put: `address`/session/file.
            are_allowed: Whether visitors may upload at all.
            held: Returns the bytes that are held for each session.
        """
        self._app = app
        self._address = f"{address}/"
        self._are_allowed, self._held = are_allowed, held
        self._coming: Counter[str] = Counter()
        # Where each session that holds something uploads from.
        self._from: dict[str, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves the request."""
        inside = scope["type"] == "http" and scope["path"].startswith(self._address)
        if not inside or scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        session = scope["path"].removeprefix(self._address).split("/")[0]
        length = Headers(scope=scope).get("content-length", "")
        client = network_of(scope["client"][0]) if scope.get("client") else ""
        refusal = self._refusal(session, client, length)
        if refusal is not None:
            await _refuse(*refusal, scope, receive, send)
            return
        self._coming[session] += int(length)
        self._from[session] = client
        try:
            await self._app(scope, receive, send)
        finally:
            self._coming[session] -= int(length)
            self._coming = +self._coming

    def _refusal(self, session: str, client: str, length: str) -> tuple[int, str] | None:
        """Status and words for an upload that is not taken, or None."""
        if not self._are_allowed():
            return 403, "Uploads are switched off on this server."
        if not length.isdecimal():
            return 411, "Say how long it is."
        held = self._coming + Counter(self._held())
        if held[session] + int(length) > MAX_UPLOADED:
            return 413, f"This is more than the {MAX_UPLOADED:,} bytes that a visitor may upload."
        self._from = {holder: place for holder, place in self._from.items() if held[holder]}
        network = sum(held[holder] for holder, place in self._from.items() if place == client)
        if network + int(length) > MAX_UPLOADED_FROM:
            return 503, "Your network holds as many uploads as it may. Try again in a few minutes."
        if held.total() + int(length) > MAX_UPLOADED_IN_ALL:
            return 503, "This server holds as many uploads as it can. Try again in a few minutes."
        return None


async def _refuse(status: int, words: str, scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(words, status_code=status)(scope, receive, send)
