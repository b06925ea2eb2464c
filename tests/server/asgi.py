"""ASGI without a network: an app that notes what reaches it, and requests to it."""

import asyncio
from dataclasses import dataclass, field


@dataclass
class Answer:
    """What came back."""

    status: int = 0
    headers: dict = field(default_factory=dict)
    body: bytes = b""


class Inner:
    """Notes each scope that reaches it, and answers 200; `while_serving` runs meanwhile."""

    def __init__(self, while_serving=None):
        self.scopes = []
        self._while_serving = while_serving

    async def __call__(self, scope, receive, send):
        self.scopes.append(scope)
        if self._while_serving:
            await self._while_serving()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inner"})


def request(app, path="/", method="GET", body=b"", **headers):
    return asyncio.run(requested(app, path, method, body, **headers))


async def requested(app, path="/", method="GET", body=b"", **headers):
    return await answered(app, scope("http", path, method, headers), body)


async def answered(app, asked, body=b""):
    """What an app answers to an HTTP request of this scope."""
    answer = Answer()

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    await app(asked, receive, send)
    return answer


def scope(kind, path, method, headers):
    pairs = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return {
        "type": kind,
        "path": path,
        "method": method,
        "headers": pairs,
        "query_string": b"",
        "client": ("192.0.2.7", 4711),
    }


def converse(app, *incoming, **headers):
    """What an app sends to a websocket that sends these messages."""
    messages, sent = list(incoming), []

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope("websocket", "/_stcore/stream", "GET", headers), receive, send))
    return sent
