"""What every model can be asked, whatever library it comes from."""

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from alibi_viz.inspection.adapters.given import GivenLayer
from alibi_viz.inspection.adapters.records import LayerRecord
from alibi_viz.inspection.adapters.slope_lines import fitted_slopes
from alibi_viz.inspection.errors import UnreadableModel

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
    """Key of `NAMES` in `probe.finding`, "absolute" for learned or computed, or "unknown"."""
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
class RunAsked:
    """How texts are given to a model: together or one by one, at once or in passes."""

    rows: tuple[Tensor, ...]
    """(length,) token ids of each text of a batch."""
    path: AttentionPath
    """How to compute attention."""
    side: Literal["left", "right"] = "right"
    """Where masked padding goes in rows that are shorter than others."""
    cuts: tuple[int, ...] = ()
    """Positions from which on tokens come in a pass of their own, what is before in the cache."""
    is_static: bool = False
    """Whether the cache has a fixed size, larger than the text."""

    @property
    def length(self) -> int:
        """Tokens of the longest row: positions of the run, padding included."""
        return max(len(row) for row in self.rows)

    @property
    def passes(self) -> tuple[tuple[int, int], ...]:
        """(first, one past the last) position of every pass."""
        return tuple(pairwise((0, *self.cuts, self.length)))

    @property
    def starts(self) -> tuple[int, ...]:
        """The position of each row's first token in the run."""
        return tuple(self.length - len(row) if self.side == "left" else 0 for row in self.rows)

    @property
    def is_padded(self) -> bool:
        """Whether rows are of unlike lengths."""
        return len({len(row) for row in self.rows}) > 1

    def ids(self) -> Tensor:
        """Returns (row, position) token ids, 0 as padding."""
        ids = torch.zeros(len(self.rows), self.length, dtype=torch.long)
        for held, start, row in zip(ids, self.starts, self.rows, strict=True):
            held[start : start + len(row)] = row
        return ids

    def is_token(self) -> Tensor:
        """Returns (row, position) of True where a token stands, False where padding does."""
        place = torch.arange(self.length)
        return torch.stack(
            [
                (place >= start) & (place < start + len(row))
                for start, row in zip(self.starts, self.rows, strict=True)
            ]
        )


@dataclass(frozen=True)
class Reading:
    """Which weights `Adapter.read_weights` reads, and in what run."""

    asked: RunAsked
    """The run; the weights of its last pass are read."""
    keys: Tensor
    """(channel,) positions of the keys in the run, padding included; at most `d_head`."""
    queries: Tensor | None = None
    """Queries of the last pass to keep, counted from its first; None for all."""


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
    """Whether it can take rows of unlike lengths."""
    changes_at: int | None = None
    """Tokens from which on attention is computed in another way, where that is known."""

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

    def in_float32(self) -> "Adapter":
        """Returns the same model with its numbers held, and computed with, in float32."""
        return type(self)(copy.deepcopy(self.model).float(), copy.deepcopy(self.facts))

    @abstractmethod
    def run(self, ids: Tensor, path: AttentionPath) -> ForwardPass:
        """Returns a plain forward pass.

        Args:
            ids: (length,) token ids.
            path: How to compute attention.
        """

    @abstractmethod
    def predictions(self, asked: RunAsked, *, last: int | None = None) -> Tensor:
        """Returns what the last pass of a run predicts, nothing in the model being touched.

        Args:
            asked: The run.
            last: Positions to keep, the last ones; None for all of the pass.

        Returns:
            (row, position of the last pass, vocab_size) float32 logits.
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

    def predictions_with(self, ids: Tensor, slopes: Slopes, *, last: int) -> Tensor:
        """Returns what the model predicts if attention is computed here, with these slopes.

        Args:
            ids: (length,) token ids.
            slopes: (layer, head) that act on the logits, in nats per token.
            last: Positions to keep, the last ones.

        Returns:
            (position, vocab_size) float32 logits.

        Raises:
            UnreadableModel: Queries, keys and values of this model are not known.
        """
        raise UnreadableModel(f"of {self.facts.family} queries, keys and values are not known")

    @abstractmethod
    def read_weights(self, reading: Reading) -> Tensor:
        """Returns the weights that really act when all queries are zero.

        They are read through the values: channel c of every value is set to 1 at key `keys[c]` and
        0 elsewhere, so that channel c of the attention's output is the weight of that key. This
        needs no weights from the library, and so works for fused kernels too.

        Args:
            reading: What to read.

        Returns:
            (layer, row, head, query, channel) float32.
        """
