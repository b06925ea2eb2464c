"""What a link wishes of any page: large type, some controls only, one figure alone."""

import streamlit as st

from alibi_viz.ui.frame import presentation
from alibi_viz.ui.frame.navigation import PAGES
from alibi_viz.ui.frame.presentation import PRESENT, SHOW
from alibi_viz.ui.link.parameters import LARGE, PRESENTED, page_parameters, shown_controls
from alibi_viz.ui.link.settle import choose, forget, linked

_BASE_PIXELS = 15


def settle(path: str) -> None:
    """Reads what the link asks for, and remembers it for the visit; called once a run, by app.py.

    Args:
        path: Address of the page that is about to run: controls belong to one page.
    """
    names = [page.name for page in PAGES]
    st.session_state["_page"] = page = path if path in names else names[0]
    if SHOW in st.query_params or presentation.controls_are_chosen():
        linked(shown_controls(page), of=page)
    st.session_state["_is_large"] = linked(LARGE) == "1"
    _settle_presented(page)
    if presentation.is_large():
        pixels = _BASE_PIXELS * presentation.type_scale()
        st.html(f"<style>:root {{ font-size: {pixels:g}px !important }}</style>")


def _settle_presented(page: str) -> None:
    """Reads which figure the link asks to present; stepping on to another page goes on with it."""
    if PRESENT in st.query_params:
        st.session_state["_presented"] = (page, linked(PRESENTED, of=page) or "1")
    elif presentation.is_presenting():
        presentation.present("1")
    if presentation.shown_figures():
        st.session_state.setdefault("_seen_pages", set()).add(page)


def leave_buttons() -> None:
    """Shows what takes back the wishes of a link, where there are any."""
    if presentation.controls_are_chosen():
        st.button("all controls", key="_all_controls", type="tertiary", on_click=_show_all)
    if presentation.type_scale() == presentation.LARGE_SCALE:
        wish = (LARGE.key, LARGE.default)
        st.button("normal type", key="_normal_type", type="tertiary", on_click=choose, args=wish)


def _show_all() -> None:
    """Leaves all controls on the page, at the values that the link gives them."""
    page = presentation.current_page()
    for key in (SHOW, *page_parameters(page).by_key()):
        forget(key, page)
    st.query_params.pop(SHOW, None)
