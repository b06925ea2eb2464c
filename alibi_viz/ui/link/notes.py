"""What a page says of a link that asks for what it may not have, for as long as that stands."""

from typing import Any

import streamlit as st

_LONGEST_QUOTE = 40


def quoted(text: str) -> str:
    r"""Returns the start of a link's text, as it may stand between the backticks of Markdown.

    >>> quoted("8`;\n\n no line ends")
    '8; no line ends'
    """
    # A blank line would end the backticks, and what follows it would be Markdown.
    return " ".join(text.replace("`", "").split())[:_LONGEST_QUOTE]


def refusal(name: str, asked: str, *, shown: str, allowed: str) -> str:
    """Returns the note about a parameter that is not allowed, in Markdown.

    Args:
        name: The parameter's name in the URL.
        asked: What the link says.
        shown: What the page shows in its place.
        allowed: The allowed values in words.
    """
    return (
        f"The link asks for `{name}={quoted(asked)}`, which is not allowed. "
        f"Shown instead: {shown}. Allowed: {allowed}."
    )


def keep(name: str, shown: Any, note: str) -> None:
    """Keeps a note for as long as the value stands that it says is shown.

    Args:
        name: What the note is about; every note has a name of its own.
        shown: That value.
        note: The note, in Markdown.
    """
    st.session_state[_key(name)] = (shown, note)


def kept(name: str, value: Any) -> str:
    """Returns a note; "" where there is none, or where its value has changed.

    Args:
        name: As for `keep`.
        value: The value now.
    """
    shown, note = st.session_state.get(_key(name), (None, ""))
    return note if shown == value else ""


def forget(name: str) -> None:
    """Drops the note of that name, if there is one."""
    st.session_state.pop(_key(name), None)


def _key(name: str) -> str:
    return f"_note_{name}"
