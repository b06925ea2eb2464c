"""The few children that hold foreign models: one model each, so that none waits for another's."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from alibi_viz.child.limits import USABLE, available_memory
from alibi_viz.child.process import ChildDied, WarmChild
from alibi_viz.child.telling import Tell

START_SECONDS = 300.0
"""A child that imports its libraries may take so long; no model is to blame for that."""
MOST_CHILDREN = 3
"""More models than these at a time take turns."""
# A model that nobody has asked for so long makes room for another one.
_FORGOTTEN_SECONDS = 600.0
_LEAST_MEMORY = 3 * 2**30


def foreign_child() -> WarmChild:
    """Returns a child for foreign models; it starts when it is first asked."""
    free = available_memory()
    usable = _LEAST_MEMORY if free is None else int(USABLE * free)
    return WarmChild(memory=max(_LEAST_MEMORY, usable))


def make_ready(child: WarmChild, told: Tell | None = None) -> None:
    """Starts a child that does not run, and waits until it can answer.

    Args:
        child: Of `foreign_child`.
        told: Called now and then meanwhile.

    Raises:
        ChildDied: It does not start.
    """
    if not child.is_running:
        child.ask("foreign_ready", seconds=START_SECONDS, told=told)


@dataclass
class _Slot:
    child: WarmChild
    model: str = ""
    """What it holds."""
    used: float = 0.0
    busy: bool = False


class Children:
    """Gives every model a child of its own, as long as there are enough."""

    def __init__(
        self, most: int = MOST_CHILDREN, start: Callable[[], WarmChild] = foreign_child
    ) -> None:
        self._most = most
        self._start = start
        self._slots: list[_Slot] = []
        self._changed = threading.Condition()

    @contextmanager
    def child_for(self, model: str) -> Iterator[WarmChild]:
        """Gives the child for one question about a model, when its turn has come.

        Args:
            model: Tells it from others.
        """
        with self._changed:
            while (slot := self._free(model)) is None:
                self._changed.wait()
            slot.busy, slot.model = True, model
        try:
            yield slot.child
        finally:
            with self._changed:
                slot.busy, slot.used = False, time.monotonic()
                self._changed.notify_all()

    def warm(self) -> None:
        """Starts a child, so that the first model does not wait for its libraries."""
        with suppress(ChildDied), self.child_for("") as child:
            make_ready(child)

    def stop(self) -> None:
        """Ends all children."""
        for slot in self._slots:
            slot.child.stop()

    def _free(self, model: str) -> _Slot | None:
        """Returns who answers for a model now; None as long as all are busy."""
        for slot in self._slots:
            if slot.model == model or not (slot.model or slot.busy):
                return None if slot.busy else slot
        idle = sorted((s for s in self._slots if not s.busy), key=lambda slot: slot.used)
        if idle and time.monotonic() - idle[0].used > _FORGOTTEN_SECONDS:
            return idle[0]
        if len(self._slots) < self._most:
            self._slots.append(_Slot(self._start()))
            return self._slots[-1]
        return idle[0] if idle else None
