import math

import pytest


def test_budget_is_rounded_down_to_whole_batches(tiny):
    assert tiny(tokens=34 + 3 * 35).steps == 3
    assert tiny().tokens_per_step == 35


def test_rate_climbs_then_falls_to_nothing(tiny):
    config = tiny(tokens=100 * 35, learning_rate=0.4, warmup_fraction=0.1)
    rates = [config.learning_rate_at(step) for step in range(100)]
    assert rates[:10] == pytest.approx([0.04 * n for n in range(1, 11)])
    assert max(rates) == rates[10] == 0.4
    # Half-way through the cosine the rate is half.
    assert rates[55] == pytest.approx(0.2)
    assert rates[99] == pytest.approx(0.2 * (1 + math.cos(math.pi * 89 / 90)))
    assert rates[99] < 0.001


def test_a_run_is_named_for_method_length_and_seed(tiny):
    assert tiny("rope", seed=2).name_on("code") == "rope-h2-d12-l1-L7-s2"
    assert tiny("rope", seed=2).name_on("prose") == "prose-rope-h2-d12-l1-L7-s2"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tokens": 34}, "tokens must fill one batch of 35, got 34"),
        ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
        ({"learning_rate": -1.0}, "learning_rate must be positive, got -1"),
        ({"learning_rate": math.nan}, "learning_rate must be positive, got nan"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_recipes_that_cannot_be_run_are_refused(tiny, settings, message):
    with pytest.raises(ValueError, match=message):
        tiny(**settings)
