"""Whole numbers in the URL that no widget owns: what is chosen inside the canvas.

Streamlit binds the values of its own widgets to the URL. The chosen head and the chosen cell belong
to a component, so they are kept here: in the session, and in the URL for whoever copies the link.
"""

import re
from collections.abc import Callable

import streamlit as st

from alibi_viz.ui.link import notes as link_notes

Numbers = tuple[int, ...]
# No token, head or layer has more digits.
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def choose(key: str, numbers: Numbers) -> None:
    """Remembers what a visitor chose; the next `linked_numbers` puts it into the URL.

    Args:
        key: Name in the URL.
        numbers: The chosen whole numbers.
    """
    st.session_state[_kept(key)] = numbers
    st.session_state[_fresh(key)] = True


def forget(key: str) -> None:
    """Drops what a visitor or a link chose, so that the next `linked_numbers` gives its default.

    Args:
        key: Name in the URL.
    """
    for name in (_kept(key), _fresh(key), _seen(key)):
        st.session_state.pop(name, None)
    link_notes.forget(_note(key))
    st.query_params.pop(key, None)


def linked_numbers(
    key: str, default: Numbers, nearest: Callable[[Numbers], Numbers], allowed: str
) -> Numbers:
    """Returns whole numbers that the session or the URL holds, and keeps the URL in step.

    Args:
        key: Name in the URL, where the numbers stand joined by dots.
        default: What a URL without the key means; such a URL stays without it.
        nearest: Moves numbers to the nearest allowed ones.
        allowed: The allowed numbers in words, for the note about a link that asks for others.

    Returns:
        As many numbers as `default` has.
    """
    text = st.query_params.get(key)
    # A choice made just now outranks the link, which the browser may not have followed up yet.
    is_chosen = st.session_state.pop(_fresh(key), False)
    is_new = not is_chosen and text is not None and text != st.session_state.get(_seen(key))
    asked = _parse(text, len(default)) if is_new else st.session_state.get(_kept(key))
    numbers = nearest(default if asked is None else asked)
    if is_new and asked != numbers:
        note = link_notes.refusal(key, str(text), shown=_text(numbers), allowed=allowed)
        link_notes.keep(_note(key), numbers, note)
    st.session_state[_kept(key)] = numbers
    _write(key, numbers, nearest(default))
    if note := link_notes.kept(_note(key), numbers):
        st.warning(note)
    return numbers


def linked_head(default: int, heads: int) -> int:
    """Returns the chosen head, counted from 1, kept in the URL.

    Args:
        default: The head of a link that says nothing.
        heads: Number of heads.
    """
    (head,) = linked_numbers(
        "head",
        default=(default,),
        nearest=lambda asked: (within(asked[0], heads),),
        allowed=f"1 to {heads}",
    )
    return head


def linked_cell(name: str, length: int, *, at: tuple[float, float]) -> tuple[int, int]:
    """Returns the (query, key) that is read out of a causal map, kept in the URL.

    Args:
        name: Name in the URL.
        length: Tokens along each side of the map.
        at: Where the cell of a link that says nothing stands, as shares of the map's sides.
    """
    last = length - 1
    query, key = linked_numbers(
        name,
        default=(round(at[0] * last), round(at[1] * last)),
        nearest=lambda asked: nearest_cell(asked, length),
        allowed=f"query.key with 0 ≤ key ≤ query ≤ {last}",
    )
    return query, key


def nearest_cell(asked: Numbers, length: int) -> tuple[int, int]:
    """Returns the (query, key) nearest to what was asked for that a causal map has.

    >>> nearest_cell((9, 7), length=6)
    (5, 5)

    Args:
        asked: Query and key.
        length: Tokens along each side of the map.
    """
    query = min(max(asked[0], 0), length - 1)
    return query, min(max(asked[1], 0), query)


def within(asked: int, count: int) -> int:
    """Returns the number nearest to `asked` of those that count from 1 to `count`."""
    return min(max(asked, 1), count)


def _write(key: str, numbers: Numbers, default: Numbers) -> None:
    text = _text(numbers)
    if numbers == default:
        if key in st.query_params:
            del st.query_params[key]
    elif st.query_params.get_all(key) != [text]:
        st.query_params[key] = text
    st.session_state[_seen(key)] = text


def _parse(text: str | None, size: int) -> Numbers | None:
    parts = (text or "").split(".")
    if len(parts) != size or not all(_WHOLE.fullmatch(part) for part in parts):
        return None
    return tuple(int(part) for part in parts)


def _text(numbers: Numbers) -> str:
    return ".".join(str(number) for number in numbers)


def _kept(key: str) -> str:
    return f"_{key}"


def _fresh(key: str) -> str:
    return f"_fresh_{key}"


def _seen(key: str) -> str:
    return f"_seen_{key}"


def _note(key: str) -> str:
    # A page's control may have the same name, and a note of its own.
    return f"linked_{key}"
