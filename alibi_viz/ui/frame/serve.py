"""The app as a server runs it: Streamlit's own, with gates before it and a life round it."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from anyio import to_thread
from google.protobuf.message import DecodeError
from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from streamlit import config, file_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager

from alibi_viz import policy
from alibi_viz.files import remove_leftovers
from alibi_viz.paths import CACHE, PROJECT
from alibi_viz.rooms.store import rooms
from alibi_viz.server.changes import Changes
from alibi_viz.server.frames import WatchedFrames
from alibi_viz.server.gates import BoundedUploads, Closed, SameOrigin
from alibi_viz.server.headers import SecurityHeaders
from alibi_viz.server.log import bound_logs
from alibi_viz.server.process import (
    before_the_end,
    collecting_garbage,
    repeating,
    take_descriptors,
)
from alibi_viz.server.rooms import Phones
from alibi_viz.server.static import StaticInMemory
from alibi_viz.ui.trained import children

# What a visitor's browser has to say. The rest is for developers: it clears the caches of all,
# reads the repository, installs things.
TAKEN_FRAMES = frozenset({"rerun_script", "stop_script", "file_urls_request", "app_heartbeat"})
TAKEN_OPERATIONS = ("deferred_file", "dataframe_chunk")
# The longest that they have to say, in bytes: a pasted text of 1 MB, and all other controls.
LONGEST_FRAME = 4_000_000
# Whoever leaves waits for nothing: the script stops at its next command.
FAREWELL = BackMsg(stop_script=True).SerializeToString()
# What the first visitor would wait for; not torch, which most pages do without.
FIRST_NEEDED = ("pandas", "plotly.graph_objects", "alibi_viz.ui.frame.look")
# Rooms whose day is over go at the latest so much later.
FORGET_EVERY_SECONDS = 1800.0
_FOLDER = str(PROJECT).encode()
_CHANGES = Changes(lambda: rooms().versions())


def routes() -> list[BaseRoute]:
    """Returns what is served beside the app: the phones of a class."""
    return Phones(rooms, _CHANGES).routes(f"{_base()}/join")


def middleware() -> list[Middleware]:
    """Returns what requests pass before Streamlit sees them, the outermost first."""
    base = _base()
    static = Path(file_util.get_static_dir())
    closed = [f"{base}/_stcore/{name}" for name in ("metrics", "agent/openapi.json")]
    return [
        Middleware(
            SecurityHeaders,
            index=(static / "index.html").read_text(encoding="utf-8"),
            frame_ancestors=policy.framed_by(),
        ),
        Middleware(SameOrigin, allowed=policy.other_origins()),
        Middleware(Closed, addresses=closed),
        Middleware(
            BoundedUploads,
            address=f"{base}/_stcore/upload_file",
            are_allowed=policy.uploads_are_allowed,
            held=_uploaded,
        ),
        Middleware(StaticInMemory, folder=static / "static", address=f"{base}/static"),
        Middleware(WatchedFrames, takes=is_a_visitors, sends=without_paths, farewell=FAREWELL),
    ]


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Is the server's life: what it does before the first visitor, beside all, and after the last.

    Args:
        app: The app; unused.
    """
    bound_logs()
    take_descriptors()
    # Else whoever's first request is a deep link gets that page's file alone, without app.py.
    PagesManager.uses_pages_directory = False
    for module in FIRST_NEEDED:
        import_module(module)
    children.warm()
    await to_thread.run_sync(remove_leftovers, CACHE)
    await to_thread.run_sync(rooms().forget_ended)
    async with collecting_garbage(), repeating(rooms().forget_ended, FORGET_EVERY_SECONDS):
        with before_the_end(_CHANGES.end):
            print(f"ALiBi Viz is ready: {opened_at()}", flush=True)
            yield


def explain(error: Exception) -> bool:
    """Says what a page needs that is not installed; returns whether that was it.

    Args:
        error: What ended a page's script.
    """
    if isinstance(error, ModuleNotFoundError) and policy.is_of_models(error):
        st.info(f"{policy.NO_MODELS}. Then start the app again.")
        return True
    return False


def opened_at() -> str:
    """Returns where the app can be opened; nobody on the network is asked for it."""
    host = config.get_option("server.address") or "0.0.0.0"
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    port = config.get_option("server.port")

    def url(name: str) -> str:
        return f"{scheme}://{name}:{port}{_base()}"

    if host not in ("0.0.0.0", "::"):
        return url(host)
    return f"{url('localhost')}, and {url(socket.gethostname())} for other machines"


def _base() -> str:
    """The path that all addresses begin with; "" at the root of a site."""
    path = config.get_option("server.baseUrlPath").strip("/")
    return f"/{path}" if path else ""


def _uploaded() -> dict[str, int]:
    """Bytes of the uploaded files that Streamlit holds, by session."""
    manager = get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager), "its only kind"
    # Copied first: other threads add and remove files meanwhile.
    return {
        session: sum(len(file.data) for file in list(files.values()))
        for session, files in list(manager.file_storage.items())
    }


def is_a_visitors(frame: bytes) -> bool:
    """Returns whether visitors have to send such a frame; a broken one is Streamlit's to refuse."""
    if len(frame) > LONGEST_FRAME:
        return False
    message = BackMsg()
    try:
        message.ParseFromString(frame)
    except DecodeError:
        return True
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in TAKEN_OPERATIONS
    return kind in TAKEN_FRAMES


def without_paths(frame: bytes) -> bytes:
    """Returns a frame without the script's path, which Streamlit tells every visitor."""
    if _FOLDER not in frame:
        return frame
    message = ForwardMsg()
    message.ParseFromString(frame)
    if message.HasField("new_session"):
        message.new_session.main_script_path = ""
    content: bytes = message.SerializeToString()
    return content
