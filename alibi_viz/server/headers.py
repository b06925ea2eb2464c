"""What browsers are told about every answer: where content may come from, and who may frame it."""

import base64
import hashlib
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# Streamlit loads the scripts of components from blobs, and sets styles as it draws. Nothing comes
# from another host.
POLICY = (
    "default-src 'self'; script-src 'self' blob: 'wasm-unsafe-eval' {inline}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "worker-src 'self' blob:; frame-src 'self' blob: data:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors {ancestors}"
)


class SecurityHeaders:
    """Adds the headers to every answer that does not bring its own."""

    def __init__(self, app: ASGIApp, *, index: str, frame_ancestors: str = "'self'") -> None:
        """Writes the headers down.

        Args:
            app: What answers.
            index: The page that loads the app; its inline scripts are the only ones that run.
            frame_ancestors: Who may show the app in a frame, as a Content-Security-Policy has it.
        """
        self._app = app
        inline = " ".join(f"'sha256-{_digest(script)}'" for script in _INLINE.findall(index))
        self._headers = {
            "content-security-policy": POLICY.format(inline=inline, ancestors=frame_ancestors),
            "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
        }
        # For browsers that know no frame-ancestors; it has no word for a list of hosts.
        old = {"'self'": "SAMEORIGIN", "'none'": "DENY"}.get(frame_ancestors)
        if old:
            self._headers["x-frame-options"] = old

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves the request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
