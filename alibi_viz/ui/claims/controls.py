"""The controls of the page of claims."""

from alibi_viz.claims.claim import TOPICS, VERDICTS
from alibi_viz.published.references import STYLES
from alibi_viz.ui.link.parameter import Words, choice
from alibi_viz.ui.link.parameters import PageParameters

ALL = "all"

SECTION = choice(
    "section", "show", ("claims", "references", "cite"), allowed="claims, references or cite"
)
VERDICT = choice("verdict", "verdict", (ALL, *VERDICTS))
TOPIC = choice("topic", "topic", (ALL, *TOPICS))
SEARCH = Words("search", "search", "words, in any order")
STYLE = choice("style", "format", STYLES)


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    parts = {"claims": (VERDICT, TOPIC, SEARCH), "references": (STYLE,), "cite": (STYLE,)}
    return PageParameters((), SECTION, parts)
