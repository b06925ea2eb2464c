"""Text cut into tokens, each with the bytes that it covers: emoji split over tokens included."""

from dataclasses import dataclass
from typing import Any

from alibi_viz.child.telling import tell_asker
from alibi_viz.data.tokenizer import TOKENIZER_NAME
from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.inspection.loading.boundary import boundary

CUTTING = f"{TOKENIZER_NAME} cuts the text into tokens"
"""What is told meanwhile: a tokenizer may take all the memory or time that there is."""


@dataclass(frozen=True)
class Token:
    """One token of a text."""

    id: int
    """Index in the vocabulary."""
    text: str
    r"""What it covers; bytes that are no character by themselves as \xf0."""
    start: int
    """First byte that it covers, in the text's UTF-8."""
    end: int
    """One past the last byte; equal to `start` for a token that stands for no text."""


@dataclass(frozen=True)
class TokenisedText:
    """A text as a model sees it."""

    text: str
    """The text; bytes that were no UTF-8 stand replaced."""
    tokens: tuple[Token, ...]
    replaced: int
    """Places where the input was no UTF-8 and the replacement character stands instead."""
    cut: int
    """Tokens left out at the end because the limit was reached."""


def tokenise(tokenizer: Any, text: str | bytes, limit: int | None = None) -> TokenisedText:
    """Returns a text's tokens with the bytes that each covers.

    Args:
        tokenizer: A `tokenizers.Tokenizer`, or None where the model came without one.
        text: Text, or bytes that need not be UTF-8.
        limit: Most tokens to keep; all if left out.

    Raises:
        UnreadableModel: There is no tokenizer, or it fails on this text.
        UnfitAsking: No token is left to look at.
    """
    if tokenizer is None:
        raise UnreadableModel("this model came without a tokenizer, so it reads no text")
    clean, replaced = _as_unicode(text)
    # What it fills up or leaves out is no part of the text.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tell_asker(0.0, CUTTING)
    with boundary(TOKENIZER_NAME, "cannot cut this text into tokens"):
        encoding = tokenizer.encode(clean)
    tell_asker(0.0, "")
    if not encoding.ids:
        raise UnfitAsking("the text is empty: there is no token to look at")
    data = clean.encode()
    spans = _byte_spans(encoding, data, clean)
    tokens = tuple(
        Token(id, _shown(data[a:b], name), a, b)
        for id, name, (a, b) in zip(encoding.ids, encoding.tokens, spans, strict=True)
    )
    kept = tokens if limit is None else tokens[:limit]
    return TokenisedText(clean, kept, replaced, len(tokens) - len(kept))


def _as_unicode(text: str | bytes) -> tuple[str, int]:
    """Returns text that can be encoded as UTF-8, and how many places had to be replaced."""
    if isinstance(text, bytes):
        clean = text.decode("utf-8", errors="replace")
        return clean, clean.count("�") - text.count("�".encode())
    # Lone surrogates are no characters; pairs are joined.
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", errors="replace")
    return clean, clean.count("�") - text.count("�")


def _shown(data: bytes, name: str) -> str:
    return data.decode("utf-8", errors="backslashreplace") if data else name


def _byte_spans(encoding: Any, data: bytes, text: str) -> list[tuple[int, int]]:
    """Returns the bytes of each token, exactly where the tokenizer works on bytes."""
    exact = _byte_level_spans(encoding, data)
    return exact if exact is not None else _character_spans(encoding, text)


def _byte_level_spans(encoding: Any, data: bytes) -> list[tuple[int, int]] | None:
    """Returns spans read from a byte-level tokenizer's names, None if it is not one."""
    pieces = []
    for name, is_special in zip(encoding.tokens, encoding.special_tokens_mask, strict=True):
        piece = b"" if is_special else _bytes_of_name(name)
        if piece is None:
            return None
        pieces.append(piece)
    joined = b"".join(pieces)
    # Some put a space of their own before the text.
    extra = len(joined) - len(data)
    if extra not in (0, 1) or joined != b" " * extra + data:
        return None
    spans, position = [], -extra
    for piece in pieces:
        spans.append((max(position, 0), max(position + len(piece), 0)))
        position += len(piece)
    return spans


def _character_spans(encoding: Any, text: str) -> list[tuple[int, int]]:
    """Returns spans from character offsets; tokens that share a character share out its bytes."""
    starts = [0]
    for character in text:
        starts.append(starts[-1] + len(character.encode()))
    spans = [(starts[a], starts[b]) for a, b in encoding.offsets]
    first = 0
    while first < len(spans):
        after = first + 1
        while after < len(spans) and spans[after] == spans[first]:
            after += 1
        start, end = spans[first]
        if after - first > 1 and after - first == end - start:
            spans[first:after] = [(byte, byte + 1) for byte in range(start, end)]
        first = after
    return spans


def _bytes_of_name(name: str) -> bytes | None:
    """Returns the bytes that a byte-level token's name spells, None for a name of another kind."""
    if any(character not in _BYTES for character in name):
        return None
    return bytes(_BYTES[character] for character in name)


def _byte_alphabet() -> dict[str, int]:
    """Returns which byte each character of GPT-2's byte alphabet stands for.

    Printable bytes of Latin-1 stand for themselves, the others for characters from 256 on.

    Source: `bytes_to_unicode` in https://github.com/openai/gpt-2, src/encoder.py.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    names = {chr(byte): byte for byte in printable}
    return names | {chr(256 + index): byte for index, byte in enumerate(others)}


_BYTES = _byte_alphabet()
