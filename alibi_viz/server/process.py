"""What the server's process needs besides requests: descriptors, and memory given back."""

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator

from anyio import to_thread

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
    task = asyncio.create_task(_collect_forever())
    try:
        yield
    finally:
        task.cancel()


async def _collect_forever() -> None:
    while True:
        await asyncio.sleep(COLLECT_EVERY_SECONDS)
        await to_thread.run_sync(gc.collect)


def take_descriptors() -> None:
    """Asks the system for as many open files as it grants, where it asks to be asked."""
    with contextlib.suppress(ImportError):
        # Windows has no such module, and no such limit.
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
