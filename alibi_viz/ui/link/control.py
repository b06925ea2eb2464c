"""A control, described once as data: what may be chosen, how it looks, what a link's text means."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np

Value = TypeVar("Value", bound=str | float)


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


@dataclass(frozen=True)
class Control(Generic[Value]):
    """One control bound to the URL: its key, what may be chosen, and how it looks."""

    key: str
    """Name of the widget, of its parameter in the URL and of its CSS class, st-key-<key>."""
    label: str
    """What stands above it, with the unit."""
    options: Sequence[Value]
    """Every allowed value: rising numbers, or names."""
    default: Value
    """The value that a URL without the parameter means; one of the options."""
    allowed: str = ""
    """The allowed values in words, for the note about a link that asks for another; the options
    one by one if empty."""
    kind: Literal["slider", "choice", "list", "number"] = "slider"
    """A slider over the options, buttons for a few names, a list to open for many, or a field for
    many whole numbers."""
    help: str | None = None
    """What a visitor reads behind the question mark."""

    def nearest(self, text: str) -> Value:
        """Returns the allowed value nearest to what a URL says; the default where it says nothing.

        Args:
            text: The parameter as it stands in the URL.
        """
        if self.kind in ("choice", "list"):
            return next((option for option in self.options if option == text), self.default)
        try:
            asked = float(text)
        except ValueError:
            return self.default
        if math.isnan(asked):
            return self.default
        # Past the ends every distance from infinity is infinite, so the ends come first.
        asked = min(max(asked, float(self.options[0])), float(self.options[-1]))
        return min(self.options, key=lambda option: abs(float(option) - asked))

    def is_exactly(self, text: str, value: Value) -> bool:
        """Returns whether a URL's text already means that value, however it is spelled."""
        if text == text_of(value):
            return True
        try:
            return float(text) == value
        except ValueError:
            return False


def choice(
    key: str,
    label: str,
    options: Sequence[Value],
    default: Value | None = None,
    *,
    allowed: str = "",
    help: str | None = None,
) -> Control[Value]:
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
