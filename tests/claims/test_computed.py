"""The sentences against numbers worked out by hand, with loops or with other formulas."""

import math

from alibi_viz.claims import computed
from alibi_viz.claims.experiment import Experiment

NOTHING = Experiment([])


def test_the_factor_is_e_to_minus_two_and_the_weight_far_below():
    terms = [math.exp(-distance / 256) for distance in range(513)]
    text = computed.unnormalised_factor(NOTHING)
    assert "factor is 0.135" in text
    assert f"weight {terms[-1] / sum(terms):.5f}" in text


def test_the_distance_8192_costs_32_nats():
    text = computed.nats_at_8192(NOTHING)
    assert "−32 nats" in text
    # A lead of 32 + ln 8192 nats against the others' sum of 1 / (1 - exp(-1/256)).
    share = 8192 / (8192 + sum(math.exp(-d / 256) for d in range(8192)))
    assert f"{share:.0%} of that head's attention" in text


def test_the_leak_is_the_known_one():
    text = computed.leak_without_mask(NOTHING)
    assert "[0.25 0.25 0.25 0.25] and must be [1 0 0 0]" in text
    assert "[0.1015 0.1674 0.276 0.4551]" in text


def test_dividing_by_the_root_of_64_makes_the_window_eight_times_as_long():
    # ceil(ln 20 / (1/2)) = 6; with slope 1/16 ceil(47.93) = 48.
    assert "from 6 to 48 tokens" in computed.divided_by_root(NOTHING)


def test_the_rules_differ_most_at_head_eight_of_twelve():
    text = computed.rules_at_twelve(NOTHING)
    assert f"head 8 has slope {2 ** (-8 * 8 / 12):.4f} by the formula" in text
    assert f"{2**-8:.4f} in the code" in text


def test_the_exponent_moves_the_half_life_by_its_power_of_two():
    text = computed.two_exponents(NOTHING)
    assert f"every {math.log(2) * 2**8:,.0f} tokens" in text
    assert f"every {math.log(2) * 2**16:,.0f} with 16" in text


def test_a_dense_bias_counts_every_pair():
    text = computed.dense_bias(NOTHING)
    assert "2,147,483,648 numbers (4 GiB" in text
    assert "262,144 say the same" in text
