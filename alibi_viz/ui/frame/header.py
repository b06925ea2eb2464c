"""What every page has: a title with its question, and sentences that say what to look for."""

from collections.abc import Callable

import streamlit as st

from alibi_viz.ui.frame.navigation import entry
from alibi_viz.ui.frame.present import present_button
from alibi_viz.ui.frame.presentation import is_large, is_presenting
from alibi_viz.ui.frame.wishes import leave_buttons
from alibi_viz.ui.link.copy_link import copy_link


def is_dark() -> bool:
    """Returns whether the visitor sees the dark theme."""
    return bool(st.context.theme.type == "dark")


def page_header(
    name: str,
    equation: str | None = None,
    *,
    step: Callable[[int], None] | None = None,
    code: str = "",
) -> None:
    """Shows in one line a page's title, its question, its equation, and buttons for it.

    Args:
        name: The page's name in `navigation.PAGES`.
        equation: LaTeX without delimiters.
        step: Goes a step on or back, where the page has steps to present.
        code: What the QR code says that a key shows; this page's address if empty.
    """
    if is_presenting():
        present_button(step, code)
        if step is not None:
            st.html(f'<h1 class="unseen">{entry(name).title}</h1>')
        return
    page = entry(name)
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
        key="header",
    ):
        st.title(page.title, anchor=False, width="content")
        # In large type it would take a row from the figure; whoever projects says it.
        if not is_large():
            st.caption(page.question, width="content")
        if equation:
            st.latex(equation, width="content")
        leave_buttons()
        present_button(step, code)
        copy_link()


def look_for(sentence: str) -> None:
    """Shows the one sentence that says what to see in the figure above it.

    Args:
        sentence: Markdown, its numbers computed from what the figure shows.
    """
    if not is_presenting():
        st.markdown(f"**What to look for:** {sentence}")
