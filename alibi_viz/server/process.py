"""What the server's process needs besides requests: descriptors, regular work, a clean end."""

import asyncio
import contextlib
import gc
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from types import FrameType

from anyio import to_thread

if sys.platform != "win32":
    import resource

COLLECT_EVERY_SECONDS = 60.0


@contextlib.asynccontextmanager
async def collecting_garbage() -> AsyncIterator[None]:
    """Collects garbage once a minute while the block runs.

    Once for all, instead of after every rerun of anybody: with plotly loaded, Streamlit's own
    collection after each rerun (`runner.postScriptGC`, off in .streamlit/config.toml) took nine
    tenths of the server's time.
    """
    # What start-up made lives as long as the server: no collection needs to walk it again.
    gc.collect()
    gc.freeze()
    async with repeating(gc.collect, COLLECT_EVERY_SECONDS):
        yield


@contextlib.asynccontextmanager
async def repeating(do: Callable[[], object], every: float) -> AsyncIterator[None]:
    """Does something in a thread, again and again, while the block runs.

    Args:
        do: What to do.
        every: Seconds of rest before each time.
    """

    async def repeat() -> None:
        while True:
            await asyncio.sleep(every)
            await to_thread.run_sync(do)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()


@contextlib.contextmanager
def before_the_end(do: Callable[[], object]) -> Iterator[None]:
    """Does something as soon as the server is asked to end, while the block runs.

    The server first waits for its connections to close, and only then tells the app.

    Args:
        do: What to do, in the event loop.
    """
    loop = asyncio.get_running_loop()
    asked = (signal.SIGINT, signal.SIGTERM)
    servers = {number: signal.getsignal(number) for number in asked}

    def end(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(do)
        handler = servers[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in asked:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in servers.items():
            signal.signal(number, handler)


def take_descriptors() -> None:
    """Asks the system for as many open files as it grants, where it has such a limit."""
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
