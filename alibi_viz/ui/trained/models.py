"""Trained models, what they do with a text, and the probe's verdict: each computed once for all.

What is returned is shared by all visitors and never changed. Models of this project are opened in
this process; all others in a child, so that nobody waits for them but who asked.
"""

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from alibi_viz.charts.trained.run import Run
from alibi_viz.inspection.foreign.children import MOST_CHILDREN
from alibi_viz.inspection.foreign.model import ForeignModel, folder_state
from alibi_viz.inspection.here import HereModel, Model
from alibi_viz.inspection.loading import fetch_from_hub, open_files, root_of
from alibi_viz.inspection.loading.files import examine
from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.capture import Capture, Overview
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.ui.show.one_at_a_time import OneAtATime, Shelf, wait_for
from alibi_viz.ui.trained.children import children
from alibi_viz.ui.trained.offered import FOLDER, HUB, label_of, policy, source_of
from alibi_viz.ui.trained.texts import ChosenText

SHELVES = {
    "model": (1_500_000_000, 1),
    "capture": (500_000_000, 3),
    "overview": (200_000_000, 3),
    "verdict": (10_000_000, 16),
}


@dataclass(frozen=True)
class OpenModel:
    """An opened model."""

    name: str
    """As it stands in the list."""
    label: str
    """What it is, in words."""
    model: Model
    """What is asked, here or in the child."""
    key: Hashable
    """Tells this state of its files from every other."""

    @property
    def workshop(self) -> OneAtATime:
        """Where its questions are asked."""
        return _foreign_workshop() if isinstance(self.model, ForeignModel) else _workshop()


@dataclass(frozen=True)
class Seen:
    """What a model does with a text, perhaps with other slopes."""

    capture: Capture
    key: Hashable
    text: str | bytes
    change: Change | None = None


@st.cache_resource
def _workshop() -> OneAtATime:
    """Returns the one thread that runs models of this project, for all visitors."""
    return OneAtATime({name: Shelf(*limits) for name, limits in SHELVES.items()})


@st.cache_resource
def _foreign_workshop() -> OneAtATime:
    """Returns the threads that wait for the children with foreign models."""
    shelves = {name: Shelf(*limits) for name, limits in SHELVES.items()}
    return OneAtATime(shelves, threads=MOST_CHILDREN)


@st.cache_resource
def _fetching() -> OneAtATime:
    """Returns the one thread that fetches from the hub: nobody's model waits for a download."""
    return OneAtATime({"fetched": Shelf(0, 16)})


def open_model(name: str) -> OpenModel:
    """Returns the model of that name in the list, opened.

    Raises:
        UnreadableModel: It is not offered, or cannot be read; the message says why.
    """
    source = source_of(name, policy())
    directory = source if isinstance(source, Path) else _fetched(source)
    key = (name, str(directory), folder_state(directory))
    if name.startswith((FOLDER, HUB)):
        root = root_of(directory, allow_hub=name.startswith(HUB))
        foreign = ForeignModel(children(), directory, root)
        piece = _foreign_workshop().ask("model", key, foreign.open, lambda model: 0)
    else:
        piece = _workshop().ask(
            "model",
            key,
            lambda report: HereModel(open_files(examine(directory))),
            lambda model: model.n_bytes,
        )
    model: Model = wait_for(piece, f"Loading {name}")
    return OpenModel(name, label_of(name), model, key)


def _fetched(name: str) -> Path:
    piece = _fetching().ask("fetched", name, lambda report: fetch_from_hub(name), lambda path: 0)
    directory: Path = wait_for(piece, f"Fetching {name} from the hub")
    return directory


def see(model: OpenModel, text: str | bytes) -> Seen:
    """Returns what a model does with a text.

    Raises:
        UnreadableModel: The model has no tokenizer, or cannot be recorded.
        ValueError: An empty text, or one that the model cannot take.
    """
    key = (model.key, _digest(text))
    piece = model.workshop.ask(
        "capture", key, lambda report: model.model.see(text, report), _capture_bytes
    )
    return Seen(wait_for(piece, f"Running {model.name}"), key, text)


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
    piece = model.workshop.ask(
        "capture",
        key,
        lambda report: model.model.see(text, report, change, seen.capture),
        _capture_bytes,
    )
    found: Capture = wait_for(piece, f"Running {model.name} with other slopes")
    return Seen(found, key, text, change)


def overview_of(model: OpenModel, seen: Seen) -> Overview:
    """Returns thumbnails and measures of all layers and heads."""
    heads = seen.capture.n_layer * seen.capture.n_head
    piece = model.workshop.ask(
        "overview",
        seen.key,
        lambda report: model.model.overview(seen.capture, report, seen.text, seen.change),
        lambda result: result.thumbnails.nbytes,
    )
    shown: Overview = wait_for(piece, f"Measuring {heads} heads")
    return shown


def run_of(model: OpenModel, seen: Seen, text: ChosenText, change: Change | None = None) -> Run:
    """Returns the model over the text as a value of charts, with what has been seen of it."""
    own = "" if text.is_at_hand else seen.capture.text
    return Run(model.name, text.name, own, change, seen=seen.capture)


def glanced(run: Run, model: OpenModel, seen: Seen) -> Run:
    """Returns a run of which all heads have been measured."""
    return replace(run, glance=overview_of(model, seen))


def verdict_is_ready(model: OpenModel) -> bool:
    """Returns whether the verdict is known, so that asking for it does not wait."""
    return model.workshop.is_ready("verdict", model.key)


def verdict_on(model: OpenModel) -> ProbeVerdict:
    """Returns the probe's verdict.

    Raises:
        UnreadableModel: The model cannot be read at all.
    """
    piece = model.workshop.ask("verdict", model.key, model.model.verdict, lambda verdict: 100_000)
    found: ProbeVerdict = wait_for(piece, f"Reading the slopes back from {model.name}")
    return found


def _digest(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return type(text).__name__ + hashlib.sha256(data).hexdigest()


def _capture_bytes(seen: Capture) -> int:
    return sum(layer.n_bytes for layer in seen.layers)
