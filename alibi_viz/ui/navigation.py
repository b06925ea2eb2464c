"""The pages of the app, in the order of the menu: the only list of them."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

ROOT = Path(__file__).parents[2]
ICON = str(ROOT / "assets" / "icon.png")


@dataclass(frozen=True)
class PageEntry:
    """One page: its file in pages/, which is its address too, its short title and what it asks."""

    name: str
    title: str
    question: str

    @property
    def file(self) -> Path:
        """The page's script."""
        return ROOT / "pages" / f"{self.name}.py"


PAGES = (
    PageEntry(
        "explore",
        "Slopes & biases",
        "What does each head's bias look like, and what do heads, exponent and length do to it?",
    ),
    PageEntry("decay", "Decay & windows", "After the softmax, how far does each head see?"),
    PageEntry(
        "extrapolation",
        "Train short, test long",
        "What happens to perplexity past the training length, measured?",
    ),
)


def entry(name: str) -> PageEntry:
    """Returns the page of that name.

    Raises:
        ValueError: No such page.
    """
    for page in PAGES:
        if page.name == name:
            return page
    raise ValueError(f"page must be one of {', '.join(p.name for p in PAGES)}, got {name!r}")


def pages() -> list[StreamlitPage]:
    """Returns the pages for st.navigation; the first one is the landing page."""
    return [
        st.Page(page.file, title=page.title, url_path=page.name, default=page is PAGES[0])
        for page in PAGES
    ]
