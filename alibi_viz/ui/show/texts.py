"""Choosing a text: the server's own, one that a visitor brings, or a data set of the hub."""

import streamlit as st

from alibi_viz import policy
from alibi_viz.jobs.texts import LIBRARY, MAX_BYTES, MIN_CHARACTERS, HubText, text_path
from alibi_viz.ui.link.parameter import Words
from alibi_viz.ui.link.settle import choose, linked
from alibi_viz.ui.show import jobs

OWN = "your own"
HUB = "a data set of the hub"
OWN_TEXT = Words(
    "own_text", "own text", "the name of a text that was brought here", "[0-9a-f]{16}|", 16,
    is_offered=False,
)  # fmt: skip
"""A text that somebody brought: a link finds it while the server keeps it."""


def choose_text(key: str, *, ours: str, about: str, with_hub: bool = False) -> str | None:
    """Shows what text can be chosen, and returns the chosen one as requests name it.

    Args:
        key: Prefix of the widgets' keys.
        ours: What the server's own text is called.
        about: What it is, for the help.
        with_hub: Whether a data set of the hub is of use here.

    Returns:
        None where the visitor has yet to bring a text, or brought one that cannot be used; a
        message says so.
    """
    options = [ours]
    options += [OWN] if policy.uploads_are_allowed() else []
    options += [HUB] if with_hub and policy.hub_is_allowed() else []
    chosen = st.segmented_control(
        "text",
        options,
        default=OWN if OWN_TEXT.key in st.query_params and OWN in options else ours,
        required=True,
        key=f"{key}_text",
        wrap=True,
        help=f"{ours[0].upper()}{ours[1:]}: {about}. Your own: UTF-8 text, {MIN_CHARACTERS:,} to "
        f"{MAX_BYTES:,} bytes; it is kept on this server with the results, where others can use "
        "it too.",
    )
    if chosen == OWN:
        return _own_text(key)
    # Else whoever opens the link would get the text that is not chosen.
    st.query_params.pop(OWN_TEXT.key, None)
    return _hub_text(key) if chosen == HUB else LIBRARY


def _own_text(key: str) -> str | None:
    linked_text = linked(OWN_TEXT)
    file_column, paste_column = st.columns(2, gap="medium")
    file = file_column.file_uploader(
        "a text file, at most 1 MB", key=f"{key}_file", on_change=_unlink
    )
    pasted = paste_column.text_area(
        "or paste it", key=f"{key}_paste", height=110, max_chars=MAX_BYTES, on_change=_unlink
    )
    content = file.getvalue() if file is not None else pasted.encode()
    if not content:
        return _linked_text(linked_text)
    try:
        identity = jobs.keep_visitors_text(content)
    except ValueError as error:
        st.error(f"This cannot be used: {error}.")
        return None
    except OSError as error:
        st.error(f"The server cannot keep the text: {error.strerror}.")
        return None
    choose(OWN_TEXT.key, identity)
    linked(OWN_TEXT)
    st.caption(f"{len(content):,} bytes, kept as `{identity}`.")
    return identity


def _unlink() -> None:
    choose(OWN_TEXT.key, "")


def _linked_text(identity: str) -> str | None:
    """Returns the text that the URL names, if it is kept here."""
    if not identity:
        st.info("Bring a text: choose a file or paste one.")
        return None
    if not text_path(identity).is_file():
        st.warning("The link names a text that this server does not keep. Bring it again.")
        return None
    st.caption(f"The text of the link, kept as `{identity}`.")
    return identity


def _hub_text(key: str) -> str | None:
    columns = st.columns([3, 2, 1], gap="medium")
    name = columns[0].text_input("data set, owner/name", "Salesforce/wikitext", key=f"{key}_hub")
    subset = columns[1].text_input("subset", "wikitext-103-raw-v1", key=f"{key}_subset")
    split = columns[2].text_input("split", "test", key=f"{key}_split")
    try:
        return HubText(name.strip(), subset.strip(), split.strip()).identity
    except ValueError as error:
        st.error(f"This cannot be used: {error}.")
        return None
