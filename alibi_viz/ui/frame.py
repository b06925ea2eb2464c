"""What every page has: a title with its question, and sentences that say what to look for."""

import streamlit as st

from alibi_viz.ui.navigation import entry


def is_dark() -> bool:
    """Returns whether the visitor sees the dark theme."""
    return bool(st.context.theme.type == "dark")


def page_header(name: str, equation: str | None = None) -> None:
    """Shows a page's title, the question it answers and, beside them, its equation.

    Args:
        name: The page's name in `navigation.PAGES`.
        equation: LaTeX without delimiters.
    """
    page = entry(name)
    left, right = st.columns([3, 2], vertical_alignment="bottom", gap="small")
    left.title(page.title, anchor=False)
    left.caption(page.question)
    if equation:
        right.latex(equation)


def look_for(sentence: str) -> None:
    """Shows the one sentence that says what to see in the figure above it.

    Args:
        sentence: Markdown, its numbers computed from what the figure shows.
    """
    st.markdown(f"**What to look for:** {sentence}")
