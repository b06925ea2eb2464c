"""Which rule and exponent explain a set of slopes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alibi_viz.inspection.line_fit import fit_lines
from alibi_viz.maths.slopes import SLOPE_RULES, SlopeRule, alibi_slopes, rules_differ

# Slopes that a rule explains to 1 % are that rule's; the two rules differ by far more.
GOOD = 0.01


@dataclass(frozen=True)
class SlopeFit:
    """A rule's best account of some slopes: factor * alibi_slopes(n_head, max_exponent, rule)."""

    rule: SlopeRule
    max_exponent: float
    factor: float
    """What all slopes are multiplied with; 1 as published."""
    worst_error: float
    """Largest relative error over the heads, beyond what measuring them may be off by."""
    rules_differ: bool
    """Whether the other rule would give other slopes for this number of heads."""

    @property
    def is_good(self) -> bool:
        """Whether it explains the slopes."""
        return self.worst_error <= GOOD

    @property
    def words(self) -> str:
        """The account in words."""
        rule = self.rule if self.rules_differ else "either rule"
        times = "" if self.factor == 1 else f", times {self.factor:.4g}"
        return f"{rule}, exponent {self.max_exponent:.3g}{times}"


def fit_slopes(
    slopes: NDArray[np.float64], known_factor: float = 1.0, precision: float = 0.0
) -> SlopeFit:
    """Returns the account that explains (head,) slopes best.

    log2(slope) is a straight line in the exponent for either rule, so each fit is least squares.
    Accounts are tried from the simplest: no factor, the factor that is known of the family, any
    factor; the first that is good is taken, or the one with the smallest error.

    >>> fit_slopes(alibi_slopes(12, 16, "interleaved")).words
    'interleaved, exponent 16'

    Args:
        slopes: (head,) slopes above 0, in nats per token.
        known_factor: What the model's family multiplies the published slopes with.
        precision: What a slope may be off by from having been measured, in nats per token.

    Raises:
        ValueError: A slope that is not above 0.
    """
    if not (slopes > 0).all():
        raise ValueError(f"only slopes above 0 follow a rule, got {slopes.tolist()}")
    factors = [1.0, known_factor, None]
    fits = [_fit(slopes, rule, factor, precision) for factor in factors for rule in SLOPE_RULES]
    good = [fit for fit in fits if fit.is_good]
    # Of a factor's two rules, the one with the smaller error.
    if good:
        return min((f for f in good if f.factor == good[0].factor), key=lambda f: f.worst_error)
    return min(fits, key=lambda fit: fit.worst_error)


def _fit(
    slopes: NDArray[np.float64], rule: SlopeRule, factor: float | None, precision: float
) -> SlopeFit:
    n_head = len(slopes)
    exponent_of_one = -np.log2(alibi_slopes(n_head, 1.0, rule))
    exponents = -np.log2(slopes)
    # Of a flat slope the measurement may leave little.
    certainty = 1 / (GOOD + precision / slopes)
    if factor is None and n_head > 2:
        line = fit_lines(exponent_of_one, exponents, certainty)
        exponent, factor = float(line.gradient), float(2.0**-line.start)
    else:
        factor = 1.0 if factor is None else factor
        rest = exponents + np.log2(factor)
        weighted = exponent_of_one * certainty**2
        exponent = rest @ weighted / (exponent_of_one @ weighted)
    exponent = max(float(exponent), 0.0)
    explained = factor * alibi_slopes(n_head, exponent, rule)
    error = np.maximum(np.abs(explained - slopes) - precision, 0)
    worst = float((error / slopes).max())
    return SlopeFit(rule, exponent, factor, worst, rules_differ(n_head))
