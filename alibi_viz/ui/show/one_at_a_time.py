"""Work of all visitors, one piece at a time in one thread; who asks for the same gets the same.

Forward passes share the machine's cores and memory: two at once would take as long each, and twice
the memory. The thread that runs a page only waits, and so can show progress meanwhile.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from alibi_viz.child.telling import Tell
from alibi_viz.ui.show.plain import unmarked

Result = TypeVar("Result")
# A bar for work that ends before it is read would only flash.
QUIET_SECONDS = 0.4
POLL_SECONDS = 0.1
# Work that nobody has waited for so long is given up, so that the next one does not wait for it.
ABANDONED_SECONDS = 5.0


class Abandoned(Exception):  # no error: it ends work that nobody waits for
    """Raised inside work to end it."""


@dataclass
class Piece:
    """A piece of work, done or not."""

    future: Future[Any]
    size_of: Callable[[Any], int]
    done: float = 0.0
    wanted: float = field(default_factory=time.monotonic)
    """When somebody waited for it last."""

    def require_wanted(self) -> None:
        """Raises `Abandoned` when nobody waits any more: whoever asked has left, or goes on."""
        if time.monotonic() - self.wanted > ABANDONED_SECONDS:
            raise Abandoned

    @property
    def size(self) -> int:
        """Bytes that the result takes; 0 while there is none."""
        is_ready = self.future.done() and self.future.exception() is None
        return self.size_of(self.future.result()) if is_ready else 0


@dataclass
class Shelf:
    """Results of one kind, the newest ones kept up to a size."""

    max_bytes: int
    """Older results are dropped while all together take more."""
    keep: int
    """Results that are kept whatever they take."""
    pieces: OrderedDict[Hashable, Piece] = field(default_factory=OrderedDict)

    def drop_oldest(self) -> None:
        """Drops what is beyond the limits; whoever waits for it still gets it."""
        while len(self.pieces) > self.keep:
            if sum(piece.size for piece in self.pieces.values()) <= self.max_bytes:
                return
            self.pieces.popitem(last=False)


class OneAtATime:
    """The one thread, and the shelves of its results."""

    def __init__(self, shelves: dict[str, Shelf], *, threads: int = 1) -> None:
        self._shelves = shelves
        self._lock = threading.Lock()
        # More than one where the work is done elsewhere, and the threads only wait for it.
        self._thread = ThreadPoolExecutor(threads, thread_name_prefix="models")

    def ask(
        self,
        shelf: str,
        key: Hashable,
        work: Callable[[Tell], Result],
        size_of: Callable[[Result], int],
    ) -> Piece:
        """Returns the piece of work of that key, started if nobody asked for it before.

        Args:
            shelf: Where to keep the result.
            key: Everything that the result depends on.
            work: What to do; is given a function that takes the share that is done.
            size_of: Bytes that a result takes.
        """
        pieces = self._shelves[shelf].pieces
        with self._lock:
            piece = pieces.get(key)
            if piece is None or _has_failed(piece):
                piece = Piece(Future(), size_of)
                pieces[key] = piece
                piece.future = self._thread.submit(_work_on, piece, work)
            piece.wanted = time.monotonic()
            pieces.move_to_end(key)
            self._shelves[shelf].drop_oldest()
        return piece

    def is_ready(self, shelf: str, key: Hashable) -> bool:
        """Returns whether the result of that key is there."""
        piece = self._shelves[shelf].pieces.get(key)
        return piece is not None and piece.future.done() and not _has_failed(piece)


def _work_on(piece: Piece, work: Callable[[Tell], Result]) -> Result:
    """Does a piece of work, as long as somebody waits for it."""

    def report(done: float, words: str = "") -> None:
        piece.done = done
        piece.require_wanted()

    piece.require_wanted()
    return work(report)


def _has_failed(piece: Piece) -> bool:
    """A failure is told once: the file may be mended by the next time."""
    return piece.future.done() and piece.future.exception() is not None


def wait_for(piece: Piece, words: str) -> Any:
    """Returns the result, and says here what is being computed while it is not there.

    Args:
        piece: What `OneAtATime.ask` returned.
        words: What is being done.

    Raises:
        Exception: Whatever the work raised.
    """
    try:
        return piece.future.result(timeout=QUIET_SECONDS)
    except TimeoutError:
        if piece.future.done():
            # It ended just after the wait, or the work itself raised this.
            return piece.future.result()
    place = st.empty()
    while not piece.future.done():
        piece.wanted = time.monotonic()
        place.progress(min(max(piece.done, 0.0), 1.0), text=unmarked(f"{words} …"))
        try:
            piece.future.result(timeout=POLL_SECONDS)
        except TimeoutError:
            continue
    place.empty()
    return piece.future.result()
