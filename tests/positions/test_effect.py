import math

import numpy as np
import pytest

from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.positions import find_method
from alibi_viz.positions.base import PositionConfig
from alibi_viz.positions.effect import logit_by_distance, logit_matrix

CONFIG = PositionConfig(n_head=3, d_model=12, train_length=7)


def method(key):
    learned = find_method(key)(CONFIG).learned
    draws = np.random.default_rng(2)
    return find_method(key)(
        CONFIG, {name: draws.normal(size=values.shape) for name, values in learned.items()}
    )


def test_alibi_adds_its_bias():
    effect = logit_by_distance(method("alibi"), 11)
    expected = -np.outer(alibi_slopes(3), np.arange(11))
    np.testing.assert_allclose(effect.mean, expected, rtol=1e-6)
    assert effect.depends_on_distance_only


def test_t5_adds_the_entry_of_its_bucket():
    position = method("t5")
    effect = logit_by_distance(position, 11)
    np.testing.assert_array_equal(effect.mean, position.learned["table"][:, :11].astype(np.float32))


def test_rope_causes_a_sum_of_cosines():
    # Four channels: two pairs with frequencies 1 and 1/100; a vector of ones over sqrt(4).
    effect = logit_by_distance(method("rope"), 11)
    expected = [math.cos(d) + math.cos(d / 100) for d in range(11)]
    np.testing.assert_allclose(effect.mean, [expected], atol=1e-9)
    assert effect.depends_on_distance_only


def test_sinusoids_cause_a_sum_of_cosines_too():
    # Root mean square 1 makes every pair's circle of radius sqrt(2); six pairs over sqrt(12).
    effect = logit_by_distance(method("sinusoidal"), 11)
    frequency = [10000 ** (-2 * k / 12) for k in range(6)]
    expected = [sum(2 * math.cos(w * d) for w in frequency) / math.sqrt(12) for d in range(11)]
    np.testing.assert_allclose(effect.mean, [expected], atol=1e-5)
    assert effect.depends_on_distance_only


def test_learned_positions_depend_on_more_than_distance_and_end_with_the_table():
    position = method("learned")
    effect = logit_by_distance(position, 11)
    assert effect.mean.shape == (1, 7)
    assert not effect.depends_on_distance_only
    table = position.learned["table"]
    table = table / np.sqrt((table**2).mean(axis=1, keepdims=True))
    logits = [table[i] @ table[i - 2] / math.sqrt(12) for i in range(2, 7)]
    found = (effect.mean[0, 2], effect.low[0, 2], effect.high[0, 2])
    np.testing.assert_allclose(found, (np.mean(logits), min(logits), max(logits)), rtol=1e-6)


def test_nope_adds_nothing():
    effect = logit_by_distance(method("nope"), 5)
    assert not effect.mean.any()
    matrix = logit_matrix(method("nope"), np.arange(5), 0)
    assert not np.nan_to_num(matrix).any()


@pytest.mark.parametrize("key", ["alibi", "t5", "rope", "sinusoidal"])
def test_the_matrix_holds_the_logit_of_its_distance_and_no_future(key):
    places = np.array([0, 3, 4, 9])
    by_distance = logit_by_distance(method(key), 10).mean
    head = 2 if len(by_distance) > 1 else 0
    matrix = logit_matrix(method(key), places, 2)
    for row, query in enumerate(places):
        for column, place in enumerate(places):
            value = matrix[row, column]
            if place > query:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(by_distance[head, query - place], abs=1e-5)


def test_the_matrix_of_a_learned_table_is_empty_past_its_last_row():
    matrix = logit_matrix(method("learned"), np.array([0, 6, 7, 9]), 0)
    assert np.isfinite(matrix[1, :2]).all()
    assert np.isnan(matrix[2:]).all()
