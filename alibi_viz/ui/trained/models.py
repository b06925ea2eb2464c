"""Trained models, what they do with a text, and the probe's verdict: each computed once for all.

What is returned is shared by all visitors and never changed.
"""

import hashlib
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import streamlit as st
import torch

from alibi_viz.charts.trained.run import Run
from alibi_viz.inspection.adapters.contract import Adapter
from alibi_viz.inspection.loading import fetch_from_hub, open_files
from alibi_viz.inspection.loading.files import estimate_memory, examine
from alibi_viz.inspection.probe import STEPS, ProbeVerdict, probe
from alibi_viz.inspection.text.capture import Capture, Overview, capture, overview
from alibi_viz.inspection.text.what_if import Change, WhatIf, what_if
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.ui.show.one_at_a_time import OneAtATime, Report, Shelf, wait_for
from alibi_viz.ui.trained.offered import label_of, policy, source_of
from alibi_viz.ui.trained.texts import ChosenText

# Below this many parameters a second thread waits longer for the first than it helps.
THREADS_FROM = 20_000_000
# Thumbnails have fewer cells where there are so many that each is drawn small.
MANY_HEADS = 96
THUMBNAIL, SMALL_THUMBNAIL = 64, 32
SHELVES = {
    "model": (1_500_000_000, 1),
    "capture": (500_000_000, 3),
    "overview": (200_000_000, 3),
    "verdict": (10_000_000, 16),
}


@dataclass(frozen=True)
class OpenModel:
    """A loaded model."""

    name: str
    """As it stands in the list."""
    label: str
    """What it is, in words."""
    adapter: Adapter
    key: Hashable
    """Tells this state of its files from every other."""


@dataclass(frozen=True)
class Seen:
    """What a model does with a text, perhaps with other slopes."""

    capture: Capture
    key: Hashable


@st.cache_resource
def _workshop() -> OneAtATime:
    """Returns the one thread that runs models, for all visitors."""
    return OneAtATime({name: Shelf(*limits) for name, limits in SHELVES.items()})


@st.cache_resource
def _fetching() -> OneAtATime:
    """Returns the one thread that fetches from the hub: nobody's model waits for a download."""
    return OneAtATime({"fetched": Shelf(0, 16)})


def open_model(name: str) -> OpenModel:
    """Returns the model of that name in the list, loaded.

    Raises:
        UnreadableModel: It is not offered, or cannot be read; the message says why.
    """
    source = source_of(name, policy())
    directory = source if isinstance(source, Path) else _fetched(source)
    key = (name, _state_of(directory))
    # Files are examined for their size before anything of them is loaded.
    files = None if _workshop().is_ready("model", key) else examine(directory)
    size = "" if files is None else estimate_memory(files).sentence
    piece = _workshop().ask(
        "model", key, lambda report: open_files(files or examine(directory)), _parameter_bytes
    )
    adapter: Adapter = wait_for(piece, f"Loading {name}: {size}")
    return OpenModel(name, label_of(name), adapter, key)


def _fetched(name: str) -> Path:
    piece = _fetching().ask("fetched", name, lambda report: fetch_from_hub(name), lambda path: 0)
    directory: Path = wait_for(piece, f"Fetching {name} from the hub")
    return directory


def _parameter_bytes(adapter: Adapter) -> int:
    return sum(part.numel() * part.element_size() for part in adapter.model.parameters())


def see(model: OpenModel, text: str | bytes) -> Seen:
    """Returns what a model does with a text.

    Raises:
        UnreadableModel: The model has no tokenizer, or cannot be recorded.
        ValueError: An empty text, or one that the model cannot take.
    """
    adapter = model.adapter
    key = (model.key, _digest(text))

    def work(report: Report) -> Capture:
        with threads_for(adapter), _layers_counted(adapter, report):
            return capture(adapter, text)

    piece = _workshop().ask("capture", key, work, _capture_bytes)
    return Seen(wait_for(piece, f"Running {model.name}"), key)


def see_changed(model: OpenModel, text: str | bytes, seen: Seen, change: Change) -> Seen:
    """Returns what the same model does with the same text and other slopes.

    Args:
        model: A model with slopes.
        text: The text of `seen`.
        seen: The model as it is.
        change: What to do with the slopes.

    Raises:
        UnreadableModel: The model has no slopes.
        ValueError: A change that does not fit the model.
    """
    key = (seen.key, change)

    def work(report: Report) -> WhatIf:
        with threads_for(model.adapter), _layers_counted(model.adapter, report):
            limit = seen.capture.length
            return what_if(model.adapter, text, change, limit=limit, unchanged=seen.capture)

    piece = _workshop().ask("capture", key, work, lambda result: _capture_bytes(result.changed))
    result: WhatIf = wait_for(piece, f"Running {model.name} with other slopes")
    return Seen(result.changed, key)


def overview_of(seen: Seen) -> Overview:
    """Returns thumbnails and measures of all layers and heads."""
    heads = seen.capture.n_layer * seen.capture.n_head
    size = THUMBNAIL if heads <= MANY_HEADS else SMALL_THUMBNAIL

    def work(report: Report) -> Overview:
        def progress(done: int, count: int) -> None:
            report(done / count)

        return overview(seen.capture, mass=WINDOW_MASS, size=size, progress=progress)

    piece = _workshop().ask("overview", seen.key, work, lambda result: result.thumbnails.nbytes)
    shown: Overview = wait_for(piece, f"Measuring {heads} heads")
    return shown


def run_of(model: OpenModel, seen: Seen, text: ChosenText, change: Change | None = None) -> Run:
    """Returns the model over the text as a value of charts, with what has been seen of it."""
    own = "" if text.is_at_hand else seen.capture.text
    return Run(model.name, text.name, own, change, seen=seen.capture)


def glanced(run: Run, seen: Seen) -> Run:
    """Returns a run of which all heads have been measured."""
    return replace(run, glance=overview_of(seen))


def train_length_of(model: OpenModel) -> int | None:
    """Returns the length that one of our models was trained on; None for others."""
    config = model.adapter.facts.config.get("model")
    length = config.get("train_length") if isinstance(config, dict) else None
    return length if isinstance(length, int) else None


def verdict_is_ready(model: OpenModel) -> bool:
    """Returns whether the verdict is known, so that asking for it does not wait."""
    return _workshop().is_ready("verdict", model.key)


def verdict_on(model: OpenModel) -> ProbeVerdict:
    """Returns the probe's verdict.

    Raises:
        UnreadableModel: The model cannot be read at all.
    """

    def work(report: Report) -> ProbeVerdict:
        steps = count()
        with threads_for(model.adapter):
            return probe(model.adapter, progress=lambda _: report(next(steps) / STEPS))

    piece = _workshop().ask("verdict", model.key, work, lambda verdict: 100_000)
    found: ProbeVerdict = wait_for(piece, f"Reading the slopes back from {model.name}")
    return found


def _state_of(directory: Path) -> tuple[Any, ...]:
    """Returns what changes when the files of a model do."""
    files = [*directory.glob("*.json"), *directory.glob("*.safetensors")]
    states = ((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    return (str(directory), *sorted(states))


def _digest(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return type(text).__name__ + hashlib.sha256(data).hexdigest()


def _capture_bytes(seen: Capture) -> int:
    return sum(layer.n_bytes for layer in seen.layers)


@contextmanager
def threads_for(adapter: Adapter) -> Iterator[None]:
    """Computes with all cores where the model is large enough to gain by them."""
    parameters = sum(parameter.numel() for parameter in adapter.model.parameters())
    torch.set_num_threads((os.cpu_count() or 1) if parameters > THREADS_FROM else 1)
    try:
        yield
    finally:
        torch.set_num_threads(1)


@contextmanager
def _layers_counted(adapter: Adapter, report: Report) -> Iterator[None]:
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


def _reporting(report: Report, done: float) -> Callable[..., None]:
    def after(module: Any, args: Any, output: Any) -> None:
        report(done)

    return after
