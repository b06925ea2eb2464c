"""A finding: what was noticed, where, in words that a user understands, with the numbers."""

from dataclasses import dataclass, field
from typing import Any

NAMES = {
    "alibi": "ALiBi",
    "nonlinear": "a bias by distance that is no straight line",
    "rope": "RoPE",
    "learned": "learned positions",
    "sinusoidal": "fixed positions",
    "nope": "no position at all",
}
"""The methods that a probe can tell apart, and what it calls each."""
KINDS = {
    "missing": "no slope where one is promised",
    "reversed": "slopes of the other sign: far keys are preferred",
    "scaled": "all slopes times one number",
    "permuted": "the right slopes on other heads",
    "rule": "slopes of another rule or exponent",
    "rounded": "slopes rounded to a shorter number type",
    "slopes": "other slopes, by no rule that is known",
    "window": "far keys are not seen at all",
    "holes": "keys are not seen although farther ones are",
    "flat": "the penalty stops growing at a distance",
    "offset": "something is added at single places",
    "coarse": "biases rounded to a shorter number type: neighbouring keys get the same one",
    "bent": "the penalty is no straight line in the distance",
    "not_finite": "weights or predictions that are no numbers",
    "future": "later tokens are seen",
    "padding": "padding is seen, although it is masked",
    "fails": "a run that raises an error",
    "differs": "other predictions, for no reason that was found",
    "method": "another position method than the configuration says",
    "extra": "a second position method",
    "setting": "a setting that the installed class never reads",
    "weights": "weights of the file that are not used, or missing ones",
    "loading": "what was noticed while loading",
    "limit": "what happens past the configured limit",
    "unread": "what could not be tried or read",
    "shown": "what of the model cannot be shown",
}
"""All kinds of findings."""


@dataclass(frozen=True)
class FindingPlace:
    """Where something was found; what is empty holds everywhere, or is not known."""

    layers: tuple[int, ...] = ()
    """Layers, counted from 1."""
    heads: tuple[int, ...] = ()
    """Heads, counted from 1; empty for all heads of those layers."""
    situations: tuple[str, ...] = ()
    """Ways in which texts came."""


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed."""

    kind: str
    """A key of `KINDS`."""
    disagrees: bool
    """Whether two things that should be the same are not; else it is a note."""
    words: str
    """A sentence or two."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """The numbers in them, by name; as JSON can hold them."""
    where: FindingPlace = FindingPlace()
    """Layers, heads and situations."""
    short: str = ""
    """The same in a few words, for a headline."""
