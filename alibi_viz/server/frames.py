"""The frames of a websocket, looked at in both directions."""

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class WatchedFrames:
    """Drops frames that no visitor needs, changes what is sent, and says goodbye for who leaves."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        takes: Callable[[bytes], bool],
        sends: Callable[[bytes], bytes],
        farewell: bytes,
    ) -> None:
        """Keeps what to do.

        Args:
            app: What speaks with the visitor.
            takes: Whether a visitor's frame is passed on.
            sends: Returns what a frame to a visitor becomes.
            farewell: A frame that the app gets when a visitor is gone, as if it came from there.
        """
        self._app = app
        self._takes, self._sends, self._farewell = takes, sends, farewell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves the connection."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        gone: list[Message] = []

        async def receive_watched() -> Message:
            if gone:
                return gone[0]
            message = await receive()
            while message["type"] == "websocket.receive" and not self._passes(message):
                message = await receive()
            if message["type"] == "websocket.disconnect":
                gone.append(message)
                return {"type": "websocket.receive", "bytes": self._farewell}
            return message

        async def send_watched(message: Message) -> None:
            if message["type"] == "websocket.send" and message.get("bytes"):
                message = {**message, "bytes": self._sends(message["bytes"])}
            await send(message)

        await self._app(scope, receive_watched, send_watched)

    def _passes(self, message: Message) -> bool:
        content = message.get("bytes")
        # A text frame is not of the protocol; the app closes the connection.
        return content is None or self._takes(content)
