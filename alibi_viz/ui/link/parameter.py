"""The parameters of links: what each may be, what a link's text means, how it is spelled.

Whatever stands in a link of the app is one of these: a choice of one (`Control`) or of several
(`Several`), whole numbers chosen within a figure (`Numbers`), or words (`Words`).
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import numpy as np

Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=str | float)

_LONGEST_QUOTE = 40
# No token, head or layer has more digits.
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def text_of(value: Any) -> str:
    """Returns a value as controls and the URL spell it.

    >>> [text_of(value) for value in (8, 8.0, 0.25, "bias")]
    ['8', '8', '0.25', 'bias']
    """
    return (
        str(value)
        if isinstance(value, (str, int))
        else np.format_float_positional(value).rstrip(".")
    )


def quoted(text: str) -> str:
    r"""Returns the start of a link's text, as it may stand between the backticks of Markdown.

    >>> quoted("8`;\n\n no line ends")
    '8; no line ends'
    """
    # A blank line would end the backticks, and what follows it would be Markdown.
    return " ".join(text.replace("`", "").split())[:_LONGEST_QUOTE]


class Parameter(ABC, Generic[Value]):
    """One parameter of a link; its kinds are frozen, and compare by what they say."""

    key: str
    """Name in the URL, of the widget and of its CSS class, st-key-<key>."""
    label: str
    """What stands above it, with the unit."""
    default: Value
    """What a link without the parameter means."""
    allowed: str
    """The allowed values in words, for the note about a link that asks for another."""
    help: str | None = None
    """What a visitor reads behind the question mark."""
    is_offered: bool = True
    """Whether the link builder has a field for it."""

    @abstractmethod
    def nearest(self, *texts: str) -> Value:
        """Returns the allowed value nearest to what a link says; the default if to none.

        Args:
            texts: The parameter as often as it stands in the URL.
        """

    @abstractmethod
    def means(self, value: Value, *texts: str) -> bool:
        """Returns whether a link's texts say just that value, however they spell it."""

    def spelled(self, value: Value) -> list[str]:
        """Returns a value as its widget writes it into the URL, a text for each occurrence."""
        return [self.short(value)]

    def short(self, value: Value) -> str:
        """Returns a value in one text, as links that are handed out spell it."""
        return text_of(value)

    def refusal(self, value: Value, *texts: str) -> str:
        """Returns the note about texts that are not allowed, in Markdown.

        Args:
            value: What the page shows in their place.
            texts: What the link says.
        """
        shown = ", ".join(self.spelled(value)) or "none"
        return (
            f"The link asks for `{self.key}={quoted(','.join(texts))}`, which is not allowed. "
            f"Shown instead: {shown}. Allowed: {self.allowed}."
        )


@dataclass(frozen=True)
class Control(Parameter[Choice]):
    """One of a list of values."""

    key: str
    label: str
    options: Sequence[Choice]
    """Every allowed value: rising numbers, or names."""
    default: Choice
    allowed: str = ""
    """The options one by one if empty."""
    kind: Literal["slider", "choice", "list", "number"] = "slider"
    """A slider over the options, buttons for a few names, a list to open for many, or a field for
    many whole numbers."""
    help: str | None = None
    aliases: Mapping[str, Choice] = field(default_factory=dict)
    """Other spellings of options."""

    def __post_init__(self) -> None:
        """Fills in what is left empty."""
        words = self.allowed or ", ".join(map(text_of, self.options))
        object.__setattr__(self, "allowed", words)

    def nearest(self, *texts: str) -> Choice:
        """Returns the option nearest to what a link says last."""
        text = texts[-1] if texts else ""
        if self.kind in ("choice", "list"):
            chosen: Choice = _named(text, self.options, self.aliases, self.default)
            return chosen
        try:
            asked = float(text)
        except ValueError:
            return self.default
        if math.isnan(asked):
            return self.default
        # Past the ends every distance from infinity is infinite, so the ends come first.
        asked = min(max(asked, float(self.options[0])), float(self.options[-1]))
        return min(self.options, key=lambda option: abs(float(option) - asked))

    def means(self, value: Choice, *texts: str) -> bool:
        """Returns whether the last of the texts is that option or its number."""
        text = texts[-1] if texts else ""
        if _named(text, self.options, self.aliases, None) == value:
            return True
        try:
            return float(text) == value
        except ValueError:
            return False


def _named(text: str, options: Sequence[Any], aliases: Mapping[str, Any], otherwise: Any) -> Any:
    """Returns the option of that name or other spelling, in upper or lower case."""
    if text in options:
        return text
    spellings = {text_of(option).lower(): option for option in options}
    spellings |= {alias.lower(): option for alias, option in aliases.items()}
    return spellings.get(text.lower(), otherwise)


def choice(
    key: str,
    label: str,
    options: Sequence[Choice],
    default: Choice | None = None,
    *,
    allowed: str = "",
    help: str | None = None,
) -> Control[Choice]:
    """Returns a control with a button for each of a few names.

    Args:
        key: As for `Control`, and so are the others.
        label: What stands above it.
        options: The names.
        default: The first of them if left out.
        allowed: The names in words.
        help: What a visitor reads behind the question mark.
    """
    default = options[0] if default is None else default
    return Control(key, label, options, default, allowed, "choice", help)


@dataclass(frozen=True)
class Several(Parameter[tuple[str, ...]]):
    """Several of a few names at once, in the order of the names."""

    key: str
    label: str
    options: tuple[str, ...]
    """Every name that can be chosen."""
    default: tuple[str, ...] = ()
    """All names if empty."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of names; links that are handed out prefer them."""
    most: int | None = None
    """How many may be chosen at once; as many as there are if None."""
    kind: Literal["pills", "list"] = "pills"
    """Buttons for a few names, or a list to open for many."""
    may_be_empty: bool = False
    """Whether a link may ask for none."""
    allowed: str = ""
    """The names one by one if empty."""
    help: str | None = None

    def __post_init__(self) -> None:
        """Fills in what is left empty."""
        object.__setattr__(self, "default", self.default or self.options)
        object.__setattr__(self, "allowed", self.allowed or ", ".join(self.options))

    def nearest(self, *texts: str) -> tuple[str, ...]:
        """Returns the names that a link says and that there are; the default if it says none."""
        asked = self._asked(texts)
        chosen = tuple(name for name in self.options if name in asked)[: self.most]
        return chosen if chosen or self._asks_for_none(texts) else self.default

    def means(self, value: tuple[str, ...], *texts: str) -> bool:
        """Returns whether the texts name these and nothing that is not there."""
        return self._asked(texts) == set(value) and (bool(value) or self._asks_for_none(texts))

    def spelled(self, value: tuple[str, ...]) -> list[str]:
        """Returns the names, one a text; one empty text for none."""
        return list(value) or [""]

    def short(self, value: tuple[str, ...]) -> str:
        """Returns the names in one text, joined by commas."""
        other = {option: alias for alias, option in self.aliases.items()}
        return ",".join(other.get(name, name) for name in value)

    def _asked(self, texts: Sequence[str]) -> set[str | None]:
        """Returns the names that are asked for, and None where there is one that nothing has."""
        asked: set[str | None] = set()
        for text in texts:
            name = _named(text, self.options, self.aliases, None)
            # Between commas, or between dots where a mail program has made them so.
            parts = [part.strip() for part in re.split("[,.]", text)]
            others = {_named(part, self.options, self.aliases, None) for part in parts if part}
            asked |= {name} if name else others
        return asked

    def _asks_for_none(self, texts: Sequence[str]) -> bool:
        return self.may_be_empty and bool(texts) and not any(texts)


@dataclass(frozen=True)
class Numbers(Parameter[tuple[int, ...]]):
    """Whole numbers that are chosen within a figure; in a link they are joined by dots."""

    key: str
    label: str
    labels: tuple[str, ...]
    """What each number is."""
    default: tuple[int, ...]
    highest: tuple[int, ...]
    """The largest that each may be."""
    allowed: str
    lowest: int = 1
    """The smallest that each may be."""
    is_falling: bool = False
    """Whether none may be larger than the one before, as a key is never after its query."""
    is_offered: bool = True

    def nearest(self, *texts: str) -> tuple[int, ...]:
        """Returns the allowed numbers nearest to those that a link says last."""
        asked = self._read(texts) or self.default
        near: list[int] = []
        for number, highest in zip(asked, self.highest, strict=True):
            if self.is_falling and near:
                highest = near[-1]
            near.append(min(max(number, self.lowest), highest))
        return tuple(near)

    def means(self, value: tuple[int, ...], *texts: str) -> bool:
        """Returns whether the last of the texts says these numbers."""
        return self._read(texts) == value

    def short(self, value: tuple[int, ...]) -> str:
        """Returns the numbers joined by dots."""
        return ".".join(map(str, value))

    def _read(self, texts: Sequence[str]) -> tuple[int, ...] | None:
        parts = texts[-1].split(".") if texts else []
        if len(parts) != len(self.labels) or not all(map(_WHOLE.fullmatch, parts)):
            return None
        return tuple(map(int, parts))


@dataclass(frozen=True)
class Words(Parameter[str]):
    """Words that a visitor types, or a name that the app has given."""

    key: str
    label: str
    allowed: str
    pattern: str = r".*"
    """Regular expression of every allowed text."""
    longest: int = 80
    """Characters."""
    help: str | None = None
    is_offered: bool = True
    default: str = ""

    def nearest(self, *texts: str) -> str:
        """Returns the beginning of what a link says last; nothing where that is not allowed."""
        text = texts[-1][: self.longest] if texts else ""
        return text if re.fullmatch(self.pattern, text, re.DOTALL) else self.default

    def means(self, value: str, *texts: str) -> bool:
        """Returns whether the last of the texts is just that."""
        return bool(texts) and texts[-1] == value
