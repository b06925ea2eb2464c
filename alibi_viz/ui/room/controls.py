"""What a link can say to the room: which question is asked next."""

from alibi_viz.rooms.asked import question_keys
from alibi_viz.ui.link.parameter import Control
from alibi_viz.ui.link.parameters import PageParameters

ASK = Control("ask", "question", question_keys(), question_keys()[0], "a lesson/a question", "list")


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    return PageParameters((ASK,))
