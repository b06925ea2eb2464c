"""A text seen through a model: tokens, losses, and every head's attention, made when looked at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from alibi_viz.inspection.adapters.contract import Adapter, AttentionPath, Promise, Slopes
from alibi_viz.inspection.adapters.given import GivenLayer
from alibi_viz.inspection.adapters.records import Floats32, HeadAttention, LayerRecord
from alibi_viz.inspection.adapters.slope_lines import SHORTEST_LINE
from alibi_viz.inspection.text.measures import Measures, RunningMeasures, stack_measures
from alibi_viz.inspection.text.tokens import Token, TokenisedText, tokenise, tokens_of_numbers
from alibi_viz.maths.windows import WINDOW_MASS

Layers = tuple[LayerRecord | GivenLayer, ...]
# Queries whose weights are held at once: 16 heads, 2,048 keys are 17 MB.
QUERY_BLOCK = 128
# A text longer than this is cut, and the user told.
MAX_TOKENS = 2048


@dataclass(frozen=True)
class Capture:
    """What one forward pass of any model leaves to look at."""

    model_name: str
    family: str
    """The library's name for the model's kind."""
    path: str
    """How attention was computed."""
    text: str
    tokens: tuple[Token, ...]
    layers: Layers
    """One a layer: queries, keys, position term, or what a model gives of its weights where those
    are not known; see `attention` for what is made from them."""
    nll: Floats32
    """(length - 1,) -ln p of each token but the first, in nats."""
    slopes: Slopes | None
    """(layer, head) slopes that acted; None where the position term is no straight line, or the
    text too short to tell."""
    promise: Promise
    """What the configuration says about position."""
    missing: tuple[str, ...]
    """What cannot be shown of this model or text, each in a sentence."""

    @property
    def n_layer(self) -> int:
        """Layers."""
        return len(self.layers)

    @property
    def n_head(self) -> int:
        """Heads in each layer."""
        return self.layers[0].n_head

    @property
    def length(self) -> int:
        """Tokens."""
        return len(self.tokens)

    @property
    def is_split(self) -> bool:
        """Whether logits are known as content, position and mask; else only the weights are."""
        return isinstance(self.layers[0], LayerRecord)

    @property
    def is_too_short(self) -> bool:
        """Whether the model has slopes that so short a text does not tell."""
        return (
            self.slopes is None and self.length < SHORTEST_LINE and self.promise.method == "alibi"
        )

    @property
    def mean_nll(self) -> float | None:
        """Mean loss in nats per token; None for a text of one token."""
        return float(self.nll.mean()) if len(self.nll) else None

    def attention(self, layer: int, head: int, queries: range | None = None) -> HeadAttention:
        """Returns one head's attention.

        Args:
            layer: Layer, counted from 0.
            head: Head, counted from 0.
            queries: Positions to compute; all if left out.

        Raises:
            ValueError: No such layer, head or position.
        """
        chosen = range(self.length) if queries is None else queries
        self._require("layer", [layer], self.n_layer)
        self._require("head", [head], self.n_head)
        self._require("query", chosen, self.length)
        return self.layers[layer].attention(head, torch.tensor(list(chosen)))

    def weight_blocks(self, layer: int) -> Iterator[tuple[NDArray[np.int64], Floats32]]:
        """Yields blocks of queries: their positions, and (head, query, key) weights.

        Keys end with the last one that the block can see.
        """
        for start in range(0, self.length, QUERY_BLOCK):
            stop = min(start + QUERY_BLOCK, self.length)
            yield np.arange(start, stop), self.layers[layer].weight_block(start, stop).numpy()

    def _require(self, name: str, values: "range | list[int]", count: int) -> None:
        for value in values:
            if not 0 <= value < count:
                raise ValueError(f"{name} must be from 0 to {count - 1}, got {value}")


@dataclass(frozen=True)
class Overview:
    """All layers and heads at a glance."""

    thumbnails: Floats32
    """(layer, head, row, column) largest weight of each cell of queries and keys."""
    measures: Measures
    """With axes (layer, head)."""


def capture(
    adapter: Adapter, text: str | bytes, *, slopes: Slopes | None = None,
    path: AttentionPath | None = None, limit: int = MAX_TOKENS,
) -> Capture:  # fmt: skip
    """Returns what the model does with a text.

    Args:
        adapter: A loaded model.
        text: Text, or bytes that need not be UTF-8.
        slopes: (layer, head) slopes in place of the model's own, in the published scale.
        path: How to compute attention; as the library does by itself if left out.
        limit: Most tokens to look at; the rest is left out, and said. So is what the model cannot
            take: whether its configured limit is one is tried.

    Raises:
        UnreadableModel: The model cannot be recorded, or has no slopes to replace.
        UnfitAsking: An empty text, or words for a model that came without a tokenizer.
    """
    tokenised = tokens_for(adapter, text, limit)
    return capture_tokens(adapter, tokenised, slopes=slopes, path=path)


def tokens_for(adapter: Adapter, text: str | bytes, limit: int) -> TokenisedText:
    """Returns a text as a model reads it: by its tokenizer, or, without one, as token numbers.

    Args:
        adapter: A loaded model.
        text: Text, or bytes that need not be UTF-8.
        limit: Most tokens to keep.

    Raises:
        UnfitAsking: An empty text, or words for a model that came without a tokenizer.
    """
    if adapter.tokenizer is None:
        return tokens_of_numbers(text, adapter.facts.vocab_size, limit)
    return tokenise(adapter.tokenizer, text, limit)


def capture_tokens(
    adapter: Adapter, tokenised: TokenisedText, *, slopes: Slopes | None = None,
    path: AttentionPath | None = None,
) -> Capture:  # fmt: skip
    """Returns what the model does with a text that is cut into tokens already; see `capture`."""
    path = path or adapter.recording_path
    if slopes is None:  # biases made here have no limit
        tokenised = _as_taken(adapter, tokenised)
    ids = torch.tensor([token.id for token in tokenised.tokens])
    recording = adapter.record(ids, slopes, path)
    return Capture(
        model_name=adapter.facts.name,
        family=adapter.facts.family,
        path=path.label,
        text=tokenised.text,
        tokens=tokenised.tokens,
        layers=recording.layers,
        nll=recording.nll.cpu().numpy(),
        slopes=adapter.acting_slopes(recording.layers, slopes),
        promise=adapter.promise(),
        missing=tuple(_missing(adapter, tokenised, recording.layers)),
    )


def _as_taken(adapter: Adapter, tokenised: TokenisedText) -> TokenisedText:
    """Returns the text as far as the model can take it."""
    limit, length = adapter.facts.limit, len(tokenised.tokens)
    if limit is None or length <= limit or adapter.why_no_longer() is None:
        return tokenised
    cut = tokenised.cut + length - limit
    return replace(tokenised, tokens=tokenised.tokens[:limit], cut=cut)


def _limit_words(adapter: Adapter, tokenised: TokenisedText) -> Iterator[str]:
    """Yields what of a long text is left out and why, or that it goes past the limit."""
    limit, length = adapter.facts.limit, len(tokenised.tokens)
    named = f"{adapter.facts.limit_name}: {limit:,}" if limit else ""
    if tokenised.cut:
        left_out = f"The text is longer: its last {tokenised.cut:,} tokens are left out"
        why = adapter.why_no_longer() if length == limit else None
        yield f"{left_out}, since past {named} the model fails ({why})." if why else f"{left_out}."
    if limit and length > limit:
        yield (
            f"The configuration names a limit, {named}; the model runs on, and the last "
            f"{length - limit:,} tokens are past it."
        )


def _missing(adapter: Adapter, tokenised: TokenisedText, layers: Layers) -> Iterator[str]:
    yield from adapter.facts.missing
    reason = adapter.why_not_split()
    if reason is not None:
        yield reason
    elif isinstance(layers[0], LayerRecord) and layers[0].position is None:
        yield (
            "Nothing is added to the logits for position: whatever the model knows of it lies "
            "inside the content."
        )
    yield from _limit_words(adapter, tokenised)
    if tokenised.replaced:
        count = tokenised.replaced
        words = "1 place was no UTF-8 and stands"
        words = words if count == 1 else f"{count} places were no UTF-8 and stand"
        yield f"{words} replaced by �."
    if tokenised.unknown:
        names = "1 token stands" if tokenised.unknown == 1 else f"{tokenised.unknown} tokens stand"
        yield f"{names} for text that the tokenizer does not know: the model cannot tell it."
    if len(tokenised.tokens) == 1:
        yield "One token predicts nothing that follows: there is no loss."


def overview(
    capture: Capture, *, mass: float = WINDOW_MASS, size: int = 64,
    progress: Callable[[int, int], None] | None = None,
) -> Overview:  # fmt: skip
    """Returns small pictures and measures of all layers and heads, a block of queries at a time.

    Args:
        capture: Of any model.
        mass: Share of the attention that the window holds.
        size: Most rows and columns of a picture; a cell shows the largest weight that it covers.
        progress: Called with the number of layers done and of all, after each.
    """
    side, length = min(size, capture.length), capture.length
    starts = np.arange(side) * length // side
    thumbnails = np.zeros((capture.n_layer, capture.n_head, side, side), np.float32)
    layers = []
    for layer in range(capture.n_layer):
        running = RunningMeasures(capture.n_head, length, mass)
        for queries, weights in capture.weight_blocks(layer):
            running.add(weights, queries)
            _pool(weights, queries, starts, thumbnails[layer])
        layers.append(running.result())
        if progress is not None:
            progress(layer + 1, capture.n_layer)
    return Overview(thumbnails, stack_measures(layers))


def _pool(
    weights: Floats32, queries: NDArray[np.int64], starts: NDArray[np.int64], picture: Floats32
) -> None:
    """Writes the largest weight of each cell that a block of queries touches into a picture.

    Args:
        weights: (head, query, key), of the keys up to the block's end.
        queries: (query,) positions.
        starts: (row,) first query, and first key, of each cell.
        picture: (head, row, column), changed in place.
    """
    columns = np.searchsorted(starts, weights.shape[-1])
    rows, first = np.unique(np.searchsorted(starts, queries, side="right") - 1, return_index=True)
    pooled = np.maximum.reduceat(weights, first, axis=1)
    pooled = np.maximum.reduceat(pooled, starts[:columns], axis=2)
    picture[:, rows, :columns] = np.maximum(picture[:, rows, :columns], pooled)
