"""How a link asks for a page to be shown: with large type, and with some controls only.

?large=1 enlarges type for a projector, on this page and on those visited after it. ?show=heads,rule
leaves only these controls on the page; the others keep the values that the link gives them.
"""

from typing import Any

import streamlit as st

SHOW, LARGE = "show", "large"
LARGE_SCALE = 1.4
"""How much larger type is on a projector."""

_BASE_PIXELS = 15


def settle(page: str) -> None:
    """Reads what the link asks for, and remembers it for the visit; called once a run, by app.py.

    Args:
        page: Address of the page that is about to run: controls belong to one page.
    """
    if (asked := st.query_params.get(SHOW)) is not None:
        st.session_state["_show"] = (page, frozenset(asked.replace(".", ",").split(",")))
    elif (hidden := _remembered(page)) is not None:
        st.query_params[SHOW] = ",".join(sorted(hidden))
    st.session_state["_page"] = page
    if (asked := st.query_params.get(LARGE)) is not None:
        st.session_state["_large"] = asked == "1"
    elif is_large():
        st.query_params[LARGE] = "1"
    if is_large():
        st.html(
            f"<style>:root {{ font-size: {_BASE_PIXELS * LARGE_SCALE:g}px !important }}</style>"
        )


def is_large() -> bool:
    """Returns whether type is large."""
    return bool(st.session_state.get("_large", False))


def is_shown(control: str) -> bool:
    """Returns whether a control, by its name in the URL, has a place on the page."""
    shown = _remembered(st.session_state.get("_page", ""))
    return shown is None or control in shown


def hidden_values() -> dict[str, Any]:
    """Returns what the link says of the controls that it hides on this page, by their names.

    A page that is left loses its parameters; these are written back when it is opened again.
    """
    by_page: dict[str, dict[str, Any]] = st.session_state.setdefault("_hidden", {})
    return by_page.setdefault(st.session_state.get("_page", ""), {})


def controls_are_chosen() -> bool:
    """Returns whether the link says which controls to show: then there is nothing else to press."""
    return _remembered(st.session_state.get("_page", "")) is not None


def leave_buttons() -> None:
    """Shows what takes back the wishes of a link, where there are any."""
    if controls_are_chosen():
        st.button("all controls", key="_all_controls", type="tertiary", on_click=_show_all)
    if is_large():
        st.button("normal type", key="_normal_type", type="tertiary", on_click=_normal_type)


def _remembered(page: str) -> frozenset[str] | None:
    kept_page, shown = st.session_state.get("_show", ("", None))
    return shown if kept_page == page else None


def _show_all() -> None:
    st.session_state.pop("_show", None)
    hidden_values().clear()
    st.query_params.pop(SHOW, None)


def _normal_type() -> None:
    st.session_state["_large"] = False
    st.query_params.pop(LARGE, None)
