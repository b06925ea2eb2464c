"""Which bytes of a text each token stands for, whatever kind of tokenizer cut it.

A tokenizer tells of each token its name and, in characters, where it comes from. Tokens that come
from the same characters are told apart by what their names spell: bytes of an emoji, a letter and
its accent, or a space that the tokenizer put before the text and that covers nothing of it.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# A byte of a character that the vocabulary lacks, as SentencePiece names it.
_FALLBACK = re.compile(r"<0x([0-9A-F]{2})>")
# What stands for a space in a name, with SentencePiece.
_SPACE = "▁"


@dataclass(frozen=True)
class TokenSpan:
    """What one token covers."""

    start: int
    """First byte of the text."""
    end: int
    """One past the last byte; equal to `start` for a token that stands for no text of its own."""
    shown: bytes | None
    """What it is in the text; None where only its name tells: it covers nothing, or is unknown."""


@dataclass
class _Piece:
    """A token on its way to its span."""

    first: int
    """First character of the text that it comes from."""
    after: int
    """One past the last one."""
    spelled: bytes | None
    """What its name spells; None for one that is unknown to the vocabulary."""


def token_spans(tokenizer: Any, encoding: Any, text: str) -> tuple[list[TokenSpan], list[bool]]:
    """Returns what each token covers, and whether it is unknown to the vocabulary.

    Args:
        tokenizer: A `tokenizers.Tokenizer`.
        encoding: What it made of the text.
        text: The text.
    """
    unknown = [
        _is_unknown(tokenizer, id, name)
        for id, name in zip(encoding.ids, encoding.tokens, strict=True)
    ]
    spans = _byte_level_spans(encoding, text.encode())
    if spans is None:
        spans = _spans_of_pieces(_pieces(tokenizer, encoding, unknown, text), text)
    named = [
        TokenSpan(span.start, span.end, None if is_unknown else span.shown)
        for span, is_unknown in zip(spans, unknown, strict=True)
    ]
    return named, unknown


def _is_unknown(tokenizer: Any, id: int, name: str) -> bool:
    # Unigram names an unknown token by what stands in the text; its vocabulary does not.
    return name == getattr(tokenizer.model, "unk_token", None) or name != tokenizer.id_to_token(id)


def _byte_level_spans(encoding: Any, data: bytes) -> list[TokenSpan] | None:
    """Returns spans read from a byte-level tokenizer's names; None if they spell another text."""
    pieces = []
    for name, is_special in zip(encoding.tokens, encoding.special_tokens_mask, strict=True):
        piece = b"" if is_special else bytes_of_name(name)
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
        start, position = max(position, 0), position + len(piece)
        end = max(position, 0)
        spans.append(TokenSpan(start, end, data[start:end] or None))
    return spans


def _pieces(tokenizer: Any, encoding: Any, unknown: list[bool], text: str) -> list[_Piece]:
    """Returns tokens with their characters; those that stand for no text come from none."""
    is_byte_level = any(
        part is not None and b'"ByteLevel"' in part.__getstate__()
        for part in (tokenizer.pre_tokenizer, tokenizer.normalizer)
    )
    pieces = []
    for index, (name, (first, after)) in enumerate(
        zip(encoding.tokens, encoding.offsets, strict=True)
    ):
        if encoding.special_tokens_mask[index]:
            first = after = 0
        spelled = None if unknown[index] else _spelled(tokenizer, name, is_byte_level)
        pieces.append(_Piece(first, after, spelled))
    _take_marks(pieces, text)
    return pieces


def _spelled(tokenizer: Any, name: str, is_byte_level: bool) -> bytes:
    """Returns what a token's name stands for, without what only marks its place in a word."""
    as_bytes = bytes_of_name(name) if is_byte_level else None
    if as_bytes is not None:
        return as_bytes
    fallback = _FALLBACK.fullmatch(name)
    if fallback:
        return bytes([int(fallback[1], 16)])
    model = tokenizer.model
    name = name.removeprefix(getattr(model, "continuing_subword_prefix", None) or "")
    name = name.removesuffix(getattr(model, "end_of_word_suffix", None) or "")
    return name.replace(_SPACE, " ").encode()


def _take_marks(pieces: list[_Piece], text: str) -> None:
    """Gives accents that were joined to the letter before them to that letter's tokens."""
    taken = {at for piece in pieces for at in range(piece.first, piece.after)}
    for piece in pieces:
        end, after = piece.after, piece.after
        while after < len(text) and after not in taken and unicodedata.combining(text[after]):
            after += 1
        if end > piece.first:
            piece.after = after


def _spans_of_pieces(pieces: list[_Piece], text: str) -> list[TokenSpan]:
    starts = byte_starts(text)
    data, spans = text.encode(), list[TokenSpan]()
    for group in _that_overlap(pieces):
        done, after = spans[-1].end if spans else 0, max(piece.after for piece in group)
        if group[0].after == group[0].first:
            spans.append(TokenSpan(done, done, None))
        elif len(group) == 1:
            start, end = max(starts[group[0].first], done), starts[after]
            spans.append(TokenSpan(start, end, data[start:end] or None))
        else:
            spans += _shared(group, data, starts, done)
    return spans


def _that_overlap(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Yields neighbours that come from the same characters, or the only one that does."""
    group, after = list[_Piece](), 0
    for piece in pieces:
        is_more = piece.first < min(piece.after, after)
        if group and not is_more:
            yield group
            group = []
        group = [*group, piece]
        after = max(after, piece.after) if is_more else piece.after
    yield group


def _shared(group: list[_Piece], data: bytes, starts: list[int], done: int) -> list[TokenSpan]:
    """Returns the spans of tokens that come from the same characters."""
    source = data[starts[group[0].first] : starts[max(piece.after for piece in group)]]
    spelled = _without_own_space([piece.spelled for piece in group], source)
    known = [piece for piece in spelled if piece is not None]
    if len(known) == len(spelled) and b"".join(known) == source:
        spans, position = [], starts[group[0].first]
        for part in known:
            spans.append(TokenSpan(position, position + len(part), part or None))
            position += len(part)
        return spans
    # What they spell is another form of what stands there: the first takes it, all are shown.
    spans = []
    for piece, shown in zip(group, spelled, strict=True):
        start = max(starts[piece.first], done)
        done = start if shown == b"" else max(starts[piece.after], start)
        spans.append(TokenSpan(start, done, shown or None))
    return spans


def _without_own_space(spelled: list[bytes | None], source: bytes) -> list[bytes | None]:
    """Returns what tokens spell without spaces that the tokenizer put before the text itself."""
    # An unknown token is no space, whatever it is.
    joined = b"".join(b"?" if piece is None else piece for piece in spelled)
    extra, cleaned = max(_spaces(joined) - _spaces(source), 0), list[bytes | None]()
    for piece in spelled:
        drop = min(extra, _spaces(piece or b""))
        extra -= drop
        cleaned.append(None if piece is None else piece[drop:])
    return cleaned


def _spaces(piece: bytes) -> int:
    """Returns how many spaces stand at the beginning."""
    return len(piece) - len(piece.lstrip(b" "))


def byte_starts(text: str) -> list[int]:
    """Returns the first byte of each character in UTF-8, and the end of the last one."""
    return [0, *itertools.accumulate(len(character.encode()) for character in text)]


def bytes_of_name(name: str) -> bytes | None:
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
