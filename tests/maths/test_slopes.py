import csv
import math
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from alibi_viz.maths.slopes import alibi_slopes, interpolated_slopes, rules_differ

REFERENCE = Path(__file__).parent / "slopes_reference.csv"


def reference_interleaved(n_head):
    """The authors' recursion, exact: each slope as a power of two with a rational exponent."""

    def power_of_two(n):
        return [Fraction(-8 * (index + 1), n) for index in range(n)]

    if math.log2(n_head).is_integer():
        return power_of_two(n_head)
    closest = 2 ** math.floor(math.log2(n_head))
    return power_of_two(closest) + power_of_two(2 * closest)[0::2][: n_head - closest]


def test_eight_heads_have_the_papers_slopes():
    assert alibi_slopes(8).tolist() == [1 / 2**h for h in range(1, 9)]


def test_sixteen_heads_start_at_the_square_root_of_one_half():
    slopes = alibi_slopes(16)
    assert slopes[0] == pytest.approx(2**-0.5, rel=1e-15)
    assert slopes[1::2].tolist() == alibi_slopes(8).tolist()


def test_six_heads_by_each_rule():
    interleaved = [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    assert alibi_slopes(6, rule="interleaved").tolist() == interleaved
    geometric = [0.39685, 0.15749, 0.0625, 0.0248, 0.00984, 0.00391]
    np.testing.assert_allclose(alibi_slopes(6), geometric, atol=5e-6)


def test_reading_an_interleaved_checkpoint_by_the_other_rule_is_off_by_535_percent():
    geometric, interleaved = alibi_slopes(6), alibi_slopes(6, rule="interleaved")
    assert (geometric / interleaved - 1).max() == pytest.approx(5.35, abs=0.005)


def test_twelve_interleaved_heads_jump_after_the_eighth_and_stay_unsorted():
    slopes = alibi_slopes(12, rule="interleaved")
    assert slopes[7] == 2**-8
    np.testing.assert_allclose(slopes[8:], [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5], rtol=1e-15)


@pytest.mark.parametrize("n_head", [1, 2, 3, 5, 7, 11, 13, 24, 48, 61, 71, 112])
def test_interleaved_equals_the_authors_recursion(n_head):
    expected = [2 ** float(power) for power in reference_interleaved(n_head)]
    np.testing.assert_allclose(alibi_slopes(n_head, rule="interleaved"), expected, rtol=1e-15)


def test_every_row_of_the_reference_table():
    table = defaultdict(list)
    with REFERENCE.open(newline="") as file:
        for row in csv.DictReader(file):
            key = row["rule"], int(row["n_head"]), float(row["max_exponent"])
            table[key].append(float(row["slope"]))
    assert len(table) > 50
    for (rule, n_head, max_exponent), expected in table.items():
        ours = alibi_slopes(n_head, max_exponent, rule)
        assert ours.shape == (n_head,)
        np.testing.assert_allclose(ours, expected, rtol=1e-15, err_msg=f"{rule} {n_head}")


@pytest.mark.parametrize("n_head", range(1, 65))
def test_the_rules_agree_exactly_for_powers_of_two_and_only_then(n_head):
    same = np.array_equal(alibi_slopes(n_head), alibi_slopes(n_head, rule="interleaved"))
    assert same == (n_head in {1, 2, 4, 8, 16, 32, 64})
    assert rules_differ(n_head) == (not same)


def test_interleaved_slopes_are_prefix_stable_between_powers_of_two():
    longer = alibi_slopes(72, rule="interleaved")
    assert alibi_slopes(66, rule="interleaved").tolist() == longer[:66].tolist()


def test_the_exponent_is_that_of_the_flattest_head():
    for max_exponent in (0.5, 7.0, 16.0):
        assert alibi_slopes(5, max_exponent)[-1] == 2**-max_exponent


def test_exponent_zero_gives_every_head_slope_one():
    assert alibi_slopes(3, 0.0).tolist() == [1.0, 1.0, 1.0]


def test_free_heads_are_the_last_and_leave_the_paper_s_slopes_to_the_others():
    assert alibi_slopes(7, 9.0, free_heads=4).tolist() == [2.0**-3, 2.0**-6, 2.0**-9, 0, 0, 0, 0]
    assert alibi_slopes(5, free_heads=5).tolist() == [0.0] * 5
    interleaved = alibi_slopes(8, rule="interleaved", free_heads=5).tolist()
    assert interleaved == [2.0**-4, 2.0**-8, 2.0**-2, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("free_heads", [-1, 4, 1.5, math.nan])
def test_a_number_of_free_heads_that_there_are_not_is_refused(free_heads):
    with pytest.raises(
        ValueError, match=f"free_heads must be a whole number from 0 to 3, got {free_heads}"
    ):
        alibi_slopes(3, free_heads=free_heads)


def test_interpolation_divides_by_the_stretch_and_never_steepens():
    slopes = alibi_slopes(3)
    np.testing.assert_array_equal(interpolated_slopes(slopes, 128, 512), slopes / 4)
    np.testing.assert_array_equal(interpolated_slopes(slopes, 512, 128), slopes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), r"n_head must be a whole number of at least 1, got 0"),
        ((-3,), r"n_head must be a whole number of at least 1, got -3"),
        ((2.5,), r"n_head must be a whole number of at least 1, got 2\.5"),
        ((8, -1.0), r"max_exponent must be finite and at least 0, got -1\.0"),
        ((math.nan,), r"n_head must be a whole number of at least 1, got nan"),
        ((math.inf,), r"n_head must be a whole number of at least 1, got inf"),
        ((8, math.inf), r"max_exponent must be finite and at least 0, got inf"),
        ((8, math.nan), r"max_exponent must be finite and at least 0, got nan"),
        ((8, 8.0, "sorted"), r"rule must be one of geometric, interleaved, got 'sorted'"),
    ],
)
def test_bad_arguments_are_named_with_what_is_allowed(arguments, message):
    with pytest.raises(ValueError, match=message):
        alibi_slopes(*arguments)


def test_interpolation_refuses_a_length_below_one():
    with pytest.raises(ValueError, match="must be at least 1, got 0 and 7"):
        interpolated_slopes(alibi_slopes(2), 0, 7)
