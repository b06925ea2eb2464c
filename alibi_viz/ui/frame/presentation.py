"""How the page that runs is shown: with large type, with some controls only, one figure alone.

?large=1 enlarges type for a projector, on this page and on those visited after it. ?show=heads,rule
leaves only these controls on the page; the others keep the values that the link gives them.
?present=decay shows one figure alone, see `frame.present`.
"""

import streamlit as st

SHOW, PRESENT = "show", "present"
LARGE_SCALE = 1.4
"""How much larger type is on a projector."""
PRESENT_SCALE = 1.65
"""And where one figure fills the screen: 24 pixels and more."""
PRESENT_FIGURE_SCALE = 2.0
"""The same for a figure's type, whose smallest has 12 pixels on a desk."""
STEPPER = "_presented_steps"
"""Where the session keeps what goes a step on or back, on pages that have steps of their own."""
SCREEN_HEIGHT = "_screen_height"
"""Where the session keeps the height of a presenter's screen, in pixels."""
PRESENTED_CONTROLS = {
    "explore": ("heads", "exponent", "length"),
    "decay": ("heads", "exponent", "length"),
    "methods": ("method", "beside"),
    "extrapolation": ("protocol", "measure"),
    "retrieval": ("of", "contenders", "needle_model", "needle_distance", "copied"),
    "trained_attention": ("model", "quantity"),
}
"""The two or three controls of a page that matter to a class, by its address."""


def current_page() -> str:
    """Returns the name of the page that runs; "" where it runs without app.py."""
    return str(st.session_state.get("_page", ""))


def is_presenting() -> bool:
    """Returns whether one figure fills the screen."""
    return "_presented" in st.session_state


def is_alone() -> bool:
    """Returns whether all but one figure is hidden; a page with steps of its own shows the step."""
    return is_presenting() and st.session_state.get(STEPPER) is None


def presented_figure() -> str:
    """Returns the name of the figure that is presented; "" where none is, or none is shown yet."""
    page, name = st.session_state.get("_presented", ("", ""))
    names, here = shown_figures(), current_page()
    # While the page is shown for the first time its figures are not all known.
    is_known = name in names or here not in st.session_state.get("_seen_pages", set())
    if page == here and name != "1" and is_known:
        return str(name)
    return names[0] if is_presenting() and names else ""


def shown_figures() -> list[str]:
    """Returns the names of the page's figures, in their order, those of the last run at first."""
    page = current_page()
    known: dict[str, list[str]] = st.session_state.setdefault("_known_figures", {})
    return known.get(page, [])


def takes_the_screen(name: str) -> bool:
    """Notes a figure of the page, and returns whether it is the one that is presented.

    Args:
        name: The figure's; the first one is presented where the link names none.
    """
    page = current_page()
    known: dict[str, list[str]] = st.session_state.setdefault("_known_figures", {})
    names = known.setdefault(page, [])
    if name not in names:
        names.append(name)
    return is_alone() and presented_figure() == name


def present(name: str) -> None:
    """Presents a figure of the page.

    Args:
        name: The figure's; "1" for the first one.
    """
    st.session_state["_presented"] = (current_page(), name)
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
    return LARGE_SCALE if st.session_state.get("_is_large", False) else 1.0


def figure_scale() -> float:
    """Returns how much larger than usual the type within figures is."""
    return PRESENT_FIGURE_SCALE if is_presenting() else type_scale()


def is_shown(control: str) -> bool:
    """Returns whether a control, by its name in the URL, has a place on the page."""
    if is_presenting() and current_page() in PRESENTED_CONTROLS:
        return control in PRESENTED_CONTROLS[current_page()]
    return not controls_are_chosen() or control in st.session_state[_shown_here()]


def controls_are_chosen() -> bool:
    """Returns whether the link says which controls to show: then there is nothing else to press."""
    return _shown_here() in st.session_state


def _shown_here() -> str:
    """Where `link.settle.linked` keeps what the link says of this page."""
    return f"_{SHOW}_{current_page()}"
