"""How a link asks for a page to be shown: with large type, and with some controls only.

?large=1 enlarges type for a projector, on this page and on those visited after it. ?show=heads,rule
leaves only these controls on the page; the others keep the values that the link gives them.
?present=decay shows one figure alone, see `frame.present`.
"""

from typing import Any

import streamlit as st

SHOW, LARGE, PRESENT = "show", "large", "present"
LARGE_SCALE = 1.4
"""How much larger type is on a projector."""
PRESENT_SCALE = 1.65
"""And where one figure fills the screen: 24 pixels and more."""
SCREEN_HEIGHT = "_screen_height"
"""Where the session keeps the height of a presenter's screen, in pixels."""
PRESENTED_CONTROLS = {
    "explore": ("heads", "exponent", "length"),
    "decay": ("heads", "exponent", "length"),
    "methods": ("part", "method", "beside"),
    "extrapolation": ("protocol", "measure", "methods"),
    "trained_attention": ("model", "quantity"),
}
"""The two or three controls of a page that matter to a class, by its address."""

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
    elif st.session_state.get("_large", False):
        st.query_params[LARGE] = "1"
    _settle_presented(page)
    if type_scale() != 1:
        pixels = _BASE_PIXELS * type_scale()
        st.html(f"<style>:root {{ font-size: {pixels:g}px !important }}</style>")


def _settle_presented(page: str) -> None:
    """Reads which figure the link asks to present; stepping on to another page goes on with it."""
    if (asked := st.query_params.get(PRESENT)) is not None:
        st.session_state["_presented"] = (page, asked)
    elif is_presenting():
        present("1")
    if shown_figures():
        st.session_state.setdefault("_seen_pages", set()).add(page)


def is_presenting() -> bool:
    """Returns whether one figure fills the screen."""
    return "_presented" in st.session_state


def presented_figure() -> str:
    """Returns the name of the figure that is presented; "" where none is, or none is shown yet."""
    page, name = st.session_state.get("_presented", ("", ""))
    names, here = shown_figures(), st.session_state.get("_page")
    # While the page is shown for the first time its figures are not all known.
    is_known = name in names or here not in st.session_state.get("_seen_pages", set())
    if page == here and name != "1" and is_known:
        return str(name)
    return names[0] if is_presenting() and names else ""


def shown_figures() -> list[str]:
    """Returns the names of the page's figures, in their order, those of the last run at first."""
    page = st.session_state.get("_page", "")
    known: dict[str, list[str]] = st.session_state.setdefault("_known_figures", {})
    return known.get(page, [])


def takes_the_screen(name: str) -> bool:
    """Notes a figure of the page, and returns whether it is the one that is presented.

    Args:
        name: The figure's; the first one is presented where the link names none.
    """
    page = st.session_state.get("_page", "")
    known: dict[str, list[str]] = st.session_state.setdefault("_known_figures", {})
    names = known.setdefault(page, [])
    if name not in names:
        names.append(name)
    return is_presenting() and presented_figure() == name


def present(name: str) -> None:
    """Presents a figure of the page.

    Args:
        name: The figure's; "1" for the first one.
    """
    st.session_state["_presented"] = (st.session_state.get("_page", ""), name)
    st.query_params[PRESENT] = name


def leave_present_mode() -> None:
    """Shows the whole page again."""
    st.session_state.pop("_presented", None)
    st.query_params.pop(PRESENT, None)


def is_large() -> bool:
    """Returns whether type is larger than usual."""
    return type_scale() != 1


def type_scale() -> float:
    """Returns how much larger than usual type is."""
    if is_presenting():
        return PRESENT_SCALE
    return LARGE_SCALE if st.session_state.get("_large", False) else 1.0


def is_shown(control: str) -> bool:
    """Returns whether a control, by its name in the URL, has a place on the page."""
    page = st.session_state.get("_page", "")
    if is_presenting() and page in PRESENTED_CONTROLS:
        return control in PRESENTED_CONTROLS[page]
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
    if type_scale() == LARGE_SCALE:
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
