"""Streams that sleep until something changes in a file that other processes write as well."""

import asyncio
from collections.abc import Callable, Mapping

from anyio import to_thread

LOOK_EVERY_SECONDS = 0.25
# What a stream hears instead of a version when the server ends.
OVER = -1


class Changes:
    """Looks at versions four times a second, once for all streams of a process, while any waits."""

    def __init__(self, versions: Callable[[], Mapping[str, int]]) -> None:
        """Keeps how to look.

        Args:
            versions: Returns the version of each thing there is, by its code; called in a thread.
        """
        self._versions = versions
        self._waiting: dict[str, dict[asyncio.Future[int], int]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._is_over = False

    async def after(self, code: str, version: int, patience: float) -> int:
        """Returns the version that follows one, or the same once patience is at its end.

        Args:
            code: The thing.
            version: What the stream has told last; a thing that is gone has version 0.
            patience: Seconds.
        """
        if self._is_over:
            return OVER
        change = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(code, {})
        waiting[change] = version
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            return await asyncio.wait_for(change, patience)
        except TimeoutError:
            return version
        finally:
            del waiting[change]
            if not waiting and self._waiting.get(code) is waiting:
                del self._waiting[code]

    def end(self) -> None:
        """Ends all streams: a server waits for its connections before it goes."""
        self._is_over = True
        for waiting in self._waiting.values():
            for change in waiting:
                _tell(change, OVER)

    async def _look(self) -> None:
        while self._waiting:
            versions = await to_thread.run_sync(self._versions)
            for code, waiting in self._waiting.items():
                newest = versions.get(code, 0)
                for change, version in waiting.items():
                    if newest != version:
                        _tell(change, newest)
            await asyncio.sleep(LOOK_EVERY_SECONDS)


def _tell(change: asyncio.Future[int], version: int) -> None:
    if not change.done():
        change.set_result(version)
