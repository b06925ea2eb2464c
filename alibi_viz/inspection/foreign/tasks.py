"""What the child does with a foreign model: its tasks, from JSON to values of known classes.

The model that was asked for last stays open, and what it did with the last texts stays at hand.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from alibi_viz.child.attached import Attached
from alibi_viz.child.limits import allow
from alibi_viz.child.telling import tell_asker
from alibi_viz.inspection.adapters.given import GivenLayer
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.foreign.answers import LayersThere, Opened, SeenThere
from alibi_viz.inspection.foreign.wire import packed, unpacked
from alibi_viz.inspection.here import HereModel
from alibi_viz.inspection.loading import open_files
from alibi_viz.inspection.loading.boundary import boundary, is_memory_error
from alibi_viz.inspection.loading.files import ModelFiles, estimate_memory, examine
from alibi_viz.inspection.text.capture import Capture
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.words import plain_text

_READING_BYTES = 800_000_000
"""Memory for libraries, settings and tokenizers, before the weights count."""
_KEPT_CAPTURES = 2


@dataclass
class _Bench:
    """The one model that is open."""

    key: Any = None
    model: HereModel | None = None
    opened: Opened | None = None
    memory: int = 0
    """Bytes that the process may take while it is open."""
    captures: OrderedDict[Any, Capture] = field(default_factory=OrderedDict)

    def clear(self) -> None:
        """Lets go of everything."""
        self.key = self.model = self.opened = None
        self.captures.clear()


_bench = _Bench()


def quieten_library() -> None:
    """Keeps the library's progress bars and advice to itself."""
    from transformers.utils import logging

    library: Any = logging
    library.set_verbosity_error()
    library.disable_progress_bar()


def foreign_ready() -> bool:
    """Imports what every foreign model needs, so that the first one does not wait for it."""
    from transformers import modeling_utils
    from transformers.models.auto import modeling_auto

    quieten_library()
    with torch.device("meta"):
        torch.empty(1)
    return None not in (modeling_utils, modeling_auto)


def foreign_open(place: dict[str, Any]) -> Attached:
    """Opens a model, unless it is open.

    Args:
        place: The arguments of `_model`.
    """
    with _asked(place):
        _model(**place)
        return packed(_bench.opened)


def foreign_see(place: dict[str, Any], text: dict[str, str], change: Any) -> Attached:
    """Returns what a model does with a text.

    Args:
        place: The arguments of `_model`.
        text: See `told_text`.
        change: A `Change`, packed; or None.
    """
    with _asked(place):
        seen = _capture(_model(**place), text, change)
        if not isinstance(seen.layers[0], GivenLayer):
            return packed(SeenThere(seen, None))
        given = seen.layers[0].given
        sizes = (given.n_layer, given.n_head, given.length)
        return packed(SeenThere(replace(seen, layers=()), sizes))


def foreign_layers(
    place: dict[str, Any], text: dict[str, str], change: Any, start: int, stop: int
) -> Attached:
    """Returns the weights of some layers of what `foreign_see` left.

    Args:
        place: The arguments of `_model`.
        text: See `told_text`.
        change: A `Change`, packed; or None.
        start: First layer, counted from 0.
        stop: One past the last layer.
    """
    with _asked(place):
        seen = _capture(_model(**place), text, change)
        shown = seen.layers[start:stop]
        weights = tuple(layer.weights for layer in shown if isinstance(layer, GivenLayer))
        return packed(LayersThere(weights))


def foreign_overview(place: dict[str, Any], text: dict[str, str], change: Any) -> Attached:
    """Returns thumbnails and measures of all heads.

    Args:
        place: The arguments of `_model`.
        text: See `told_text`.
        change: A `Change`, packed; or None.
    """
    with _asked(place):
        model = _model(**place)
        seen = _capture(model, text, change)
        return packed(model.overview(seen, tell_asker, ""))


def foreign_verdict(place: dict[str, Any], long_length: int) -> Attached:
    """Returns the probe's verdict.

    Args:
        place: The arguments of `_model`.
        long_length: Tokens of the long text.
    """
    with _asked(place):
        return packed(_model(**place).verdict(tell_asker, long_length))


def told_text(told: dict[str, str]) -> str | bytes:
    """Returns a text as it was given: {"text": ...}, or {"latin-1": ...} for bytes."""
    return told["text"] if "text" in told else told["latin-1"].encode("latin-1")


@contextmanager
def _asked(place: dict[str, Any]) -> Iterator[None]:
    """Is the boundary around all that a foreign model makes happen; without memory it is closed."""
    allow(_READING_BYTES, place["seconds"])
    name = plain_text(Path(place["folder"]).name)
    try:
        with boundary(name, "does not run"):
            yield
    except UnreadableModel as error:
        if error.__cause__ is not None and is_memory_error(error.__cause__):
            _bench.clear()
        raise


def _model(folder: str, root: str, state: Any, length: int, seconds: float) -> HereModel:
    """Returns a model, opened if it is not open.

    Args:
        folder: Its directory.
        root: What all its files must lie in.
        state: Changes when its files do.
        length: Longest text that it will be shown, in tokens.
        seconds: Processor time for this task.
    """
    key = (folder, str(state))
    if _bench.key != key or _bench.model is None or _bench.opened is None:
        _bench.clear()
        files = examine(Path(folder), Path(root))
        size = estimate_memory(files, length).sentence
        tell_asker(0.0, f"loading: {files.directory.name} {size}")
        allow(_memory_for(files, length), seconds)
        _bench.model = HereModel(open_files(files, length=length))
        _bench.opened = Opened(files.directory.name, _bench.model.train_length, size)
        _bench.key = key
        _bench.memory = _memory_for(files, length)
        tell_asker(0.0, "")
    allow(_bench.memory, seconds)
    return _bench.model


def _memory_for(files: ModelFiles, length: int) -> int:
    """Returns what a model and its runs may take, in bytes: the files are mapped besides."""
    return _READING_BYTES + 3 * estimate_memory(files, length).needed


def _capture(model: HereModel, text: dict[str, str], change: Any) -> Capture:
    what: Change | None = None if change is None else unpacked(Attached(change, ()))
    content = told_text(text)
    key = (content, what)
    if key not in _bench.captures:
        before = _bench.captures.get((content, None))
        _bench.captures[key] = model.see(content, tell_asker, what, before)
        while len(_bench.captures) > _KEPT_CAPTURES:
            _bench.captures.popitem(last=False)
    _bench.captures.move_to_end(key)
    return _bench.captures[key]
