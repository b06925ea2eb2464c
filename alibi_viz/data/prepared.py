"""A corpus as token ids, encoded once a machine; and the validation tokens that records score.

The committed validation tokens come from one Python version. They are what makes a record
recomputable where another Python is installed.
"""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from alibi_viz.data.corpus import NAMED_TEXTS, Corpus, load_corpus, name_of_text
from alibi_viz.data.overlap import repeated
from alibi_viz.data.tokenizer import (
    END_OF_DOCUMENT,
    TOKENIZER_NAME,
    Tokens,
    encode_documents,
    load_tokenizer,
    token_bytes,
    tokenizer_fingerprint,
)
from alibi_viz.files import write_bytes
from alibi_viz.paths import CACHE, FIRST_TEXT, tokenizer_folder

VALIDATION_NAME = "validation.npz"


@dataclass(frozen=True)
class Prepared:
    """Token ids of a corpus and what a record says of them."""

    train: Tokens
    """(train,) token ids."""
    validation: Tokens
    """(validation,) token ids."""
    bytes_per_token: np.ndarray[Any, np.dtype[np.int64]]
    """(vocab,) bytes of text that each token stands for."""
    corpus: dict[str, Any]
    """Name, version and fingerprint of the corpus, and its sizes."""
    tokenizer: dict[str, Any]
    """Kind, size and fingerprint of the tokenizer."""


@dataclass(frozen=True)
class Validation:
    """What records of a named text are measured on, the same on every machine."""

    tokens: Tokens
    """(token,) ids of all validation documents."""
    seen: NDArray[np.bool_]
    """(token,) whether it lies in a span found word for word in the training part."""
    starts: NDArray[np.int64]
    """(file,) index of each document's first token."""
    names: tuple[str, ...]
    """(file,) what each document is called."""
    corpus: dict[str, Any]
    """Name, version and fingerprint of the corpus, and its sizes."""


def describe_tokenizer(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns what a checkpoint says of its tokenizer."""
    return {
        "kind": "byte-level BPE",
        "vocab_size": tokenizer.get_vocab_size(),
        "fingerprint": tokenizer_fingerprint(tokenizer),
    }


def save_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Writes arrays as a compressed npz that is there whole or not at all."""
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    write_bytes(path, content.getvalue())


def _encode(corpus: Corpus, tokenizer: Tokenizer) -> tuple[Tokens, Tokens]:
    parts = (corpus.train, corpus.validation)
    train, validation = (encode_documents(tokenizer, part) for part in parts)
    return train, validation


def _encode_once(corpus: Corpus, tokenizer: Tokenizer, cache: Path) -> tuple[Tokens, Tokens]:
    name = f"{corpus.fingerprint[:16]}-{tokenizer_fingerprint(tokenizer)[:16]}.npz"
    path = cache / "corpus" / name
    if not path.is_file():
        train, validation = _encode(corpus, tokenizer)
        save_arrays(path, {"train": train, "validation": validation})
    with np.load(path, allow_pickle=False) as arrays:
        return arrays["train"], arrays["validation"]


def tokenizer_file(text: str = FIRST_TEXT) -> Path:
    """Returns the tokenizer of a named text; a text file is encoded with that of the first one."""
    return tokenizer_folder(text if text in NAMED_TEXTS else FIRST_TEXT) / TOKENIZER_NAME


def known_tokenizers() -> dict[str, Tokenizer]:
    """Returns the tokenizers of the named texts, by their fingerprints."""
    tokenizers = [load_tokenizer(tokenizer_file(text)) for text in NAMED_TEXTS]
    return {tokenizer_fingerprint(tokenizer): tokenizer for tokenizer in tokenizers}


def prepare_corpus(text: str = FIRST_TEXT, *, cache: Path = CACHE) -> Prepared:
    """Returns the training and validation tokens of a text, as this machine has it.

    A text file leaves nothing in the cache: it is somebody's own, and gone when they delete it.

    Args:
        text: The name of a text; any other word is the path of a text file.
        cache: Folder to keep the token ids of named texts in.

    Raises:
        ValueError: The corpus or the tokenizer cannot be used; the message says why.
    """
    corpus = load_corpus(text)
    tokenizer = load_tokenizer(tokenizer_file(text))
    is_named = text in NAMED_TEXTS
    train, validation = (
        _encode_once(corpus, tokenizer, cache) if is_named else _encode(corpus, tokenizer)
    )
    return Prepared(
        train, validation, token_bytes(tokenizer), corpus.describe(), describe_tokenizer(tokenizer)
    )


def tokenizer_of(about: dict[str, Any], name: str) -> tuple[str, Tokenizer]:
    """Returns the named text whose tokenizer a checkpoint was trained with, and that tokenizer.

    Args:
        about: The checkpoint's config.json.
        name: What messages call the checkpoint.

    Raises:
        ValueError: It was trained with another one, so its token ids mean something else.
    """
    wanted = (about.get("tokenizer") or {}).get("fingerprint")
    for text, (fingerprint, tokenizer) in zip(NAMED_TEXTS, known_tokenizers().items(), strict=True):
        if fingerprint == wanted:
            return text, tokenizer
    raise ValueError(
        f"{name} was trained with another tokenizer ({str(wanted)[:12]}) than that of "
        f"{' or '.join(NAMED_TEXTS)}: its token ids mean something else"
    )


def measured_text(about: dict[str, Any], name: str) -> str:
    """Returns the named text that a checkpoint is measured on: its own, or its tokenizer's.

    Args:
        about: The checkpoint's config.json.
        name: What messages call the checkpoint.

    Raises:
        ValueError: As in `tokenizer_of`.
    """
    return name_of_text(about.get("data") or {}) or tokenizer_of(about, name)[0]


def make_validation(text: str, *, cache: Path = CACHE) -> Validation:
    """Returns the validation tokens of a named text, marked where training has seen them.

    Args:
        text: The name of a text.
        cache: Folder to keep the token ids in.

    Raises:
        ValueError: The corpus or the tokenizer cannot be used; the message says why.
    """
    prepared = prepare_corpus(text, cache=cache)
    tokens, names = prepared.validation, load_corpus(text).validation_names
    end = load_tokenizer(tokenizer_file(text)).token_to_id(END_OF_DOCUMENT)
    starts = np.concatenate([[0], np.nonzero(tokens == end)[0][:-1] + 1])
    return Validation(tokens, repeated(tokens, prepared.train), starts, names, prepared.corpus)


def save_validation(validation: Validation, path: Path) -> None:
    """Writes validation tokens and what is known of them."""
    arrays = vars(validation) | {
        "names": np.asarray(validation.names),
        "corpus": np.asarray(json.dumps(validation.corpus)),
    }
    save_arrays(path, arrays)


def load_validation(text: str = FIRST_TEXT, *, path: Path | None = None) -> Validation:
    """Returns the committed validation tokens of a named text.

    Args:
        text: The name of a text.
        path: The file to read; the text's own if left out.

    Raises:
        ValueError: No such file, or another kind of file.
    """
    path = path or tokenizer_folder(text) / VALIDATION_NAME
    if not path.is_file():
        raise ValueError(f"no validation tokens at {path}")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            names = tuple(arrays["names"].tolist())
            corpus = json.loads(str(arrays["corpus"]))
            return Validation(arrays["tokens"], arrays["seen"], arrays["starts"], names, corpus)
    except (ValueError, KeyError, OSError) as error:
        raise ValueError(f"{path} holds no validation tokens: {error}") from None
