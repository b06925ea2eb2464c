import math

import pytest

from alibi_viz.maths.needle import gap_for_weight, half_weight_distance, needle_weight


def reference_weight(gap, slope, distance, length):
    logits = [(gap if d == distance else 0.0) - slope * d for d in range(length)]
    total = math.fsum(math.exp(logit) for logit in logits)
    return math.exp(logits[distance]) / total


@pytest.mark.parametrize(
    ("gap", "slope", "distance", "length"),
    [(6.0, 1 / 256, 116, 1024), (3.0, 0.0, 0, 2), (9.5, 0.5, 17, 31), (-2.0, 1 / 16, 5, 127)],
)
def test_weight_is_that_of_the_softmax_written_out(gap, slope, distance, length):
    weight = needle_weight(gap, slope, distance, length)
    assert weight == pytest.approx(reference_weight(gap, slope, distance, length), rel=1e-12)
    assert gap_for_weight(weight, slope, distance, length) == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize(("gap", "distance"), [(6, 116), (8, 628), (10, 1140), (12, 1652)])
def test_the_flattest_published_head_reaches_256_tokens_more_for_every_nat(gap, distance):
    assert half_weight_distance(gap, 1 / 256) == pytest.approx(distance, abs=0.5)
    # In an endless window; what the needle itself is counted for is below a thousandth.
    assert needle_weight(gap, 1 / 256, distance, 30_000) == pytest.approx(0.5, abs=1e-3)


def test_a_look_over_8192_tokens_costs_32_nats_with_exponent_8_and_an_eighth_with_16():
    def price(slope):
        return gap_for_weight(0.5, slope, 8191, 8192) - gap_for_weight(0.5, slope, 0, 8192)

    needed = gap_for_weight(0.5, 2**-8, 8191, 8192)
    assert needed == pytest.approx(8191 / 256 + math.log(1 / (1 - math.exp(-1 / 256))), abs=1e-6)
    assert needed == pytest.approx(37.5, abs=0.05)
    assert price(2**-16) == pytest.approx(0.125, abs=1e-3)
    # Without a bias the competition is all there is: ln 8,191.
    assert gap_for_weight(0.5, 0.0, 8191, 8192) == pytest.approx(math.log(8191), rel=1e-12)


def test_the_best_slope_for_a_distance_is_one_over_it_and_costs_one_nat_and_the_logarithm():
    distance = 512
    needed = [gap_for_weight(0.5, k / distance, distance, 10**6) for k in (0.5, 0.9, 1, 1.1, 2)]
    assert min(needed) == needed[2]
    assert needed[2] == pytest.approx(1 + math.log(distance), abs=2e-3)


def test_a_needle_that_nothing_can_pay_for_weighs_nothing():
    assert needle_weight(0.0, 1.0, 1000, 1001) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: needle_weight(1, 0.5, 8, 8), "distance must be from 0 to 7, got 8"),
        (lambda: needle_weight(1, -0.5, 1, 8), "slope must be at least 0, got -0.5"),
        (lambda: gap_for_weight(1.0, 0.5, 1, 8), "weight must be above 0 and below 1, got 1.0"),
        (lambda: half_weight_distance(1.0, 0.0), "slope must be above 0, got 0.0"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
