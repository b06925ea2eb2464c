"""Text cut into tokens, each with the bytes that it covers: emoji split over tokens included."""

import re
from dataclasses import dataclass
from typing import Any

from alibi_viz.child.telling import tell_asker
from alibi_viz.data.tokenizer import TOKENIZER_NAME
from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.inspection.loading.boundary import boundary
from alibi_viz.inspection.text.spans import TokenSpan, byte_starts, token_spans

CUTTING = f"{TOKENIZER_NAME} cuts the text into tokens"
"""What is told meanwhile: a tokenizer may take all the memory or time that there is."""
# What stands between two separators in a text of token numbers.
_NUMBER = re.compile(r"[^\s,;]+")


@dataclass(frozen=True)
class Token:
    """One token of a text."""

    id: int
    """Index in the vocabulary."""
    text: str
    r"""What it is of the text; bytes that are no character by themselves as \xf0. The name of one
    that covers no text, or that stands for text unknown to the vocabulary."""
    start: int
    """First byte that it covers, in the text's UTF-8."""
    end: int
    """One past the last byte; equal to `start` for a token that stands for no text of its own."""


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
    unknown: int = 0
    """Tokens that stand for text which the vocabulary does not have."""


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
    tell_asker(0.0, CUTTING)
    with boundary(TOKENIZER_NAME, "cannot cut this text into tokens"):
        tokenizer = _unlimited(tokenizer)
        encoding = tokenizer.encode(clean)
    tell_asker(0.0, "")
    if not encoding.ids:
        raise UnfitAsking("the text is empty: there is no token to look at")
    spans, unknown = token_spans(tokenizer, encoding, clean)
    tokens = tuple(
        Token(id, _shown(span, tokenizer.id_to_token(id) or name), span.start, span.end)
        for id, name, span in zip(encoding.ids, encoding.tokens, spans, strict=True)
    )
    kept = tokens if limit is None else tokens[:limit]
    lost = sum(unknown[: len(kept)])
    return TokenisedText(clean, kept, replaced, len(tokens) - len(kept), lost)


def _shown(span: TokenSpan, name: str) -> str:
    return name if span.shown is None else span.shown.decode("utf-8", errors="backslashreplace")


def tokens_of_numbers(
    text: str | bytes, vocab_size: int, limit: int | None = None
) -> TokenisedText:
    """Returns the tokens of a text of token numbers, for a model that came without a tokenizer.

    Args:
        text: Whole numbers with spaces, commas or lines between, such as "17 4 902".
        vocab_size: Tokens of the model's vocabulary.
        limit: Most tokens to keep; all if left out.

    Raises:
        UnfitAsking: Anything else than numbers of the vocabulary; the message says what is allowed.
    """
    clean, _ = _as_unicode(text)
    found = list(_NUMBER.finditer(clean))
    allowed = (
        "this model came without a tokenizer and reads a text of token numbers, whole ones from 0 "
        f'to {vocab_size - 1:,}, such as "17 4 {min(902, vocab_size - 1)}"'
    )
    for match in found:
        if not match[0].isascii() or not match[0].isdigit() or int(match[0]) >= vocab_size:
            raise UnfitAsking(f'{allowed}; got "{match[0][:20]}"')
    if not found:
        raise UnfitAsking(f"{allowed}; got none")
    starts = byte_starts(clean)
    tokens = tuple(
        Token(int(match[0]), match[0], starts[match.start()], starts[match.end()])
        for match in found
    )
    kept = tokens if limit is None else tokens[:limit]
    return TokenisedText(clean, kept, 0, len(tokens) - len(kept))


def _as_unicode(text: str | bytes) -> tuple[str, int]:
    """Returns text that can be encoded as UTF-8, and how many places had to be replaced."""
    if isinstance(text, bytes):
        clean = text.decode("utf-8", errors="replace")
        return clean, clean.count("�") - text.count("�".encode())
    # Lone surrogates are no characters; pairs are joined.
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", errors="replace")
    return clean, clean.count("�") - text.count("�")


def _unlimited(tokenizer: Any) -> Any:
    """Returns a tokenizer without the truncation and padding that its file may bring.

    A text is cut here, and that is said; padding would be looked at as if it were text.
    """
    if tokenizer.truncation is None and tokenizer.padding is None:
        return tokenizer
    plain = type(tokenizer).from_str(tokenizer.to_str())
    plain.encode_special_tokens = tokenizer.encode_special_tokens
    plain.no_truncation()
    plain.no_padding()
    return plain
