"""The picture on the front door: the end of a text, read by four trained models.

Recorded for the given text, one row a model and length, by `python -m alibi_viz front-door`; made
anew, in a child process, for an ending that a visitor types. The place of the given text was chosen
for being easy to read; what holds on average stands in the records of perplexity.
"""

from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from alibi_viz.data.prepared import load_validation
from alibi_viz.data.tokenizer import Tokens, load_tokenizer
from alibi_viz.evaluation.front_door_file import LENGTHS, Ending
from alibi_viz.evaluation.last_word import METHODS_SHOWN, read_end
from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.model.transformer import Transformer
from alibi_viz.paths import CHECKPOINTS, FIRST_TEXT, run_name, tokenizer_folder

TRAIN_LENGTH = 128
SEED = 0
# Where the given ending ends in the validation tokens of each text.
ENDS_AT = {"code": 20_000, "prose": 299_327}
MOST_CHARACTERS = 300
"""Of a typed ending: what is read besides is the given text."""
# A typed ending is waited for: fewer lengths, and fewer words written.
TYPED_LENGTHS = tuple(length for length in LENGTHS if length <= 512)
TYPED_WRITTEN = 6


def shown_text() -> str:
    """Returns the name of the text whose models are all here: prose where it can be shown."""
    names = [run_name(key, TRAIN_LENGTH, SEED, text="prose") for key in METHODS_SHOWN]
    is_there = all((CHECKPOINTS / name / "config.json").is_file() for name in names)
    return "prose" if is_there else FIRST_TEXT


@lru_cache(maxsize=8)
def _model(method: str, text: str) -> Transformer:
    return load_checkpoint(CHECKPOINTS / run_name(method, TRAIN_LENGTH, SEED, text=text))[0]


def _given(text: str) -> Tokens:
    return load_validation(text).tokens[: ENDS_AT[text]]


def recorded(text: str) -> Ending:
    """Returns the given ending as every model reads it, at every length.

    Args:
        text: Name of the text that the models were trained on.
    """
    return Ending(text, TRAIN_LENGTH, tuple(_looks(_given(text), text)))


def _looks(tokens: Tokens, text: str) -> Iterator[dict[str, Any]]:
    for method in METHODS_SHOWN:
        for length in LENGTHS:
            yield asdict(read_end(_model(method, text), tokens, length, text=text))


def read_typed_ending(ending: str, text: str) -> dict[str, Any]:
    """Returns an ending that a visitor typed behind the given text, as every model reads it.

    Args:
        ending: At least one word, `MOST_CHARACTERS` at most.
        text: Name of the text that the models were trained on.

    Returns:
        An `Ending` as JSON can hold it.

    Raises:
        ValueError: No word, or too many characters.
    """
    typed = " ".join(ending.split())
    if not typed or len(typed) > MOST_CHARACTERS:
        raise ValueError(f"type 1 to {MOST_CHARACTERS} characters, not {len(typed)}")
    tokenizer = load_tokenizer(tokenizer_folder(text) / "tokenizer.json")
    own = np.asarray(tokenizer.encode(f" {typed}").ids, np.uint16)
    tokens = np.concatenate([_given(text), own])
    looks = [
        asdict(read_end(_model(method, text), tokens, length, text=text, write=TYPED_WRITTEN))
        for method in METHODS_SHOWN
        for length in TYPED_LENGTHS
    ]
    return asdict(Ending(text, TRAIN_LENGTH, tuple(looks)))
