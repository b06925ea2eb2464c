import asyncio

import pytest

from alibi_viz.server import gates
from alibi_viz.server.gates import BoundedUploads, Closed, SameOrigin
from tests.server.asgi import Inner, answered, converse, request, requested, scope

HOST = "viz.example:8501"


@pytest.mark.parametrize(
    "origin",
    [
        *("https://elsewhere.example", "null", "http://viz.example:8502", "http://"),
        "http://[viz.example:8501",
    ],
)
def test_a_websocket_of_another_site_is_closed_before_the_app_hears_of_it(origin):
    inner = Inner()
    sent = converse(SameOrigin(inner), host=HOST, origin=origin)
    assert sent == [{"type": "websocket.close", "code": 1008}]
    assert inner.scopes == []


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_another_site_changes_nothing(method):
    inner = Inner()
    answer = request(
        SameOrigin(inner), method=method, host=HOST, origin="https://elsewhere.example"
    )
    assert answer.status == 403
    assert inner.scopes == []


def test_another_site_may_link_to_the_app():
    assert request(SameOrigin(Inner()), host=HOST, origin="https://elsewhere.example").status == 200


@pytest.mark.parametrize("origin", ["http://viz.example:8501", "https://VIZ.example:8501"])
def test_the_apps_own_pages_pass_without_an_origin_that_streamlit_might_ask_about(origin):
    inner = Inner()
    request(SameOrigin(inner), method="PUT", host=HOST, origin=origin)
    assert b"origin" not in dict(inner.scopes[0]["headers"])


@pytest.mark.parametrize("host", ["inside:8501", "inside/8501", "a@b", "[", ""])
def test_an_origin_that_is_allowed_passes_whatever_the_host_is_called(host):
    inner = Inner()
    app = SameOrigin(inner, allowed=["https://Outside.example"])
    request(app, method="PUT", host=host, origin="https://outside.example")
    assert [b"origin" in dict(scope["headers"]) for scope in inner.scopes] == [False] * bool(host)


def test_programs_without_an_origin_pass():
    assert request(SameOrigin(Inner()), method="PUT", host=HOST).status == 200


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/"])
def test_a_closed_address_is_not_found(path):
    app = Closed(Inner(), addresses=["/_stcore/metrics"])
    assert request(app, path).status == 404
    assert request(app, "/_stcore/health").status == 200


def uploads(inner=None, *, on=True, held=None):
    return BoundedUploads(
        inner or Inner(), address="/up", are_allowed=lambda: on, held=lambda: held or {}
    )


def upload(app, session="a", length=1000):
    return requested(app, f"/up/{session}/file", "PUT", content_length=str(length))


def test_uploads_that_are_off_are_refused_at_the_address():
    inner = Inner()
    assert asyncio.run(upload(uploads(inner, on=False))).status == 403
    assert inner.scopes == []


def test_an_upload_of_unknown_length_is_refused():
    assert request(uploads(), "/up/a/file", "PUT").status == 411
    assert request(uploads(), "/up/a/file", "PUT", content_length="-3").status == 411


def test_one_visitor_uploads_so_much_and_all_so_much(monkeypatch):
    monkeypatch.setattr(gates, "MAX_UPLOADED", 5000)
    monkeypatch.setattr(gates, "MAX_UPLOADED_IN_ALL", 7000)
    full = uploads(held={"a": 4500, "b": 2000})
    assert asyncio.run(upload(full, "a", 501)).status == 413
    assert asyncio.run(upload(full, "a", 500)).status == 200
    assert asyncio.run(upload(full, "c", 501)).status == 503


def test_one_network_does_not_take_the_room_of_all_others(monkeypatch):
    monkeypatch.setattr(gates, "MAX_UPLOADED_FROM", 5000)
    held = {}
    app = BoundedUploads(Inner(), address="/up", are_allowed=lambda: True, held=lambda: dict(held))

    def put(session, client):
        given = scope("http", f"/up/{session}/file", "PUT", {"content_length": "2000"})
        status = asyncio.run(answered(app, {**given, "client": (client, 1)})).status
        if status == 200:
            held[session] = 2000
        return status

    given = zip("abc", ("2001:db8::1", "2001:db8::2", "2001:db8::3"), strict=True)
    assert [put(session, client) for session, client in given] == [200, 200, 503]
    assert put("d", "192.0.2.8") == 200
    # Room is given back with the session.
    del held["a"]
    assert put("c", "2001:db8::3") == 200


def test_uploads_that_are_on_their_way_count(monkeypatch):
    monkeypatch.setattr(gates, "MAX_UPLOADED", 5000)

    async def crowd():
        go = asyncio.Event()
        app = uploads(Inner(while_serving=go.wait))
        first = asyncio.ensure_future(upload(app, "a", 3000))
        await asyncio.sleep(0)
        second = await upload(app, "a", 3000)
        go.set()
        await first
        return second.status, (await upload(app, "a", 3000)).status

    assert asyncio.run(crowd()) == (413, 200)


def test_taking_an_upload_back_is_always_allowed():
    assert request(uploads(on=False), "/up/a/file", "DELETE").status == 200
