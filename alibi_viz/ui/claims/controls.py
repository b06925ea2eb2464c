"""The controls of the page of claims."""

from alibi_viz.charts.retrieval.task_map import AMONG as AMONG_NAMES
from alibi_viz.claims.claim import TOPICS, VERDICTS
from alibi_viz.published.references import STYLES
from alibi_viz.ui.link.parameter import Words, choice
from alibi_viz.ui.link.parameters import PageParameters

ALL = "all"

SECTIONS = ("claims", "where each wins", "which one to use", "references", "cite")
SECTION = choice("section", "show", SECTIONS, allowed=", ".join(SECTIONS))
AMONG = choice(
    "among",
    "who may lead",
    AMONG_NAMES,
    help="Methods as published; also variants of ALiBi; also models that were stretched.",
)
VERDICT = choice("verdict", "verdict", (ALL, *VERDICTS))
TOPIC = choice("topic", "topic", (ALL, *TOPICS))
SEARCH = Words("search", "search", "words, in any order")
STYLE = choice("style", "format", STYLES)


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    parts = {
        "claims": (VERDICT, TOPIC, SEARCH),
        "where each wins": (AMONG,),
        "which one to use": (),
        "references": (STYLE,),
        "cite": (STYLE,),
    }
    return PageParameters((), SECTION, parts)
