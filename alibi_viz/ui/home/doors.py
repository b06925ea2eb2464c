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
        "Lessons that ask before they show, a plan, rooms, and sheets for students.",
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
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "ALiBi on one page",
            _one_page,
            file_name="alibi-on-one-page.html",
            mime="text/html",
            key="one_page",
            icon=":material/download:",
            on_click="ignore",
        )
        st.caption(
            "One small file that opens without a server and without a network: from a disk, in a "
            "course's site, in a slide.",
            width="content",
        )


def _one_page() -> bytes:
    # When it is asked for: it brings in what other pages need and this one does not.
    from alibi_viz.onepage.page import one_page

    return one_page().encode()
