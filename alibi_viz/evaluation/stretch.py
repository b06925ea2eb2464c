"""The text to score: the committed validation tokens, or a text file."""

from dataclasses import dataclass
from pathlib import Path

from alibi_viz.data.prepared import load_validation
from alibi_viz.data.text import encode_text_file
from alibi_viz.data.tokenizer import Tokens, load_tokenizer
from alibi_viz.evaluation.records import describe_corpus
from alibi_viz.evaluation.score import Protocol

# The targets begin behind the 16,384 validation tokens that learning rates were chosen on. The same
# for both protocols: of two numbers of tokens the smaller one is the beginning of the larger one.
FIRST_TARGET = 16_385


@dataclass(frozen=True)
class Stretch:
    """The text to score: which tokens are targets, and what stands before them."""

    tokens: Tokens
    """(token,) ids."""
    first_target: int
    """Index of the first scored token, at least 1; those before it are context only."""
    count: int
    """Number of scored tokens."""

    def __post_init__(self) -> None:
        """Raises ValueError if the scored tokens are not all there."""
        if self.first_target < 1 or self.count < 1:
            raise ValueError(
                f"first_target and count must be at least 1, got {self.first_target} "
                f"and {self.count}"
            )
        if self.first_target + self.count > len(self.tokens):
            raise ValueError(
                f"the text has {len(self.tokens)} tokens; scoring {self.count} after "
                f"{self.first_target} of context needs {self.first_target + self.count}"
            )

    @property
    def targets(self) -> Tokens:
        """(count,) ids of the scored tokens."""
        return self.tokens[self.first_target : self.first_target + self.count]


def read_stretch(
    text: Path | None, count: int, lengths: list[int], protocol: Protocol
) -> tuple[Stretch, str]:
    """Returns the text to score and its description.

    The committed validation tokens are always scored from the same target on. Another text is
    scored as far as it goes, up to `count` tokens.

    Args:
        text: A text file, or None for the validation tokens.
        count: Tokens to score.
        lengths: Windows that will be measured, in tokens.
        protocol: How they will be measured.

    Raises:
        ValueError: Not a text, or too short for the longest window.
    """
    if text is None:
        tokens, corpus = load_validation()
        return Stretch(tokens, FIRST_TARGET, count), describe_corpus(corpus)
    tokens, corpus = encode_text_file(text, load_tokenizer())
    first = 1 if protocol == "nonoverlapping" else max(lengths)
    needed = first + (max(lengths) if protocol == "nonoverlapping" else 1)
    if len(tokens) < needed:
        raise ValueError(
            f"{text} has {len(tokens)} tokens, a window of {max(lengths)} needs {needed}"
        )
    return Stretch(tokens, first, min(count, len(tokens) - first)), describe_corpus(corpus)
