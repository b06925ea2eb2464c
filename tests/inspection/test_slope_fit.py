import numpy as np
import pytest

from alibi_viz.inspection.probe.slope_fit import fit_slopes
from tests.inspection.references import reference_interleaved


@pytest.mark.parametrize("exponent", [4.0, 8.0, 16.0])
@pytest.mark.parametrize("n_head", [5, 6, 12])
def test_rule_and_exponent_are_found(n_head, exponent):
    fit = fit_slopes(np.array(reference_interleaved(n_head, exponent)))
    assert (fit.rule, fit.factor, fit.rules_differ) == ("interleaved", 1, True)
    assert fit.max_exponent == pytest.approx(exponent)
    geometric = fit_slopes(2.0 ** (-exponent * np.arange(1, n_head + 1) / n_head))
    assert geometric.rule == "geometric"
    assert geometric.max_exponent == pytest.approx(exponent)


def test_powers_of_two_fit_either_rule():
    fit = fit_slopes(np.array([0.25, 0.0625, 0.015625, 0.00390625]))
    assert fit.words == "either rule, exponent 8"


@pytest.mark.parametrize("known", [1.0, 0.35])
def test_a_common_factor_is_found_whether_known_or_not(known):
    fit = fit_slopes(0.35 * np.array(reference_interleaved(12)), known)
    assert fit.factor == pytest.approx(0.35)
    assert fit.max_exponent == pytest.approx(8)


def test_one_head_has_one_exponent():
    assert fit_slopes(np.array([2.0**-6])).max_exponent == pytest.approx(6)


def test_slopes_of_no_rule_are_not_called_good():
    assert not fit_slopes(np.array([0.5, 0.01, 0.4, 0.02, 0.3])).is_good


def test_what_measuring_may_be_off_by_is_no_error():
    slopes = np.array(reference_interleaved(6))
    slopes[3] += 0.002  # half as much again for the flattest
    assert not fit_slopes(slopes).is_good
    assert fit_slopes(slopes, precision=0.004).is_good
    assert fit_slopes(slopes, precision=0.004).max_exponent == pytest.approx(8, rel=0.01)


def test_a_slope_of_zero_follows_no_rule():
    with pytest.raises(ValueError, match="above 0"):
        fit_slopes(np.array([0.5, 0.0]))
