from alibi_viz.server.frames import WatchedFrames
from tests.server.asgi import converse, request

GONE = {"type": "websocket.disconnect", "code": 1001}


def frame(content):
    return {"type": "websocket.receive", "bytes": content}


async def echo(scope, receive, send):
    """Sends what it hears, until the visitor is gone."""
    while (message := await receive())["type"] != "websocket.disconnect":
        await send({"type": "websocket.send", "bytes": message["bytes"]})
    await send({"type": "heard the end"})


def watched(app):
    return WatchedFrames(
        app,
        takes=lambda content: content != b"clear",
        sends=lambda content: content.replace(b"/home/me", b""),
        farewell=b"stop",
    )


def test_frames_that_no_visitor_needs_are_dropped():
    sent = converse(watched(echo), frame(b"run"), frame(b"clear"), frame(b"clear"), GONE)
    assert [message.get("bytes") for message in sent] == [b"run", b"stop", None]


def test_what_is_sent_is_changed():
    sent = converse(watched(echo), frame(b"in /home/me/app.py"), GONE)
    assert sent[0]["bytes"] == b"in /app.py"


def test_the_app_hears_a_farewell_and_then_the_end():
    sent = converse(watched(echo), GONE)
    assert sent == [{"type": "websocket.send", "bytes": b"stop"}, {"type": "heard the end"}]


def test_requests_without_frames_go_through():
    async def plain(scope, receive, send):
        await send({"type": "http.response.start", "status": 204, "headers": []})

    assert request(watched(plain)).status == 204
