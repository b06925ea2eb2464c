"""A button that copies the page's address: the whole state stands in it."""

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

_COMPONENT = st.components.v2.component(
    "alibi_copy_link",
    html='<button type="button">copy link</button>\n<span role="status"></span>',
    css=(HERE / "copy_link.css").read_text(encoding="utf-8"),
    js=(HERE / "copy_link.js").read_text(encoding="utf-8"),
)


def copy_link() -> None:
    """Shows the button."""
    _COMPONENT(key="copy_link", width="content")
