"""Byte-level BPE of 1,024 tokens, trained once on the training part of a named text and committed.

Byte-level: any text can be encoded, and every token stands for a fixed number of bytes, so that
bits per byte are exact.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from alibi_viz.paths import tokenizer_folder

VOCAB_SIZE = 1024
# Stands between two documents, and has no bytes.
END_OF_DOCUMENT = "<|endofdocument|>"
TOKENIZER_NAME = "tokenizer.json"
TOKENIZER_FILE = tokenizer_folder() / TOKENIZER_NAME

Tokens = NDArray[np.uint16]


def train_tokenizer(documents: Iterable[str], vocab_size: int = VOCAB_SIZE) -> Tokenizer:
    """Returns a byte-level BPE tokenizer learned from `documents`.

    Args:
        documents: Texts to count byte pairs in.
        vocab_size: Tokens, of which 256 are the bytes and one ends a document.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END_OF_DOCUMENT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(documents, trainer)
    return tokenizer


def load_tokenizer(path: Path = TOKENIZER_FILE) -> Tokenizer:
    """Returns the tokenizer stored at `path`.

    Raises:
        ValueError: No such file, or not a tokenizer.
    """
    if not path.is_file():
        raise ValueError(f"no tokenizer at {path}")
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # tokenizers raises plain Exception and nothing narrower
        raise ValueError(f"{path} is not a tokenizer: {error}") from None
    # A text that spells the special token is text like any other.
    tokenizer.encode_special_tokens = True
    return tokenizer


def tokenizer_fingerprint(tokenizer: Tokenizer) -> str:
    """Returns the SHA-256 of the tokenizer's definition, as 64 hexadecimal digits."""
    return hashlib.sha256(tokenizer.to_str().encode()).hexdigest()


def encode_documents(tokenizer: Tokenizer, documents: Iterable[str]) -> Tokens:
    """Returns the token ids of all documents, each followed by the end-of-document token."""
    end = tokenizer.token_to_id(END_OF_DOCUMENT)
    ids = [np.asarray([*tokenizer.encode(text).ids, end], np.uint16) for text in documents]
    return np.concatenate(ids)


def token_bytes(tokenizer: Tokenizer) -> NDArray[np.int64]:
    """Returns how many bytes of text each token stands for, as (vocab,); 0 for the special one."""
    vocabulary = tokenizer.get_vocab()
    lengths = np.zeros(tokenizer.get_vocab_size(), np.int64)
    for token, index in vocabulary.items():
        # In byte-level BPE one character of a token's name is one byte.
        lengths[index] = 0 if token == END_OF_DOCUMENT else len(token)
    return lengths
