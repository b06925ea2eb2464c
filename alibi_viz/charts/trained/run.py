"""A model's run over a text, and one head of it: what the charts of trained models are charts of.

A page has run the model already, in its own way and with progress, and hands what it has seen to
the value. The value without it is the same value: it then runs the model itself.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alibi_viz.charts.base import Chart
from alibi_viz.figures.distance import READ_BACK_ROUNDING, nearest_power, slope_text
from alibi_viz.inspection.adapters.contract import Slopes
from alibi_viz.inspection.foreign.children import Children
from alibi_viz.inspection.foreign.model import ForeignModel
from alibi_viz.inspection.here import HereModel, Model
from alibi_viz.inspection.loading import directory_of, load_model, root_of
from alibi_viz.inspection.text.capture import Capture, Overview
from alibi_viz.inspection.text.measures import Measures, slope_measures
from alibi_viz.inspection.text.samples import LIBRARY, WRITTEN, sample_text
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.paths import CHECKPOINTS
from alibi_viz.words import count

HUB = "hub:"
"""What stands before the name of a model of the Hugging Face hub."""


@dataclass(frozen=True)
class Run:
    """A model, a text, and what is done with the model's slopes."""

    model: str = "alibi-L128-s0"
    """Folder of a bundled model; "folder:" or "own:" and a folder beside the program; "hub:" and a
    name on the Hugging Face hub."""
    sample: str = "short function"
    """Name of a text at hand, or of the visitor's own."""
    text: str = ""
    """The text, where it is the visitor's own."""
    change: Change | None = None
    """What is done with the slopes; None for nothing."""
    seen: Capture | None = field(default=None, compare=False, repr=False)
    """What the run gave, where it has been run."""
    glance: Overview | None = field(default=None, compare=False, repr=False)
    """All heads of it, where they have been measured."""

    @property
    def content(self) -> str:
        """The text that is read."""
        is_at_hand = not self.text and (self.sample in WRITTEN or self.sample in LIBRARY)
        return sample_text(self.sample) if is_at_hand else self.text

    @property
    def capture(self) -> Capture:
        """What the model does with the text."""
        return _captured(self) if self.seen is None else self.seen

    @property
    def overview(self) -> Overview:
        """Thumbnails and measures of all heads."""
        return _overviewed(self) if self.glance is None else self.glance

    @property
    def theory(self) -> Measures | None:
        """Measures of heads that follow their slopes alone, (layer, head); None without slopes."""
        slopes = self.capture.slopes
        return None if slopes is None else theory_of(slopes, self.capture.length)

    def unchanged(self) -> "Run":
        """Returns the same model over the same text with its own slopes, not yet run."""
        return replace(self, change=None, seen=None, glance=None)

    def state(self) -> dict[str, str]:
        """Returns model, text and changed slopes, in words."""
        length = count(self.capture.length, "token")
        state = {"model": self.model, "text": f"{self.sample}, {length}"}
        return state if self.change is None else state | {"slopes": change_words(self.change)}


@dataclass(frozen=True)
class HeadOfRun:
    """One head of a run."""

    run: Run = Run()
    """The model and the text."""
    layer: int = 2
    """Counted from 1."""
    head: int = 4
    """Counted from 1."""
    name: str = ""
    """What stands in a legend; empty where there is one head only."""

    @property
    def place(self) -> tuple[int, int]:
        """(layer, head) counted from 0, as arrays are."""
        return self.layer - 1, self.head - 1

    @property
    def capture(self) -> Capture:
        """What the model does with the text."""
        return self.run.capture

    @property
    def tokens(self) -> list[str]:
        """The text, cut."""
        return [token.text for token in self.capture.tokens]

    @property
    def slope(self) -> float | None:
        """Its slope, in nats per token; None where the model has none."""
        slopes = self.capture.slopes
        return None if slopes is None else float(slopes[self.place])

    @property
    def full_name(self) -> str:
        """Its layer and number, of how many, with its slope."""
        capture = self.capture
        name = f"layer {self.layer} of {capture.n_layer}, head {self.head} of {capture.n_head}"
        if self.slope is None:
            return name
        return f"{name}, slope {slope_name(self.slope)}" if self.slope else f"{name}, no bias"

    @property
    def title(self) -> str:
        """Its name in a legend with its slope."""
        slope = f"slope {slope_text(self.slope, READ_BACK_ROUNDING)}" if self.slope else "no slope"
        return f"{self.name}, {slope}"

    def state(self) -> dict[str, str]:
        """Returns model, text, layer and head, in words."""
        return self.run.state() | {"layer": str(self.layer), "head": str(self.head)}


class ChartOfRun(Chart):
    """A chart of what a model has done; it holds all of that, and models change where they lie."""

    def drawn_from(self) -> None:
        """Is never kept."""


def slope_name(slope: float) -> str:
    """Returns a slope as a fraction and a number: "1/8 = 0.125".

    Args:
        slope: Read back from a model, in nats per token.
    """
    name = slope_text(slope, READ_BACK_ROUNDING)
    exact = nearest_power(slope, READ_BACK_ROUNDING) or slope
    return f"{name} = {exact:.4g}" if "/" in name else name


def change_words(change: Change) -> str:
    """Returns what is done with the slopes, in words.

    Args:
        change: Perhaps nothing.
    """
    parts = [] if change.max_exponent is None else [f"exponent {change.max_exponent:g}"]
    parts += [] if change.rule is None else [change.rule]
    parts += [] if change.scale == 1 else [f"times {change.scale:g}"]
    parts += [
        f"bias off in head {head + 1}" + ("" if layer is None else f" of layer {layer + 1}")
        for layer, head in sorted(change.off, key=lambda place: (place[0] is not None, place))
    ]
    return ", ".join(parts) or "unchanged"


@lru_cache(maxsize=2)
def _loaded(model: str) -> Model:
    if model.startswith(HUB):
        folder = directory_of(model.removeprefix(HUB), allow_hub=True)
        return ForeignModel(_children(), folder, root_of(folder, allow_hub=True)).open()
    if ":" in model:
        folder = Path(model.rpartition(":")[2])
        return ForeignModel(_children(), folder, folder).open()
    return HereModel(load_model(CHECKPOINTS / model))


_children = lru_cache(maxsize=1)(Children)


@lru_cache(maxsize=3)
def _captured(run: Run) -> Capture:
    return _loaded(run.model).see(run.content, _nobody, run.change)


@lru_cache(maxsize=3)
def _overviewed(run: Run) -> Overview:
    return _loaded(run.model).overview(run.capture, _nobody, run.content, run.change)


def _nobody(done: float, words: str) -> None:
    """Hears how far the work is."""


def theory_of(slopes: Slopes, length: int) -> Measures:
    """Returns the measures of heads that follow their slopes alone, with axes (layer, head).

    Args:
        slopes: (layer, head) in nats per token.
        length: Tokens in the text.
    """
    return _theory(slopes.astype(np.float64).tobytes(), slopes.shape, length)


# Every rerun of a page asks for the same several times.
@lru_cache(maxsize=8)
def _theory(data: bytes, shape: tuple[int, ...], length: int) -> Measures:
    flat = slope_measures(np.maximum(np.frombuffer(data), 0), length, WINDOW_MASS)

    def shaped(values: Floats) -> NDArray[np.float64]:
        return values.reshape(*shape, *values.shape[1:])

    return Measures(
        WINDOW_MASS,
        shaped(flat.window),
        shaped(flat.first_token),
        shaped(flat.entropy),
        shaped(flat.previous_token),
        shaped(flat.mean_by_distance),
    )
