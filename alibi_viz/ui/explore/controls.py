"""The own controls of the page about slopes and biases, and all that its links can say."""

from typing import get_args

from alibi_viz.figures.heads.biases import Colour, Scale
from alibi_viz.ui.link.heads import ALIBI, MAX_HEADS, MAX_LENGTH, cell_of, head_of
from alibi_viz.ui.link.parameter import choice
from alibi_viz.ui.link.parameters import PageParameters

COLOURS: tuple[Colour, ...] = get_args(Colour)
SCALES: tuple[Scale, ...] = get_args(Scale)
COLOUR = choice(
    "colour",
    "colour",
    COLOURS,
    "log weight",
    help="Bias: what is added to the attention logit, in nats; one nat less divides a key's weight "
    "by e = 2.718, compared with the other keys. Weight: what the softmax makes of the biases at "
    "equal content. Log weight: the same on a logarithmic scale.",
)
SCALE = choice(
    "scale",
    "scale",
    SCALES,
    allowed=" or ".join(SCALES),
    help="Shared: one colour is one value in all heads, so that heads compare. Per head: each head "
    "uses all colours for its own values, so that its shape shows.",
)


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    return PageParameters((*ALIBI, COLOUR, SCALE, head_of(MAX_HEADS), cell_of("cell", MAX_LENGTH)))
