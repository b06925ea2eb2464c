"""A text of one's own as token ids."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from alibi_viz.data.tokenizer import Tokens


def read_text(path: Path, *, name: str | None = None) -> str:
    """Returns the text of a UTF-8 file.

    Args:
        path: The file.
        name: What messages call it; its path if left out.

    Raises:
        ValueError: No such file, or not text; the message says why.
    """
    name = name or str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ValueError(f"no file at {name}") from None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not UTF-8 text: {error.reason} at byte {error.start}"
        ) from None
    if "\0" in text:
        raise ValueError(f"{name} is not text: it holds NUL characters")
    return text


def encode_text_file(path: Path, tokenizer: Tokenizer) -> tuple[Tokens, dict[str, Any]]:
    """Returns the token ids of a whole text file, and what a record says of it.

    Raises:
        ValueError: The file cannot be read as text.
    """
    text = read_text(path)
    fingerprint = hashlib.sha256(text.encode()).hexdigest()
    about = {"name": path.name, "version": "", "fingerprint": fingerprint}
    return np.asarray(tokenizer.encode(text).ids, np.uint16), about
