"""What every model can be asked, whatever library it comes from."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from alibi_viz.inspection.adapters.given import GivenLayer
from alibi_viz.inspection.adapters.records import LayerRecord
from alibi_viz.inspection.adapters.slope_lines import fitted_slopes

Slopes = NDArray[np.float64]


@dataclass(frozen=True)
class AttentionPath:
    """One of the ways in which a library can compute a model's attention."""

    implementation: str
    """The library's name for it: "eager", "sdpa" ..."""
    returns_weights: bool
    """Whether the weights are asked for, which some libraries answer on another path."""

    @property
    def label(self) -> str:
        """The way's name in a sentence."""
        return self.implementation + (" returning weights" if self.returns_weights else "")


@dataclass(frozen=True)
class Promise:
    """What a configuration says about position."""

    method: str
    """Key of `NAMES` in `probe.method`, "absolute" for learned or computed, or "unknown"."""
    slopes: Slopes | None
    """(head,) slopes that should act on the logits, None where the method has none."""
    factor: float
    """What the family multiplies the published slopes with; included in `slopes`."""
    words: str
    """The same in words, naming the settings."""


@dataclass(frozen=True)
class ForwardPass:
    """A plain forward pass."""

    logits: Tensor
    """(length, vocab_size) float32, padding left out."""
    weights: tuple[Tensor, ...] | None
    """For each layer (head, query, key) float32 as the library returns them, or None."""


@dataclass(frozen=True)
class Recording:
    """A forward pass with everything that attention needs to be looked at later."""

    layers: tuple[LayerRecord | GivenLayer, ...]
    """One record a layer with attention."""
    nll: Tensor
    """(length - 1,) float32: -ln p of each token but the first, in nats."""
    embedded: Tensor
    """(length, d_model) float32: what enters the first layer."""


@dataclass(frozen=True)
class Reading:
    """Which weights of the last row `Adapter.read_weights` reads, and in what run."""

    ids: Tensor
    """(length,) token ids."""
    path: AttentionPath
    """How to compute attention."""
    keys: Tensor
    """(channel,) key positions to read, counted from the first of `ids`; at most `d_head`."""
    padding: int = 0
    """Padding tokens to put before the ids, masked."""
    in_steps: bool = False
    """Whether the last token comes alone, the rest coming from the cache."""
    n_layer: int | None = None
    """Layers to run, from the first; None for all."""

    @property
    def length(self) -> int:
        """Tokens of the run, padding included."""
        return self.padding + len(self.ids)

    @property
    def places(self) -> Tensor:
        """(channel,) positions of the keys in the run, padding included."""
        return self.keys + self.padding


@dataclass
class Facts:
    """What is known of a model before it runs."""

    name: str
    """Its directory's or hub's name."""
    family: str
    """The library's name for its kind."""
    n_layer: int
    """Layers with attention."""
    n_head: int
    """Query heads in each."""
    d_head: int
    """Width of a head."""
    vocab_size: int
    """Tokens in the vocabulary."""
    limit: int | None
    """Longest input that the configuration names, in tokens; None for no limit."""
    limit_name: str
    """The setting that names it."""
    config: dict[str, Any]
    """The configuration, as it stands in the file."""
    notes: list[str] = field(default_factory=list)
    """What was noticed while loading: each a sentence."""
    missing: list[str] = field(default_factory=list)
    """What this model cannot show, and why: each a sentence."""


class Adapter(ABC):
    """A loaded model behind one set of questions.

    One run at a time: runs put hooks on the model, so each holds `lock`.
    """

    paths: tuple[AttentionPath, ...]
    facts: Facts
    # Of any library: nothing is known of its attributes.
    model: Any
    has_cache = True
    """Whether it can take tokens one at a time."""
    has_padding = True
    """Whether it can take padding."""

    def __init__(self, model: nn.Module, facts: Facts, tokenizer: Any = None) -> None:
        self.model = model.eval()
        self.facts = facts
        self.tokenizer = tokenizer
        self.lock = threading.RLock()

    @property
    def dtype(self) -> torch.dtype:
        """The number type of the model's weights."""
        kind: torch.dtype = next(self.model.parameters()).dtype
        return kind

    @property
    def device(self) -> torch.device:
        """Where the model's weights are."""
        place: torch.device = next(self.model.parameters()).device
        return place

    @property
    def default_path(self) -> AttentionPath:
        """The way that a user gets without asking."""
        return self.paths[0]

    @property
    def recording_path(self) -> AttentionPath:
        """The way that is looked at unless another one is asked for."""
        return self.default_path

    def why_not_split(self) -> str | None:
        """Returns a sentence on why only weights can be shown, not content, position and mask.

        None where all of them can.
        """
        return None

    def why_no_longer(self) -> str | None:
        """Returns why no text beyond the configured limit can be shown; None where it can."""
        return None

    @abstractmethod
    def promise(self) -> Promise:
        """Returns what the configuration says about position."""

    @abstractmethod
    def run(
        self, ids: Tensor, path: AttentionPath, *, padding: int = 0, in_steps: bool = False
    ) -> ForwardPass:
        """Returns a plain forward pass.

        Args:
            ids: (length,) token ids.
            path: How to compute attention.
            padding: Padding tokens to put before them, masked.
            in_steps: Whether to give the last token alone, the rest coming from the cache.
        """

    @abstractmethod
    def record(
        self, ids: Tensor, slopes: Slopes | None = None, path: AttentionPath | None = None
    ) -> Recording:
        """Returns a forward pass with its queries, keys and position terms.

        Args:
            ids: (length,) token ids, at least one.
            slopes: (layer, head) slopes to use instead of the model's own, in the published
                scale: the family's factor is applied to them as to its own.
            path: How to compute attention; the default one if left out.

        Raises:
            UnreadableModel: The model cannot be recorded, or has no slopes to replace.
        """

    def acting_slopes(
        self, layers: Sequence[LayerRecord | GivenLayer], given: Slopes | None
    ) -> Slopes | None:
        """Returns the (layer, head) slopes that acted in a run, None where none are to be read.

        Args:
            layers: What the run left.
            given: The slopes that the run was given in place of the model's own.
        """
        return fitted_slopes(layers)

    @abstractmethod
    def read_weights(self, reading: Reading) -> Tensor:
        """Returns the weights that really act in the last row when all queries are zero.

        They are read through the values: channel c of every value is set to 1 at key `keys[c]` and
        0 elsewhere, so that channel c of the attention's output is the weight of that key. This
        needs no weights from the library, and so works for fused kernels too.

        Args:
            reading: What to read.

        Returns:
            (layer, head, channel) float32.
        """
