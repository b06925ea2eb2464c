"""The pages of the app, in the order of the menu: the only list of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from alibi_viz.paths import ASSETS, PROJECT

ICON = str(ASSETS / "icon.png")


@dataclass(frozen=True)
class PageEntry:
    """One page: its file in pages/, which is its address too, its short title and what it asks."""

    name: str
    title: str
    question: str
    menu: str = ""
    """What the menu calls it; the title if empty."""
    is_on_menu: bool = True
    """Whether the menu leads there; else links do."""

    @property
    def file(self) -> Path:
        """The page's script."""
        return PROJECT / "pages" / f"{self.name}.py"


PAGES = (
    PageEntry("home", "ALiBi Viz", "How does a transformer know where its words stand?"),
    PageEntry(
        "explore",
        "Slopes & biases",
        "What does each head's bias look like, and what do heads, exponent and length do to it?",
        menu="Slopes",
    ),
    PageEntry(
        "decay",
        "Decay & windows",
        "After the softmax, how far does each head see?",
        menu="Decay",
    ),
    PageEntry(
        "methods",
        "Where position enters",
        "What does each method change, and what is new to it past its training length?",
        menu="Methods",
    ),
    PageEntry(
        "extrapolation",
        "Train short, test long",
        "What happens to perplexity past the training length, measured?",
        menu="Length",
    ),
    PageEntry(
        "retrieval",
        "Find it again",
        "How far back does a model find something again, and what does looking back cost?",
        menu="Recall",
    ),
    PageEntry(
        "trained_attention",
        "Inside a trained model",
        "What do the heads of a trained model do with these slopes?",
        menu="Models",
    ),
    PageEntry("train", "Train your own", "How is such a model made?", menu="Train"),
    PageEntry("lessons", "Lessons", "Lead me through it, and ask me before you show me."),
    PageEntry(
        "claims",
        "Claims & sources",
        "What is said about ALiBi, what do the sources say, what did we measure?",
        menu="Claims",
    ),
    PageEntry("room", "Answer together", "What does the class say?", is_on_menu=False),
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


def address(name: str, state: Mapping[str, str | int | float] | None = None) -> str:
    """Returns the relative link from any page to a page in a state.

    >>> address("explore", {"heads": 12}), address("home")
    ('explore?heads=12', './')

    Args:
        name: The page's name.
        state: Its controls by their names in the URL.

    Raises:
        ValueError: No such page.
    """
    # The landing page stands at the root, whatever its file is called.
    path = "./" if entry(name) is PAGES[0] else entry(name).name
    return f"{path}?{urlencode(state)}" if state else path


def pages() -> list[StreamlitPage]:
    """Returns the pages for st.navigation; the first one is the landing page."""
    landing, *others = PAGES
    # Streamlit serves the landing page at the root, whatever its path is called, and nowhere else;
    # a link that spells the page's name out must open it too.
    at_root = st.Page(landing.file, title=landing.title, url_path="start", default=True)
    spelled_out = st.Page(
        landing.file, title=landing.title, url_path=landing.name, visibility="hidden"
    )
    return [
        at_root,
        *(
            st.Page(
                page.file,
                title=page.menu or page.title,
                url_path=page.name,
                visibility="visible" if page.is_on_menu else "hidden",
            )
            for page in others
        ),
        spelled_out,
    ]


# What links to the root said when "Slopes & biases" stood there.
_FORMER_LANDING = ("heads", "exponent", "length", "rule", "colour", "scale", "head", "cell", "show")
_FORMER_COLOUR = "bias"


def move_on(page: StreamlitPage) -> None:
    """Moves whoever came by an address that is not the page's own to the one that is.

    The landing page's name leads to the root, where the menu marks it; a link to the root from when
    "Slopes & biases" stood there leads to that page, in the colouring that it had.

    Args:
        page: The page that is about to run.
    """
    landing, former, *_ = pages()
    state = {name: st.query_params.get_all(name) for name in st.query_params}
    if page.url_path == PAGES[0].name:
        st.switch_page(landing, query_params=state)
    if page.url_path == landing.url_path and set(_FORMER_LANDING) & set(state):
        st.switch_page(former, query_params={"colour": [_FORMER_COLOUR]} | state)
