"""What can be measured of a checkpoint: on which text, at which lengths; and measuring it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alibi_viz.data.corpus import NAMED_TEXTS
from alibi_viz.data.overlap import SPAN
from alibi_viz.data.prepared import load_validation, measured_text, tokenizer_of
from alibi_viz.data.tokenizer import token_bytes
from alibi_viz.evaluation.by_position import losses_by_context
from alibi_viz.evaluation.perplexity import score_of, target_losses
from alibi_viz.evaluation.records import Record, measurement_key, score_fields
from alibi_viz.evaluation.score import Protocol
from alibi_viz.evaluation.stretch import SAMPLE_TOKENS, Stretch, file_stretch, named_stretch
from alibi_viz.model.checkpoint import read_about
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.provenance import command_line
from alibi_viz.model.transformer import Transformer
from alibi_viz.paths import relative_to_project

# Of a text file, at most.
FILE_TOKENS = 65_536


@dataclass(frozen=True)
class Asked:
    """What the command line asks of every checkpoint."""

    lengths: tuple[int, ...]
    protocol: Protocol
    stride: int | None
    tokens: int | None
    text: str | None


class MeasuredModel:
    """A checkpoint, the text that it is measured on, and what is measured."""

    def __init__(self, folder: Path, asked: Asked) -> None:
        self.folder, self.asked, self.about = folder, asked, read_about(folder)
        self.config = ModelConfig(**self.about["model"])
        own, self.tokenizer = tokenizer_of(self.about, str(folder))
        self.text = asked.text or measured_text(self.about, str(folder))
        self.is_named = self.text in NAMED_TEXTS
        if self.is_named and self.text != own:
            raise ValueError(
                f"{folder} was trained with the tokenizer of {own}: its token ids mean something "
                f"else than those of {self.text}"
            )

    @property
    def sample(self) -> int | None:
        """About how many targets of a named text; None for all of them."""
        is_sliding = self.asked.protocol == "sliding_window"
        default = SAMPLE_TOKENS if is_sliding else None
        return (self.asked.tokens or default) if self.is_named else None

    @cached_property
    def stretch(self) -> Stretch:
        """What is scored."""
        if self.is_named:
            return _named(self.text, self.sample)
        longest, is_sliding = max(self.asked.lengths), self.asked.protocol == "sliding_window"
        first = longest if is_sliding else 1
        tokens = self.asked.tokens or FILE_TOKENS
        stretch = file_stretch(Path(self.text), self.tokenizer, first=first, count=tokens)
        needed = first + (1 if is_sliding else longest)
        if len(stretch.tokens) < needed:
            count = len(stretch.tokens)
            raise ValueError(
                f"{self.text} has {count} tokens, a window of {longest} needs {needed}"
            )
        return stretch

    def points(self) -> list["Point"]:
        """What can be measured; says which lengths cannot."""
        asked, longest = self.asked, self.config.longest
        lengths = [n for n in asked.lengths if longest is None or n <= longest]
        if beyond := sorted(set(asked.lengths) - set(lengths)):
            listed = ", ".join(f"{length:,}" for length in beyond)
            print(
                f"{self.folder.name}: learned positions end at {longest} tokens, left out: {listed}"
            )
        is_sliding = asked.protocol == "sliding_window"
        return [
            Point(self, n, (asked.stride or max(1, n // 4)) if is_sliding else None)
            for n in lengths
        ]


@lru_cache(maxsize=4)
def _named(text: str, sample: int | None) -> Stretch:
    """The stretch of a named text, told when it is first read."""
    stretch = named_stretch(text, sample)
    shares = stretch.shares()
    overlap = int(load_validation(text).seen[stretch.targets].sum())
    largest = max(shares, key=lambda name: shares[name])
    print(
        f"{text}: {len(stretch.targets):,} tokens of {len(shares)} files, "
        f"{shares[largest] / len(stretch.targets):.0%} of them {largest}; "
        f"{overlap} in spans of {SPAN} tokens found in training",
        flush=True,
    )
    return stretch


@dataclass(frozen=True)
class Point:
    """One measurement to make."""

    model: MeasuredModel
    eval_length: int
    stride: int | None

    @property
    def label(self) -> str:
        """What reports call it."""
        return f"{self.model.folder.name}, {self.eval_length} tokens"

    @property
    def fields(self) -> dict[str, Any]:
        """What its record says before anything is measured."""
        model, stretch = self.model, self.model.stretch
        return {
            "method": model.config.position,
            "variant": model.config.variant,
            "seed": model.about["seed"],
            "train_length": model.config.train_length,
            "text": model.text if model.is_named else "",
            "sample": model.sample,
            "eval_length": self.eval_length,
            "protocol": model.asked.protocol,
            "stride": self.stride,
            "checkpoint": relative_to_project(model.folder),
            "corpus": stretch.corpus,
            "targets": stretch.fingerprint,
        }

    @property
    def key(self) -> tuple[Any, ...]:
        """As its record's."""
        return measurement_key(self.fields)

    def measure(self, model: Transformer, on_progress: Callable[[float], None]) -> list[Record]:
        """Returns what the model gives: of all targets, then of those that sliding windows score.

        The second record is made where all targets of a named text are measured: it lets the two
        protocols be compared on the same tokens.

        Args:
            model: The checkpoint's.
            on_progress: Called with the share that is done, 0 .. 1.
        """
        stretch, protocol = self.model.stretch, self.model.asked.protocol
        losses = target_losses(
            model,
            stretch,
            eval_length=self.eval_length,
            protocol=protocol,
            stride=self.stride,
            on_progress=on_progress,
        )
        is_sliding = protocol == "sliding_window"
        bands = [] if is_sliding else losses_by_context(losses, stretch, self.eval_length)
        records = [self._record(losses, stretch, self.fields | {"bands": bands})]
        if self.model.is_named and self.model.sample is None:
            sample = _named(self.model.text, SAMPLE_TOKENS)
            about = {"sample": SAMPLE_TOKENS, "targets": sample.fingerprint, "bands": []}
            of_sample = losses[np.isin(stretch.targets, sample.targets)]
            records.append(self._record(of_sample, sample, self.fields | about))
        return records

    def _record(
        self, losses: NDArray[np.float32], stretch: Stretch, fields: dict[str, Any]
    ) -> Record:
        score = score_of(losses, stretch, token_bytes(self.model.tokenizer))
        measured = score_fields(score, stretch.block_means(losses))
        return Record(**fields, **measured, command=command_line())
