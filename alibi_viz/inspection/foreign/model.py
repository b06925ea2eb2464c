"""The server's end of a foreign model: every question goes to the child, none is answered here."""

import os
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from alibi_viz.child.process import ChildDied, TaskRefused
from alibi_viz.child.telling import Tell
from alibi_viz.inspection.adapters.given import GivenLayer, GivenWeights
from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.inspection.foreign.answers import LayersThere, Opened, SeenThere
from alibi_viz.inspection.foreign.children import Children, make_ready
from alibi_viz.inspection.foreign.wire import packed, unpacked
from alibi_viz.inspection.loading.files import ESTIMATE_LENGTH
from alibi_viz.inspection.probe import LONG_LENGTH, ProbeVerdict
from alibi_viz.inspection.text.capture import Capture, Overview
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.words import plain_text

LEAST_SECONDS = 30.0
"""Processor time for one question about a small model."""
SECONDS_A_GIGABYTE, MOST_SECONDS = 300.0, 1200.0
"""Time more for each gigabyte of the weights' files, up to the most; on each core."""
BUSY = 4.0
"""By the clock it may take so much longer, on a machine that others use too."""


def _nothing(done: float, words: str) -> None:
    """Hears how far the work is, and tells nobody."""


@dataclass(frozen=True)
class ForeignModel:
    """A model in a folder, asked in a child; `Model` says what can be asked."""

    children: Children
    folder: Path
    root: Path
    """Folder that all its files must lie in."""
    length: int = ESTIMATE_LENGTH
    """Longest text that it will be shown, in tokens."""
    seconds: float | None = None
    """Processor time for one question; by the size of its files, if left out."""
    opened: Opened | None = None
    """What is known of it since it was opened."""

    @property
    def train_length(self) -> int | None:
        """See `Model`."""
        return None if self.opened is None else self.opened.train_length

    @property
    def n_bytes(self) -> int:
        """See `Model`: nothing, since it lies in the child."""
        return 0

    def open(self, report: Tell = _nothing) -> "ForeignModel":
        """Returns the model, opened.

        Args:
            report: Told how far the work is.

        Raises:
            UnreadableModel: It cannot be opened; the message names file and reason.
        """
        return replace(self, opened=self._ask("foreign_open", report))

    def see(
        self, text: str | bytes, report: Tell, change: Change | None = None,
        before: Capture | None = None,
    ) -> Capture:  # fmt: skip
        """See `Model`."""
        asked = _told(text, change)
        seen: SeenThere = self._ask("foreign_see", report, **asked)
        if seen.given is None:
            return seen.capture

        def run(layers: range) -> list[Any]:
            there: LayersThere = self._ask(
                "foreign_layers", _nothing, **asked, start=layers.start, stop=layers.stop
            )
            return list(there.weights)

        given = GivenWeights(run, *seen.given, threading.RLock())
        layers = tuple(GivenLayer(given, index) for index in range(given.n_layer))
        return replace(seen.capture, layers=layers)

    def overview(
        self, seen: Capture, report: Tell, text: str | bytes, change: Change | None = None
    ) -> Overview:
        """See `Model`."""
        found: Overview = self._ask("foreign_overview", report, **_told(text, change))
        return found

    def verdict(self, report: Tell, long_length: int = LONG_LENGTH) -> ProbeVerdict:
        """See `Model`."""
        found: ProbeVerdict = self._ask("foreign_verdict", report, long_length=long_length)
        return found

    def _ask(self, task: str, report: Tell, **arguments: Any) -> Any:
        name = plain_text(self.folder.name)
        seconds = self.seconds or _seconds_for(self.folder)
        place = {
            "folder": str(self.folder),
            "root": str(self.root),
            "state": folder_state(self.folder),
            "length": self.length,
            # Only large models are run on all cores.
            "seconds": seconds * ((os.cpu_count() or 1) if seconds > 2 * LEAST_SECONDS else 1),
        }
        try:
            with self.children.child_for(str(self.folder)) as child:
                make_ready(child, report)
                answer = child.ask(
                    task, seconds=BUSY * seconds, told=report, place=place, **arguments
                )
            return unpacked(answer)
        except TaskRefused as error:
            kind = UnfitAsking if error.kind == UnfitAsking.__name__ else UnreadableModel
            raise kind(plain_text(str(error))) from error
        except (ChildDied, ValueError) as error:
            raise UnreadableModel(
                f"{name} cannot be looked into: {plain_text(str(error))}"
            ) from error


def folder_state(folder: Path) -> str:
    """Returns what changes when the files of a model do; whatever lies there is not opened.

    Args:
        folder: The model's directory.
    """
    return ascii(sorted((path.name, at.st_mtime_ns, at.st_size) for path, at in _files(folder)))


def _seconds_for(folder: Path) -> float:
    size = sum(at.st_size for path, at in _files(folder) if path.suffix == ".safetensors")
    return min(LEAST_SECONDS + SECONDS_A_GIGABYTE * size / 1e9, MOST_SECONDS)


def _files(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Returns the files that a model may consist of, as far as they can be seen."""
    found = []
    with suppress(OSError):
        for path in (*folder.glob("*.json"), *folder.glob("*.safetensors")):
            with suppress(OSError):
                found.append((path, path.stat()))
    return found


def _told(text: str | bytes, change: Change | None) -> dict[str, Any]:
    """Returns a text and a change as JSON can hold them."""
    given = {"text": text} if isinstance(text, str) else {"latin-1": text.decode("latin-1")}
    return {"text": given, "change": None if change is None else packed(change).value}
