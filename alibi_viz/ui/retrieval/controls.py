"""The controls of the page "Find it again"."""

from typing import Any

import numpy as np

from alibi_viz.charts.retrieval import copying, middle, needle, recall
from alibi_viz.charts.retrieval.contenders import contender
from alibi_viz.retrieval.needles import COLOURS, N_NUMBER
from alibi_viz.retrieval.plan import RECALL_LENGTHS, RECALL_VARIANTS
from alibi_viz.ui.link.parameter import Control, Parameter, Several, choice
from alibi_viz.ui.link.parameters import PageParameters
from alibi_viz.ui.retrieval.own import CONTROLS as OWN_MODEL

PARTS = ("recall", "depth", "middle", "copying", "one needle")
PART = choice("of", "show", PARTS)
_MOST = 8

MIDDLE_LENGTH = Control("middle_length", "our windows, tokens", RECALL_LENGTHS, 1024)
DOCUMENTS = choice(
    "documents", "published inputs, documents", tuple(map(str, middle.DOCUMENTS)), "20"
)
COPIED = choice(
    "copied",
    "copied",
    tuple(copying.KINDS.values()),
    help="Random tokens are drawn evenly from the vocabulary: nothing but the first copy helps.",
)

NEEDLE_LENGTH = Control("needle_length", "window, tokens", RECALL_LENGTHS, 512)
# Fine enough to drag, coarse enough for a slider on a phone.
_DISTANCES = tuple(np.unique(np.geomspace(1, 8191, 80).round().astype(int)).tolist())
NEEDLE_DISTANCE = Control(
    "needle_distance",
    "needle, tokens back",
    tuple(sorted({*_DISTANCES, 200})),
    200,
    "whole numbers from 1 to 8191, closer together when small",
    help="From the question, which ends the window, back to the needle.",
)
NEEDLE = Control(
    "needle_token",
    "needle",
    tuple(f"{colour} {number}" for colour in COLOURS for number in range(1, N_NUMBER + 1)),
    "red 3",
    f"{', '.join(COLOURS)}, and a number from 1 to {N_NUMBER}",
    kind="list",
)


def _several(key: str, names: tuple[str, ...], first: tuple[str, ...]) -> Several:
    """Returns a choice of contenders, shown by their labels and linked by those or their names."""
    labels = {name: contender(name).label for name in names}
    return Several(
        key,
        f"contenders, up to {_MOST}",
        tuple(labels.values()),
        tuple(label for name, label in labels.items() if name in first),
        aliases=labels,
        most=_MOST,
        kind="list",
    )


def contenders_control() -> Several:
    """Returns the choice of recall models, as trained or stretched."""
    return _several("contenders", recall.measured_names(), recall.SHOWN)


def copiers_control() -> Several:
    """Returns the choice of language models that copying was measured of."""
    return _several("copiers", copying.measured_copiers(), copying.SHOWN)


def needle_model_control() -> Control[str]:
    """Returns the choice of one of the recall models that lie beside the app."""
    labels = {key: RECALL_VARIANTS[key].label for key in needle.offered_models()}
    options = tuple(labels.values()) or (RECALL_VARIANTS["alibi"].label,)
    return Control("needle_model", "model", options, options[0], kind="list", aliases=labels)


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    compared = contenders_control()
    copiers = (copiers_control(),) if copying.measured_copiers() else ()
    one_needle: tuple[Parameter[Any], ...] = (
        needle_model_control(),
        NEEDLE_LENGTH,
        NEEDLE_DISTANCE,
        NEEDLE,
    )
    by_part = (
        (compared, *OWN_MODEL),
        (compared,),
        (compared, MIDDLE_LENGTH, DOCUMENTS),
        (COPIED, *copiers),
    )
    return PageParameters((), PART, dict(zip(PARTS, (*by_part, one_needle), strict=True)))


def chosen_names(control: Several, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names of the contenders that are chosen by their labels.

    Args:
        control: What they are chosen from.
        labels: The chosen ones.
    """
    return tuple(name for name, label in control.aliases.items() if label in labels)
