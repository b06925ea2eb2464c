"""Static files, gzipped once and kept in memory.

Streamlit sends its scripts as they are, because it would compress them again for each request: 4.9
MB for a first page, of which 1.3 MB is left.
"""

import asyncio
import gzip
from pathlib import Path

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

# Pictures and fonts are compressed in themselves.
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}


class StaticInMemory:
    """Answers requests for the compressible files of a folder; all others go on."""

    def __init__(self, app: ASGIApp, *, folder: Path, address: str) -> None:
        """Lists the folder; a file is read when it is first asked for.

        Args:
            app: What answers everything else.
            folder: Files whose names change with their content, so that browsers may keep them.
            address: Path under which they are served, e.g. "/static".
        """
        self._app = app
        self._files = {
            f"{address}/{path.relative_to(folder).as_posix()}": path
            for path in folder.rglob("*")
            if path.suffix in TYPES
        }
        self._packed: dict[str, asyncio.Future[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves the request."""
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            path = self._files.get(scope["path"])
            if path is not None and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
                headers = {
                    "content-encoding": "gzip",
                    "cache-control": "public, immutable, max-age=31536000",
                    "vary": "Accept-Encoding",
                }
                content = await self._content(scope["path"], path)
                response = Response(content, headers=headers, media_type=TYPES[path.suffix])
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _content(self, address: str, path: Path) -> bytes:
        """The file's gzipped content; whoever asks while it is being packed waits for it."""
        if address not in self._packed:
            packing = to_thread.run_sync(lambda: gzip.compress(path.read_bytes(), mtime=0))
            self._packed[address] = asyncio.ensure_future(packing)
        # A visitor who leaves meanwhile must not take the content from the others.
        return await asyncio.shield(self._packed[address])
