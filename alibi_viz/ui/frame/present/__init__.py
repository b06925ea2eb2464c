"""Present mode: one figure fills the screen, with its title, its sentence and few controls.

`?present=decay` shows the figure of that name, `?present=1` a page's first one. P enters, Escape
leaves, the arrow keys and Page Down step; Page Down does so wherever the caret is. Q fills the
screen with the QR code of the page, in present mode and outside. On the lessons
the steps are those of a lesson.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from alibi_viz.ui.frame.presentation import (
    SCREEN_HEIGHT,
    STEPPER,
    is_presenting,
    leave_present_mode,
    present,
    presented_figure,
    shown_figures,
)
from alibi_viz.ui.link.class_address import for_the_class, is_local, qr_code

HERE = Path(__file__).parent
_KEY = "present"
_NONCE = "_asked_nonce"
_CODE_ASKED = "_code_asked"
# What stands above and below the figure: controls, title, sentence.
_ROOM = 320
_LEAST = 300

_COMPONENT = st.components.v2.component(
    "alibi_present",
    html=(HERE / "present.html").read_text(encoding="utf-8"),
    css=(HERE / "present.css").read_text(encoding="utf-8"),
    js=(HERE / "present.js").read_text(encoding="utf-8"),
)
_FRAME_STYLE = """<style>
[data-testid=stHeader],[data-testid=stSidebar]{display:none!important}
.st-key-presenter{position:fixed;top:.4rem;right:1rem;z-index:9;width:auto!important;
font-size:.62em}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);margin:0}
[data-testid=stMain] [data-testid=stSlider]{margin:-.6rem 0 -.5rem}
[data-testid=stMainBlockContainer]{padding:1.6rem 2.5rem .5rem!important;max-width:none!important}
</style>"""
# Leaves on the page what belongs to the figure: its controls, and the figure with its words.
_FIGURE_STYLE = """<style>
[data-testid=stMain] :is([data-testid=stElementContainer]:has(>[data-testid=stMarkdown]),
[data-testid=stHeading],[data-testid=stCaptionContainer],[data-testid=stExpander],
[data-testid=stDataFrame]):not(.st-key-presented *,.st-key-presenter *,
[data-testid=stWidgetLabel] *){display:none}
[data-testid=stHorizontalBlock]:has(.st-key-presented)>
[data-testid=stColumn]:not(:has(.st-key-presented)){display:none}
[data-testid=stHorizontalBlock]:has(.st-key-presented)>[data-testid=stColumn]{flex:1 1 100%}
.st-key-presented h1{font-size:1.25rem;padding:0}
[data-testid=stHorizontalBlock]:not(:has([data-testid=stElementContainer])){display:none}
[data-testid=stMain] [data-testid=stVerticalBlock]:not(.st-key-presented){gap:.35rem}
</style>"""


def present_button(step: Callable[[int], None] | None = None, code: str = "") -> None:
    """Shows the button that enters present mode, or in it what leaves and steps; hears the keys.

    Args:
        step: Goes a step forwards (1) or backwards (-1) where the page has steps of its own, as a
            lesson has; the page's figures are the steps if left out.
        code: What the QR code says that key Q shows; the address of the page if empty.
    """
    st.session_state[STEPPER] = step
    if is_presenting():
        st.html(_FRAME_STYLE + (_FIGURE_STYLE if step is None else ""))
    names = shown_figures()
    at = names.index(presented_figure()) + 1 if presented_figure() in names else 1
    with st.container(key="presenter"):
        _COMPONENT(
            key=_KEY,
            data={
                "isOn": is_presenting(),
                "place": f"{at} of {len(names)}" if step is None and len(names) > 1 else "",
                "code": _code(code),
            },
            on_asked_change=_asked,
            width="content",
        )


def _asked() -> None:
    """Does what a key or a button asks for."""
    asked = st.session_state[_KEY].get("asked") or {}
    # A run that others interrupt, as those of a clock do, may hand the same wish in again.
    nonce = asked.get("nonce")
    if nonce is not None and nonce == st.session_state.get(_NONCE):
        return
    st.session_state[_NONCE] = nonce
    match asked.get("what"):
        case "enter":
            st.session_state[SCREEN_HEIGHT] = int(asked.get("height", 0))
            present("1")
        case "leave":
            leave_present_mode()
        case "code":
            st.session_state[_CODE_ASKED] = str(asked.get("address", ""))[:4000]
        case "step":
            _step(1 if asked.get("by", 1) > 0 else -1)


def _code(text: str) -> dict[str, str] | None:
    """Returns the QR code that was just asked for, as SVG and in words; None if none was."""
    asked = st.session_state.pop(_CODE_ASKED, None)
    if asked is None:
        return None
    link = text or for_the_class(asked)
    note = " (this address works on this computer only)" if is_local(link) else ""
    return {"svg": qr_code(link), "address": link.partition("://")[2] + note}


def _step(by: int) -> None:
    own = st.session_state.get(STEPPER)
    if own is not None:
        own(by)
        return
    names = shown_figures()
    if presented_figure() in names:
        place = names.index(presented_figure()) + by
        present(names[min(max(place, 0), len(names) - 1)])


def figure_height() -> int:
    """Returns the pixels that a presented figure has, on the visitor's screen."""
    height: int = st.session_state.get(SCREEN_HEIGHT, 720)
    return max(_LEAST, height - _ROOM)


@contextmanager
def presented_frame(title: str, sentence: str) -> Iterator[None]:
    """Shows a title above, and a sentence below, what is shown within.

    Args:
        title: What the figure is.
        sentence: What to look for, in Markdown.
    """
    with st.container(key="presented"):
        st.title(title, anchor=False)
        yield
        st.markdown(sentence[:1].upper() + sentence[1:])
