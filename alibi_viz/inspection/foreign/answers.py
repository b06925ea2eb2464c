"""What a child answers about a foreign model, besides captures, overviews and verdicts."""

from dataclasses import dataclass

from torch import Tensor

from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.capture import Capture, Overview
from alibi_viz.inspection.text.what_if import Change


@dataclass(frozen=True)
class Opened:
    """A model that the child holds."""

    name: str
    """Its folder's name."""
    train_length: int | None
    """Tokens that a model of this project was trained on; None for others."""
    size: str
    """What it takes, in words."""


@dataclass(frozen=True)
class SeenThere:
    """What a model does with a text; of some, the weights are asked for when looked at."""

    capture: Capture
    """Without layers, where these are given by the model itself."""
    given: tuple[int, int, int] | None
    """Layers, heads and tokens of what it gives; None where the layers are in the capture."""


@dataclass(frozen=True)
class LayersThere:
    """The attention weights of some consecutive layers."""

    weights: tuple[Tensor, ...]
    """(head, query, key) float32 each."""


ANSWERS = (Opened, SeenThere, LayersThere, Overview, ProbeVerdict, Change)
"""What an answer or a question is one of."""
