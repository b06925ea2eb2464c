"""The words of the front door, and its three doors."""

import streamlit as st

from alibi_viz.ui.frame.navigation import entry

OPENING = (
    "A transformer sees all words at once and has to be **told where they stand**. **ALiBi** "
    "(Attention with Linear Biases) tells it by a penalty: the farther back a word lies, the less "
    "attention it gets. Drag the slider and watch four ways of telling position read the same last "
    "words after more and more text."
)

DOORS = (
    (
        "Explore the slopes",
        "explore",
        "Drag heads, exponent and length; see every bias and window move.",
    ),
    (
        "Teach a class",
        "lessons",
        "Twelve lessons that ask before they show, links and sheets for students.",
    ),
    (
        "Inspect a model",
        "trained_attention",
        "Is ALiBi really on in this checkpoint? What does each head do?",
    ),
)
"""What each door is called, the page behind it, and what one does there."""


def show_doors() -> None:
    """Shows the doors side by side; below each other on a phone."""
    for column, (title, page, words) in zip(
        st.columns(len(DOORS), gap="medium"), DOORS, strict=True
    ):
        with column.container(border=True, height="stretch"):
            st.page_link(entry(page).file, label=f"**{title}** →")
            st.markdown(words)
