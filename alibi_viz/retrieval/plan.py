"""What is measured: the recall models, and the stretchings that each method is tried with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT
from alibi_viz.positions import METHODS
from alibi_viz.words import count


@dataclass(frozen=True)
class RecallVariant:
    """One kind of recall model."""

    key: str
    """Name in files, records and URLs."""
    label: str
    """Name on a page."""
    method: str
    """Key of its position method."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the method, by the names that they have in `ModelConfig`."""


RECALL_LENGTHS = (128, 256, 512, 1024, 2048, 4096, 8192)
"""Tokens in the windows that recall models are asked in."""

_ALIBI = (
    RecallVariant("alibi", "ALiBi", "alibi"),
    RecallVariant("alibi-e4", "ALiBi, exponent 4", "alibi", {"max_exponent": 4.0}),
    RecallVariant("alibi-e12", "ALiBi, exponent 12", "alibi", {"max_exponent": 12.0}),
    RecallVariant("alibi-e16", "ALiBi, exponent 16", "alibi", {"max_exponent": 16.0}),
    RecallVariant("alibi-free4", "ALiBi, half the heads free", "alibi", {"free_heads": 4}),
    RecallVariant("alibi-free1", "ALiBi, one head free", "alibi", {"free_heads": 1}),
    RecallVariant("alibi-learned", "ALiBi, learned slopes", "alibi", {"learned_slopes": True}),
)

# Learned positions end at the training length: there is no farther to look. The sinusoids grow with
# the embeddings, which in a recall model start at four times the usual size.
_SETTINGS: dict[str, dict[str, Any]] = {"sinusoidal": {"sinusoid_amplitude": 4.0}}
_OTHERS = tuple(
    RecallVariant(method.key, method.label, method.key, _SETTINGS.get(method.key, {}))
    for method in METHODS.values()
    if method.key != "alibi" and not method.ends_at_train_length
)
RECALL_VARIANTS: dict[str, RecallVariant] = {
    variant.key: variant for variant in (*_ALIBI, *_OTHERS)
}


def recall_variant(
    method: str,
    *,
    max_exponent: float = MAX_SLOPE_EXPONENT,
    free_heads: int = 0,
    learned_slopes: bool = False,
) -> RecallVariant:
    """Returns the kind of recall model with those slopes, measured by the plan or not.

    >>> recall_variant("alibi", max_exponent=10, free_heads=2).label
    'ALiBi, exponent 10, 2 heads free'

    Args:
        method: Key of its position method.
        max_exponent: ALiBi: the flattest slope is 2 to minus this.
        free_heads: ALiBi: heads without a bias, the flattest ones.
        learned_slopes: ALiBi: whether slopes are trained.

    Raises:
        ValueError: No such method in the plan.
    """
    if method not in RECALL_VARIANTS or RECALL_VARIANTS[method].method != method:
        raise ValueError(f"no recall model has the position method {method!r}")
    settings: dict[str, Any] = {}
    words = []
    if max_exponent != MAX_SLOPE_EXPONENT:
        settings["max_exponent"] = float(max_exponent)
        words.append((f"e{max_exponent:g}", f"exponent {max_exponent:g}"))
    if free_heads:
        settings["free_heads"] = free_heads
        words.append((f"free{free_heads}", f"{count(free_heads, 'head')} free"))
    if learned_slopes:
        settings["learned_slopes"] = True
        words.append(("learned", "learned slopes"))
    usual = RECALL_VARIANTS[method]
    key = "-".join([method, *(short for short, _ in words)])
    label = ", ".join([usual.label, *(long for _, long in words)])
    return RECALL_VARIANTS.get(key) or RecallVariant(
        key, label, method, {**usual.settings, **settings}
    )


# Names that `parse_stretching` reads. Every other method has the temperature alone.
_STRETCHINGS = {
    "alibi": (
        "slopes-pi",
        "slopes-ntk",
        "flattest-freed",
        "log-length",
        "slopes-pi+log-length",
        "slopes-ntk+log-length",
    ),
    "rope": (
        "pi",
        "ntk",
        "dynamic-ntk",
        "by-parts",
        "by-parts-coded",
        "yarn",
        "yarn-coded",
        "pi+log-length",
    ),
    "learned": (),
}


# A language model costs a minute a stretching, a recall model seconds. Of every seed:
_LANGUAGE = {
    "alibi": ("slopes-pi", "slopes-ntk", "flattest-freed", "log-length"),
    "rope": ("pi", "ntk", "yarn-coded"),
    "t5": ("log-length",),
}
# Of the first seed alone:
_LANGUAGE_ONCE = {
    "alibi": ("slopes-ntk+log-length",),
    "rope": ("dynamic-ntk", "by-parts", "by-parts-coded", "yarn"),
    "nope": ("log-length",),
    "sinusoidal": ("log-length",),
}


def stretchings_of(method: str) -> tuple[str, ...]:
    """Returns the names of the stretchings that recall models of a method are measured with."""
    return _STRETCHINGS.get(method, ("log-length",))


def language_stretchings_of(method: str, seed: int, *, all_seeds: bool = False) -> tuple[str, ...]:
    """Returns the names of the stretchings that a language model is measured with.

    Args:
        method: Key of the position method.
        seed: Of the training run; the first one, 0, is measured with more.
        all_seeds: Whether only those that every seed is measured with are wanted.
    """
    more = () if seed or all_seeds else _LANGUAGE_ONCE.get(method, ())
    return (*_LANGUAGE.get(method, ()), *more)
