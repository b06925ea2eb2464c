"""Ways to stretch a trained model to longer windows; `RULES` is the only list of them.

A rule changes the numbers that a position method hands to attention (RoPE's frequencies, ALiBi's
slopes), the size of the content logits, or both. Nothing stored changes, and nothing is trained.
Reading this imports no torch: pages draw stretched rotations without it.

    scale s = T / L     T tokens in the window, L in training; 1 in a window that is not longer
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from alibi_viz.maths.arrays import Array
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import by_parts, interpolation, ntk, slopes
from alibi_viz.positions.stretch.log_length import log_length_factor
from alibi_viz.positions.stretch.yarn import yarn_logit_factor

LOG_LENGTH = "log-length"
AS_TRAINED = "as-trained"

_YARN = "Peng et al., 2023, https://arxiv.org/abs/2309.00071"


@dataclass(frozen=True)
class Rule:
    """One way to stretch, as the registry knows it."""

    key: str
    """Name in code, files and URLs."""
    label: str
    """Name on a page."""
    short: str
    """Name beside a line."""
    method: str
    """Key of the position method that it stretches."""
    paper: str
    """Authors, year and address of its source."""
    stretch: Callable[[Array, float, int], Array]
    """From own numbers, scale and training length to stretched numbers: RoPE's (pair,) frequencies
    in radians per token, or ALiBi's (head,) slopes in nats per token."""
    logit_factor: Callable[[float], float] | None = None
    """From scale to what content logits are multiplied by; None for 1."""
    takes_scale: bool = True
    """Whether the scale can be fixed; else only the window decides."""
    depends_on_scale: bool = True
    """Whether the scale makes a difference."""


_ALL = (
    Rule(
        "pi",
        "Position interpolation",
        "PI",
        "rope",
        "Chen et al., 2023, https://arxiv.org/abs/2306.15595",
        interpolation.interpolated,
    ),
    Rule("ntk", "NTK-aware", "NTK-aware", "rope", f"bloc97, 2023, in {_YARN}", ntk.ntk_aware),
    Rule(
        "dynamic-ntk",
        "Dynamic NTK, a = 2",
        "dynamic NTK",
        "rope",
        f"emozilla, 2023, in {_YARN}",
        ntk.dynamic_ntk,
        takes_scale=False,
    ),
    Rule("by-parts", "NTK-by-parts", "by parts", "rope", _YARN, by_parts.by_parts),
    Rule(
        "by-parts-coded",
        "NTK-by-parts, as coded",
        "by parts, coded",
        "rope",
        _YARN,
        by_parts.by_parts_as_coded,
    ),
    Rule("yarn", "YaRN", "YaRN", "rope", _YARN, by_parts.by_parts, yarn_logit_factor),
    Rule(
        "yarn-coded",
        "YaRN, as coded",
        "YaRN, coded",
        "rope",
        _YARN,
        by_parts.by_parts_as_coded,
        yarn_logit_factor,
    ),
    Rule(
        "slopes-pi",
        "Slopes / s",
        "slopes / s",
        "alibi",
        "Al-Khateeb et al., 2023, https://arxiv.org/abs/2310.13017",
        slopes.slopes_over_scale,
    ),
    Rule(
        "slopes-ntk",
        "Slopes stretched unevenly",
        "slopes unevenly",
        "alibi",
        "NTK-ALiBi, https://github.com/keezen/ntk_alibi",
        slopes.uneven_slopes,
    ),
    Rule(
        "flattest-freed",
        "Two flattest slopes 0",
        "two slopes 0",
        "alibi",
        "an experiment of this project",
        slopes.flattest_freed,
        takes_scale=False,
        depends_on_scale=False,
    ),
)

RULES: dict[str, Rule] = {rule.key: rule for rule in _ALL}


@dataclass(frozen=True)
class Stretching:
    """A rule, how far it stretches, and whether content logits grow with the window's logarithm."""

    rule: Rule | None = None
    """None where only the logits grow, or nothing changes."""
    scale: float | None = None
    """Fixed scale, at least 1; None takes every window's own."""
    log_length: bool = False
    """Whether content logits are multiplied by ln T / ln L."""

    def __post_init__(self) -> None:
        """Raises ValueError on a scale that cannot be, with what is allowed."""
        if self.scale is None:
            return
        if self.rule is None or not self.rule.takes_scale:
            named = self.rule.key if self.rule else "a stretching without a rule"
            raise ValueError(f"{named} takes no fixed scale, got {self.scale:g}")
        if not 1 <= self.scale < np.inf:
            raise ValueError(f"scale must be finite and at least 1, got {self.scale}")

    @property
    def name(self) -> str:
        """Name that `parse_stretching` reads, e.g. "yarn-coded@4" or "pi+log-length"."""
        named = self.rule.key if self.rule else ""
        fixed = "" if self.scale is None else f"@{self.scale:g}"
        parts = [part for part in (named + fixed, LOG_LENGTH if self.log_length else "") if part]
        return "+".join(parts) or AS_TRAINED

    @property
    def label(self) -> str:
        """Name on a page."""
        fixed = "" if self.scale is None else f", s = {self.scale:g}"
        parts = [self.rule.label + fixed] if self.rule else []
        parts += ["logits × ln T / ln L"] if self.log_length else []
        return ", ".join(parts) or "As trained"

    def scale_at(self, length: int, train_length: int) -> float:
        """Returns the scale for a window: the fixed one, or T / L and at least 1.

        Args:
            length: Tokens in the window.
            train_length: Tokens in a training window.
        """
        return max(1.0, length / train_length) if self.scale is None else self.scale

    def numbers(self, own: Array, length: int, train_length: int) -> Array:
        """Returns frequencies or slopes as a window of `length` tokens gets them.

        Args:
            own: RoPE's (pair,) frequencies, or ALiBi's (head,) slopes, as in training.
            length: Tokens in the window.
            train_length: Tokens in a training window.

        Returns:
            The same kind of numbers; `own` itself where nothing changes.
        """
        scale = self.scale_at(length, train_length)
        if self.rule is None or (scale == 1 and self.rule.depends_on_scale):
            return own
        return self.rule.stretch(own, scale, train_length)

    def logit_factor(self, length: int, train_length: int) -> float:
        """Returns what content logits of a window are multiplied by; a bias is not."""
        factor = 1.0
        if self.rule is not None and self.rule.logit_factor is not None:
            factor = self.rule.logit_factor(self.scale_at(length, train_length))
        if self.log_length:
            factor *= log_length_factor(max(1.0, length / train_length), train_length)
        return factor

    def check(self, method: str) -> None:
        """Raises ValueError if the rule does not stretch that position method."""
        if self.rule is not None and self.rule.method != method:
            raise ValueError(
                f"{self.rule.key} stretches {self.rule.method}, not {METHODS[method].key}"
            )


def parse_stretching(name: str) -> Stretching:
    """Returns the stretching of that name: "as-trained", a rule, a scale after "@".

    >>> parse_stretching("yarn-coded@4").scale, parse_stretching("pi+log-length").log_length
    (4.0, True)

    Args:
        name: As `Stretching.name` spells it.

    Raises:
        ValueError: No such rule, or a scale that is no number or not allowed.
    """
    parts = name.split("+")
    log_length = parts[-1] == LOG_LENGTH
    spelled = "+".join(parts[:-1] if log_length else parts) or AS_TRAINED
    key, at, scale = spelled.partition("@")
    if key not in RULES and spelled != AS_TRAINED:
        allowed = ", ".join([AS_TRAINED, *RULES, LOG_LENGTH])
        raise ValueError(
            f"stretching must be one of {allowed}, or joined as in pi@4+{LOG_LENGTH}, got {name!r}"
        )
    try:
        fixed = float(scale) if at else None
    except ValueError:
        raise ValueError(f"the scale after @ must be a number, got {name!r}") from None
    return Stretching(RULES.get(key), fixed, log_length)
