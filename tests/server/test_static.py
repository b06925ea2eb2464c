import asyncio
import gzip

import pytest

from alibi_viz.server import static
from alibi_viz.server.static import StaticInMemory
from tests.server.asgi import Inner, request, requested

SCRIPT = b"export const slope = 1 / 256;\n" * 100


@pytest.fixture
def app(tmp_path):
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "view.a1b2.js").write_bytes(SCRIPT)
    (tmp_path / "font.woff2").write_bytes(b"wOF2")
    return StaticInMemory(Inner(), folder=tmp_path, address="/static")


def test_a_script_comes_gzipped_to_stay(app):
    answer = request(app, "/static/js/view.a1b2.js", accept_encoding="br, gzip")
    assert gzip.decompress(answer.body) == SCRIPT
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"].startswith("text/javascript")


def test_a_crowd_has_it_packed_once(app, monkeypatch):
    packed = []
    monkeypatch.setattr(static.gzip, "compress", lambda data, mtime: packed.append(data) or b"x")

    async def crowd():
        ask = (requested(app, "/static/js/view.a1b2.js", accept_encoding="gzip") for _ in range(7))
        return await asyncio.gather(*ask)

    assert [answer.body for answer in asyncio.run(crowd())] == [b"x"] * 7
    assert packed == [SCRIPT]


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        ("/static/font.woff2", "gzip"),
        ("/static/js/view.a1b2.js", "identity"),
        ("/static/js/../js/view.a1b2.js", "gzip"),
        ("/static/js/none.js", "gzip"),
    ],
)
def test_all_else_goes_on(app, path, accepted):
    assert request(app, path, accept_encoding=accepted).body == b"inner"


def test_the_head_of_a_script_has_no_body(app):
    answer = request(app, "/static/js/view.a1b2.js", "HEAD", accept_encoding="gzip")
    assert answer.status == 200
    assert int(answer.headers["content-length"]) > 0
