"""What every page has: a title with its question, and sentences that say what to look for."""

import streamlit as st

from alibi_viz.ui.frame.navigation import ensure_app_run, entry
from alibi_viz.ui.frame.presentation import leave_buttons
from alibi_viz.ui.link.copy_link import copy_link


def is_dark() -> bool:
    """Returns whether the visitor sees the dark theme."""
    return bool(st.context.theme.type == "dark")


def page_header(name: str, equation: str | None = None) -> None:
    """Shows in one line a page's title, its question, its equation and a button for its link.

    Args:
        name: The page's name in `navigation.PAGES`.
        equation: LaTeX without delimiters.
    """
    ensure_app_run()
    page = entry(name)
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.title(page.title, anchor=False, width="content")
        st.caption(page.question, width="content")
        if equation:
            st.latex(equation, width="content")
        leave_buttons()
        copy_link()


def look_for(sentence: str) -> None:
    """Shows the one sentence that says what to see in the figure above it.

    Args:
        sentence: Markdown, its numbers computed from what the figure shows.
    """
    st.markdown(f"**What to look for:** {sentence}")
