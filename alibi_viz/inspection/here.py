"""A model opened in this process, and what is asked of it: the same for every model, wherever."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

import torch

from alibi_viz.child.telling import Tell
from alibi_viz.inspection.adapters.contract import Adapter
from alibi_viz.inspection.probe import LONG_LENGTH, STEPS, ProbeVerdict, probe
from alibi_viz.inspection.text.capture import Capture, Overview, capture, overview
from alibi_viz.inspection.text.what_if import Change, what_if
from alibi_viz.maths.windows import WINDOW_MASS

# Below this many parameters a second thread waits longer for the first than it helps.
_THREADS_FROM = 20_000_000
# Thumbnails have fewer cells where there are so many that each is drawn small.
_MANY_HEADS = 96
_THUMBNAIL, _SMALL_THUMBNAIL = 64, 32


class Model(Protocol):
    """A model that can be asked, in this process or in another one."""

    @property
    def train_length(self) -> int | None:
        """Tokens that one of this project's models was trained on; None for others."""

    @property
    def n_bytes(self) -> int:
        """What it takes of this process's memory."""

    def see(
        self, text: str | bytes, report: Tell, change: Change | None = None,
        before: Capture | None = None,
    ) -> Capture:  # fmt: skip
        """Returns what it does with a text.

        Args:
            text: Text, or bytes.
            report: Told how far the work is.
            change: What is done with the slopes; None for nothing.
            before: What it does without the change, where that is known.

        Raises:
            UnreadableModel: It cannot be run, reads no text, or has no slopes to change.
            ValueError: An empty text, or a change that does not fit it.
        """

    def overview(
        self, seen: Capture, report: Tell, text: str | bytes, change: Change | None = None
    ) -> Overview:
        """Returns thumbnails and measures of all layers and heads, of what `see` returned.

        Args:
            seen: What it does with the text.
            report: Told how far the work is.
            text: The text.
            change: What is done with the slopes.
        """

    def verdict(self, report: Tell, long_length: int = LONG_LENGTH) -> ProbeVerdict:
        """Returns the probe's verdict.

        Args:
            report: Told how far the work is.
            long_length: Tokens of the long text that roundings are looked for in.

        Raises:
            UnreadableModel: It cannot be read at all.
        """


@dataclass(frozen=True)
class HereModel:
    """A model in this process: our own, or, in the child, anybody's."""

    adapter: Adapter

    @property
    def train_length(self) -> int | None:
        """See `Model`."""
        config = self.adapter.facts.config.get("model")
        length = config.get("train_length") if isinstance(config, dict) else None
        return length if isinstance(length, int) else None

    @property
    def n_bytes(self) -> int:
        """See `Model`."""
        return sum(part.numel() * part.element_size() for part in self.adapter.model.parameters())

    def see(
        self, text: str | bytes, report: Tell, change: Change | None = None,
        before: Capture | None = None,
    ) -> Capture:  # fmt: skip
        """See `Model`."""
        with _threads_for(self.adapter), _layers_counted(self.adapter, report):
            if change is None:
                return capture(self.adapter, text)
            before = before or capture(self.adapter, text)
            limit = before.length
            return what_if(self.adapter, text, change, limit=limit, unchanged=before).changed

    def overview(
        self, seen: Capture, report: Tell, text: str | bytes, change: Change | None = None
    ) -> Overview:
        """See `Model`."""
        heads = seen.n_layer * seen.n_head
        size = _THUMBNAIL if heads <= _MANY_HEADS else _SMALL_THUMBNAIL

        def progress(done: int, count: int) -> None:
            report(done / count, "")

        return overview(seen, mass=WINDOW_MASS, size=size, progress=progress)

    def verdict(self, report: Tell, long_length: int = LONG_LENGTH) -> ProbeVerdict:
        """See `Model`."""
        steps = count()
        with _threads_for(self.adapter):
            return probe(
                self.adapter,
                long_length=long_length,
                progress=lambda words: report(next(steps) / STEPS, words),
            )


@contextmanager
def _threads_for(adapter: Adapter) -> Iterator[None]:
    """Computes with all cores where the model is large enough to gain by them."""
    parameters = sum(parameter.numel() for parameter in adapter.model.parameters())
    torch.set_num_threads((os.cpu_count() or 1) if parameters > _THREADS_FROM else 1)
    try:
        yield
    finally:
        torch.set_num_threads(1)


@contextmanager
def _layers_counted(adapter: Adapter, report: Tell) -> Iterator[None]:
    """Reports the share of the layers that a forward pass has left behind."""
    blocks: Any = getattr(adapter, "blocks", None) or getattr(adapter.model, "blocks", ())
    handles = [
        block.register_forward_hook(_reporting(report, (index + 1) / len(blocks)))
        for index, block in enumerate(blocks)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _reporting(report: Tell, done: float) -> Callable[..., None]:
    def after(module: Any, args: Any, output: Any) -> None:
        report(done, "")

    return after
