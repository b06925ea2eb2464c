"""The controls of the page: the app's own, as far as the page has them, by the app's names."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from alibi_viz.charts.decay import TRAIN_LENGTHS
from alibi_viz.charts.heads import EXPONENTS, HEAD_COUNTS, LENGTHS
from alibi_viz.charts.measured.curves import MEASURES
from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.figures.heads.biases import Colour, Scale
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SLOPE_RULES
from alibi_viz.positions import METHODS
from alibi_viz.positions.sentence import FIXED_METHODS, SENTENCES
from alibi_viz.positions.stretch import RULES

PAPERS = (
    "WikiText-103 512",
    "WikiText-103 1024",
    "WikiText-103 3072",
    "CC100 512",
    "CC100 1024",
)
"""What the paper measured: data set, and tokens in a training window."""


@dataclass(frozen=True)
class Knob:
    """One control of the page; the test compares it with the app's of the same name."""

    key: str
    """Name in the address."""
    label: str
    """What stands above it, with the unit."""
    options: tuple[Any, ...]
    """Every allowed value."""
    default: Any
    """What an address without it means."""
    kind: Literal["slider", "choice", "number", "several"] = "choice"
    """A slider over the options, buttons, a field for a number, or boxes to tick."""
    names: tuple[str, ...] = ()
    """What the options are called, where they are keys."""


def _labels(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(METHODS[key].label for key in keys)


_ALL_METHODS = tuple(METHODS)
_RULES = tuple(rule.label for rule in RULES.values())
_LOG = ("log", "linear")
KNOBS = (
    Knob("heads", "heads", HEAD_COUNTS, 8, "slider"),
    Knob("exponent", "exponent", EXPONENTS, MAX_SLOPE_EXPONENT, "slider"),
    Knob("length", "length, tokens", LENGTHS, 512, "slider"),
    Knob("rule", "rule for this head count", SLOPE_RULES, SLOPE_RULES[0]),
    Knob("colour", "colour", get_args(Colour), "log weight"),
    Knob("scale", "scale", get_args(Scale), "shared"),
    Knob("head", "head brought forward", HEAD_COUNTS, 3, "number"),
    Knob("query", "query, % of the way", tuple(range(101)), 100, "slider"),
    Knob("trained", "training length, tokens", TRAIN_LENGTHS, TRAIN_LENGTH, "slider"),
    Knob("distance", "distance axis", _LOG, "log"),
    Knob("weight", "weight axis", _LOG, "log"),
    Knob("protocol", "evaluation windows", tuple(PROTOCOL_NAMES.values()), "nonoverlapping"),
    Knob("measure", "measure", MEASURES, "perplexity"),
    Knob("methods", "methods", _ALL_METHODS, _ALL_METHODS, "several", _labels(_ALL_METHODS)),
    Knob("paper", "data and training length", PAPERS, PAPERS[0]),
    Knob("position", "position method", FIXED_METHODS, "nope", names=_labels(FIXED_METHODS)),
    Knob("stretched_by", "stretched by", _RULES, RULES["yarn-coded"].label),
    Knob("stretch", "input over training length", (1, 2, 4, 8, 16), 4, "slider"),
    Knob("order", "order of the words", tuple(SENTENCES), next(iter(SENTENCES))),
)


def knob(key: str) -> Knob:
    """Returns the control of that name.

    Raises:
        KeyError: There is none.
    """
    return {each.key: each for each in KNOBS}[key]
