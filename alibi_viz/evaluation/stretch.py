"""The text to score: which tokens are targets, and the blocks that their losses are kept in.

Of a named text the committed validation tokens are scored, behind those that learning rates were
chosen on, and never one that lies in a span which training has seen word for word. A block is 512
targets in a row of one file, the last of a file what is left: blocks are what two measurements are
compared on, file by file.
"""

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from alibi_viz.data.prepared import load_validation
from alibi_viz.data.text import encode_text_file
from alibi_viz.data.tokenizer import Tokens
from alibi_viz.evaluation.records import describe_corpus

Whole = NDArray[np.int64]

BLOCK_TOKENS = 512
# Behind the 16,384 validation tokens that learning rates were chosen on, and one to predict from.
FIRST_TARGET = 16_385
SCORED_TOKENS = 204_800
"""Most targets of a named text."""
SAMPLE_TOKENS = 32_768
"""Targets that a sliding window scores, unless told otherwise."""


@dataclass(frozen=True)
class Stretch:
    """The text to score."""

    tokens: Tokens
    """(token,) ids."""
    first: int
    """Where nonoverlapping windows begin: index of the first token that one predicts, >= 1."""
    targets: Whole
    """(target,) indices of the scored tokens, rising; all others are context only."""
    block_of: Whole
    """(target,) number of each target's block among all blocks of the text, rising."""
    file_of: Whole
    """(block,) number of each block's file, of all blocks of the text."""
    names: tuple[str, ...]
    """(file,) what the files are called."""
    corpus: str
    """Name, version and SHA-256 of the text."""

    def __post_init__(self) -> None:
        """Raises ValueError if a target is not there, or stands before the first."""
        if self.first < 1 or not len(self.targets):
            raise ValueError(
                f"first must be at least 1 and targets at least one, got {self.first} "
                f"and {len(self.targets)}"
            )
        if self.targets[0] < self.first or self.targets[-1] >= len(self.tokens):
            raise ValueError(
                f"targets must lie between {self.first} and {len(self.tokens) - 1}, "
                f"got {self.targets[0]} to {self.targets[-1]}"
            )

    @cached_property
    def blocks(self) -> Whole:
        """(scored block,) numbers of the blocks that have targets here."""
        return np.unique(self.block_of)

    @property
    def block_tokens(self) -> Whole:
        """(scored block,) targets in each of `blocks`."""
        return np.unique(self.block_of, return_counts=True)[1]

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that tell one choice of targets from another."""
        content = np.stack([self.targets, self.block_of]).astype("<i8").tobytes()
        return hashlib.sha256(self.corpus.encode() + content).hexdigest()[:16]

    def block_means(self, losses: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns the mean loss of each of `blocks`, from the losses of all targets."""
        _, block = np.unique(self.block_of, return_inverse=True)
        return np.bincount(block, losses) / np.bincount(block)

    def shares(self) -> dict[str, int]:
        """Returns how many targets each file has that has any."""
        counts = np.bincount(self.file_of[self.block_of], minlength=len(self.names)).tolist()
        return {name: count for name, count in zip(self.names, counts, strict=True) if count}

    def beginning(self, count: int) -> "Stretch":
        """Returns the first `count` of the targets."""
        return replace(self, targets=self.targets[:count], block_of=self.block_of[:count])

    def sampled(self, count: int) -> "Stretch":
        """Returns about `count` of the targets: whole blocks, evenly spread in every file.

        Args:
            count: Targets wanted, at least 1; each file keeps one block or more.

        Raises:
            ValueError: `count` is below 1.
        """
        if count < 1:
            raise ValueError(f"a sample must have at least 1 token, got {count}")
        kept = []
        for file in np.unique(self.file_of[self.blocks]):
            blocks = self.blocks[self.file_of[self.blocks] == file]
            share = count / len(self.targets)
            wanted = min(len(blocks), max(1, round(len(blocks) * share)))
            kept.append(blocks[(2 * np.arange(wanted) + 1) * len(blocks) // (2 * wanted)])
        chosen = np.isin(self.block_of, np.concatenate(kept))
        return replace(self, targets=self.targets[chosen], block_of=self.block_of[chosen])


def cut_in_blocks(
    tokens: Tokens, targets: Whole, starts: Whole, names: tuple[str, ...], corpus: str
) -> Stretch:
    """Returns a stretch with its targets in blocks that no file's end runs through.

    Args:
        tokens: (token,) ids.
        targets: (target,) indices of the scored tokens, rising.
        starts: (file,) index of each file's first token.
        names: (file,) what the files are called.
        corpus: Name, version and SHA-256 of the text.

    Raises:
        ValueError: See `Stretch`.
    """
    files = np.searchsorted(starts, targets, side="right") - 1
    within = np.arange(len(targets)) - np.searchsorted(files, files)
    begins = within % BLOCK_TOKENS == 0
    block_of = np.cumsum(begins) - 1
    first = int(targets[0]) if len(targets) else 1
    return Stretch(tokens, first, targets, block_of, files[begins], names, corpus)


@lru_cache(maxsize=8)
def named_stretch(text: str, sample: int | None = None) -> Stretch:
    """Returns what is scored of a named text.

    Args:
        text: The name of a text.
        sample: About how many targets to keep; all if left out.

    Raises:
        ValueError: The validation tokens cannot be read, or the sample has none.
    """
    known = load_validation(text)
    fresh = np.nonzero(~known.seen)[0]
    targets = fresh[fresh >= FIRST_TARGET][:SCORED_TOKENS]
    corpus = describe_corpus(known.corpus)
    whole = cut_in_blocks(known.tokens, targets, known.starts, known.names, corpus)
    return whole if sample is None else whole.sampled(sample)


def file_stretch(path: Path, tokenizer: Tokenizer, *, first: int, count: int) -> Stretch:
    """Returns a text file as far as it goes.

    Args:
        path: The file.
        tokenizer: What it is encoded with.
        first: Index of the first target, at least 1: tokens of context before it.
        count: Targets at most.

    Raises:
        ValueError: Not a text, or no target in it.
    """
    tokens, corpus = encode_text_file(path, tokenizer)
    if len(tokens) <= first:
        raise ValueError(f"{path} has {len(tokens)} tokens: none to score after {first} of context")
    targets = np.arange(first, min(first + count, len(tokens)))
    name = describe_corpus(corpus)
    return cut_in_blocks(tokens, targets, np.zeros(1, np.int64), (path.name,), name)
