"""The ways in which texts come to a model: in batches, padded, in pieces with a cache, by paths.

The same tokens have to give the same weights and predictions in all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from alibi_viz.inspection.adapters.contract import Adapter, AttentionPath, RunAsked
from alibi_viz.inspection.adapters.hugging_face import SPARE_TOKENS
from alibi_viz.inspection.errors import UnreadableModel

# Tokens of the texts that situations are tried with, where the limit allows as many.
SHORT_LENGTH = 29
# Nothing can be told of fewer.
FEWEST_TOKENS = 4
N_ROW = 3
CHUNK = 9


@dataclass(frozen=True)
class Situation:
    """One way in which texts come."""

    words: str
    """What it is, to stand at the end of a sentence."""
    path: AttentionPath
    n_row: int = 1
    side: Literal["", "left", "right"] = ""
    """Where rows of unlike lengths are padded; empty for rows of one length."""
    pieces: tuple[int, ...] = ()
    """Tokens of the last passes; what is before comes in one pass."""
    is_static: bool = False

    def asked(self, length: int, vocab_size: int) -> RunAsked:
        """Returns the run with texts of that many tokens."""
        step = max(1, length // 7) if self.side else 0
        rows = tuple(
            text_ids(length - row * step, vocab_size, seed=row) for row in range(self.n_row)
        )
        cuts = [length - sum(self.pieces[index:]) for index in range(len(self.pieces))]
        return RunAsked(rows, self.path, self.side or "right", tuple(cuts), self.is_static)


def text_ids(length: int, vocab_size: int, seed: int = 0) -> Tensor:
    """Returns (length,) token ids, the same ones every time."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, vocab_size, (length,), generator=generator)


def short_length(adapter: Adapter) -> int:
    """Returns the tokens of a short text that leaves room where the model has a limit.

    Raises:
        UnreadableModel: The model takes too few tokens to tell anything.
    """
    limit = adapter.facts.limit
    if limit is not None and limit < FEWEST_TOKENS:
        raise UnreadableModel(
            f"{adapter.facts.name} takes {limit} tokens at most ({adapter.facts.limit_name}); "
            f"telling a slope takes {FEWEST_TOKENS}"
        )
    return SHORT_LENGTH if limit is None else min(SHORT_LENGTH, limit)


def situations(adapter: Adapter) -> Iterator[Situation]:
    """Yields all situations of a model but the usual one: one text, at once, by the usual path."""
    usual, chunk = adapter.default_path, min(CHUNK, short_length(adapter) // 2)
    yield Situation("in a batch of unlike rows", usual, N_ROW)
    if adapter.has_padding:
        yield Situation("in a batch with left padding", usual, N_ROW, "left")
        yield Situation("in a batch with right padding", usual, N_ROW, "right")
    if adapter.has_cache:
        yield Situation("token by token with a cache", usual, pieces=(1, 1, 1))
        yield Situation("in a chunk of 2 with a cache", usual, pieces=(2,))
        yield Situation(f"in a chunk of {chunk} with a cache", usual, pieces=(chunk,))
        words = f"in a batch, in a chunk of {chunk} with a cache"
        yield Situation(words, usual, N_ROW, pieces=(chunk,))
        if adapter.has_padding:
            words = "in a batch with left padding, token by token with a cache"
            yield Situation(words, usual, N_ROW, "left", pieces=(1,))
            words = f"in a batch with left padding, in a chunk of {chunk} with a cache"
            yield Situation(words, usual, N_ROW, "left", pieces=(chunk,))
        if has_room(adapter):
            words = "token by token with a static cache"
            yield Situation(words, usual, pieces=(1, 1), is_static=True)
            words = f"in a chunk of {chunk} with a static cache"
            yield Situation(words, usual, pieces=(chunk,), is_static=True)
    for path in adapter.paths:
        if path == usual:
            continue
        way = f"by {path.label}"
        yield Situation(way, path)
        if adapter.has_cache:
            yield Situation(f"{way}, token by token with a cache", path, pieces=(1,))
        if adapter.has_padding:
            yield Situation(f"{way}, in a batch with left padding", path, N_ROW, "left")


def has_room(adapter: Adapter) -> bool:
    """Returns whether a static cache that is larger than a short text fits under the limit."""
    limit = adapter.facts.limit
    return limit is None or limit >= short_length(adapter) + SPARE_TOKENS
