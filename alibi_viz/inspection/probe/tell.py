"""Faults as findings: what is wrong, where and when, in words with the numbers."""

from collections.abc import Sequence
from typing import Any

from alibi_viz.inspection.adapters.contract import Promise
from alibi_viz.inspection.probe.finding import Finding, FindingPlace
from alibi_viz.inspection.probe.shapes import TOLERATED
from alibi_viz.inspection.probe.slopes import Fault
from alibi_viz.words import listed, percent, signed

NOTED = ("rounded",)
"""Kinds that are noted, not held against the model."""


def tell(
    fault: Fault,
    promise: Promise,
    *,
    when: Sequence[str] = (),
    numbers: dict[str, Any] | None = None,
    is_note: bool = False,
) -> Finding:
    """Returns a fault as a finding.

    Args:
        fault: What is wrong, and where.
        promise: What the configuration says.
        when: Situations in which it is; always if empty.
        numbers: More numbers of the finding, `nats` and `length` among them.
        is_note: Whether it is noted only.
    """
    told = {**dict(fault.numbers), **(numbers or {})}
    place = f"in {fault.place}" + (f", {listed(list(when))}" if when else "")
    if "from_length" in told:
        place += f", from {told['from_length']:,} tokens on"
    words = WORDS[fault.kind](place, told, promise) + effect_words(told)
    small = fault.kind == "coarse" and told.get("deviation", 1.0) <= TOLERATED
    disagrees = not (is_note or small or fault.kind in NOTED)
    where = FindingPlace(fault.layers, fault.heads, tuple(when))
    return Finding(fault.kind, disagrees, words, told, where, f"{short_words(fault)} {place}")


def short_words(fault: Fault) -> str:
    """Returns what is wrong in a few words, without its place."""
    numbers = dict(fault.numbers)
    return {
        "missing": "off",
        "scaled": f"slopes {numbers.get('factor', 0):.4g} times as steep",
        "permuted": "slopes on other heads",
        "rule": f"slopes are {numbers.get('acting')}",
        "slopes": "other slopes",
        "window": f"sees {numbers.get('keys', 0):,} keys only",
        "holes": f"hidden keys from distance {numbers.get('first', 0):,} on",
        "flat": f"flat from distance {numbers.get('from_distance', 0):,} on",
        "offset": f"{signed(numbers.get('amount', 0.0), 2)} nats at {numbers.get('place')}",
        "coarse": f"biases rounded to {numbers.get('rounds_to')}",
        "bent": "no straight line",
        "not_finite": "no numbers",
        "future": "later tokens are seen",
        "padding": "padding is seen",
    }.get(fault.kind, fault.kind)


def effect_words(numbers: dict[str, Any]) -> str:
    """Returns what a finding does to predictions, as a sentence; empty where it is not known."""
    nats = numbers.get("nats")
    if nats is None:
        return ""
    length = numbers.get("length")
    at = "" if length is None else f" at {length:,} tokens"
    return f" Predictions move by {nats:.2g} nats{at}."


def _missing(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    said = f": {promise.words}" if promise.method == "alibi" else ""
    return f"ALiBi is off {place}: the slope read back is 0{said}."


def _scaled(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    return f"Slopes are {numbers['factor']:.4g} times as steep as they should be {place}."


def _rule(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    return f"Slopes follow another rule {place}: what acts is {numbers['acting']}; {promise.words}."


def _rounded(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    return (
        f"Slopes are rounded to {numbers['rounds_to']} {place}: they are off by up to "
        f"{percent(numbers['largest_error'])}."
    )


def _window(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    most = numbers.get("largest_keys")
    keys = f"{numbers['keys']:,}" + ("" if most is None else f" to {most:,}")
    return f"Each query sees {keys} keys only {place}; farther ones have no weight at all."


def _holes(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    first = f"{numbers['first']:,}"
    return f"Some keys are hidden {place}, the nearest at distance {first}; farther ones are seen."


def _flat(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    most = numbers.get("largest_from_distance")
    start = f"{numbers['from_distance']:,}" + ("" if most is None else f" to {most:,} by head")
    return f"The penalty is flat from distance {start} on {place}: it grows no more."


def _offset(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    amount = signed(numbers["amount"], 2)
    return f"The logit of {numbers['place']} is off its straight line by {amount} nats {place}."


def _coarse(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    size = (
        f" ln p is off by up to {numbers['deviation']:.2g} nats." if "deviation" in numbers else ""
    )
    return (
        f"Biases are rounded to {numbers['rounds_to']} {place}: neighbouring keys share one, or "
        f"jump.{size}"
    )


def _bent(place: str, numbers: dict[str, Any], promise: Promise) -> str:
    return f"The penalty is no straight line in the distance {place}."


def _share(what: str) -> Any:
    def say(place: str, numbers: dict[str, Any], promise: Promise) -> str:
        return f"{what} seen {place}: up to {percent(numbers['share'])} of a query's attention."

    return say


WORDS = {
    "missing": _missing,
    "reversed": lambda place, *_: (
        f"Slopes are reversed {place}: ln p rises with distance, so that far keys are preferred."
    ),
    "scaled": _scaled,
    "permuted": lambda place, *_: (
        f"Heads have each other's slopes {place}: the promised ones, permuted."
    ),
    "rule": _rule,
    "rounded": _rounded,
    "slopes": lambda place, *_: f"Slopes are other ones, by no rule that is known, {place}.",
    "window": _window,
    "holes": _holes,
    "flat": _flat,
    "offset": _offset,
    "coarse": _coarse,
    "bent": _bent,
    "not_finite": lambda place, *_: f"Weights are no numbers (NaN or infinite) {place}.",
    "future": _share("Later tokens are"),
    "padding": _share("Masked padding is"),
}
