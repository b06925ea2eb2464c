"""What a link can say to the front door."""

from alibi_viz.evaluation.front_door_file import LENGTHS
from alibi_viz.ui.home.ending import FIRST_PLACE
from alibi_viz.ui.link.parameter import Numbers
from alibi_viz.ui.link.parameters import PageParameters


def read_of(lengths: int) -> Numbers:
    """Returns how much of the text the models have read, as a place among so many lengths."""
    first = (min(FIRST_PLACE + 1, lengths),)
    return Numbers("read", "length", ("length",), first, (lengths,), f"1 to {lengths}")


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    return PageParameters((read_of(len(LENGTHS)),))
