"""A button that copies the page's address, where the whole state stands, or another link."""

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

_COMPONENT = st.components.v2.component(
    "alibi_copy_link",
    html='<button type="button">copy link</button>\n<span role="status"></span>',
    css=(HERE / "copy_link.css").read_text(encoding="utf-8"),
    js=(HERE / "copy_link.js").read_text(encoding="utf-8"),
)


def copy_link(text: str = "", *, key: str = "copy_link", label: str = "copy link") -> None:
    """Shows the button.

    Args:
        text: What to copy; the address of the page, as it is at the click but without a student's
            progress, if empty.
        key: Name of the button on its page.
        label: What stands on it.
    """
    _COMPONENT(key=key, data={"text": text, "label": label}, width="content")
