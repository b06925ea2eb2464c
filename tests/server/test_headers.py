import base64
import hashlib

from alibi_viz.server.headers import SecurityHeaders
from tests.server.asgi import Inner, request

INLINE = "\n window.ready = false\n"


def headers(**options):
    index = f'<script>{INLINE}</script><script src="./x.js"></script>'
    return request(SecurityHeaders(Inner(), index=index, **options)).headers


def rules(**options):
    policy = headers(**options)["content-security-policy"]
    return {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}


def test_nothing_may_come_from_another_host():
    for name, sources in rules().items():
        assert not any("http" in source or source == "*" for source in sources), name


def test_only_the_index_pages_own_inline_script_runs():
    digest = base64.b64encode(hashlib.sha256(INLINE.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in rules()["script-src"]
    assert "'unsafe-inline'" not in rules()["script-src"]
    assert "'unsafe-eval'" not in rules()["script-src"]


def test_components_load_from_blobs():
    assert "blob:" in rules()["script-src"]


def test_only_the_apps_own_pages_frame_it_unless_told():
    assert rules()["frame-ancestors"] == ["'self'"]
    assert headers()["x-frame-options"] == "SAMEORIGIN"
    told = {"frame_ancestors": "'self' https://slides.example"}
    assert rules(**told)["frame-ancestors"] == ["'self'", "https://slides.example"]
    assert "x-frame-options" not in headers(**told)


def test_types_are_not_guessed():
    assert headers()["x-content-type-options"] == "nosniff"
