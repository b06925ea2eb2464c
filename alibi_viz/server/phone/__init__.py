"""The page that students have on their phones: one file, made for slow networks."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from starlette.responses import HTMLResponse, Response

_HERE = Path(__file__).parent


def phone_page() -> Response:
    """Returns the page; it finds out by its own address which room it is in."""
    content, policy = _page()
    headers = {"cache-control": "no-cache", "content-security-policy": policy}
    return HTMLResponse(content, headers=headers)


@cache
def _page() -> tuple[str, str]:
    """The page, and the policy that lets its own script and style work, and none besides."""
    script, style = (_read(name) for name in ("page.js", "page.css"))
    content = _read("page.html").replace("{style}", style).replace("{script}", script)
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return content, policy


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
