import numpy as np
import pytest

from alibi_viz.inspection.text.measures import RunningMeasures, slope_measures, weights_by_distance
from alibi_viz.maths.decay import attention_by_distance


def reference_alibi_weights(slopes, length):
    """(head, query, key), each row by the definition."""
    weights = np.zeros((len(slopes), length, length))
    for head, slope in enumerate(slopes):
        for i in range(length):
            row = [np.exp(-slope * (i - j)) for j in range(i + 1)]
            weights[head, i, : i + 1] = np.array(row) / sum(row)
    return weights


def measured(weights, mass=0.9, block=1000):
    running = RunningMeasures(len(weights), weights.shape[-1], mass)
    queries = np.arange(weights.shape[1])
    for start in range(0, len(queries), block):
        part = slice(start, start + block)
        running.add(weights[:, part], queries[part])
    return running.result()


def test_a_row_is_turned_to_begin_with_the_query_itself():
    weights = np.array([[[1.0, 0, 0], [0.25, 0.75, 0], [0.2, 0.3, 0.5]]])
    near = weights_by_distance(weights, np.arange(3))
    assert near.tolist() == [[[1, 0, 0], [0.75, 0.25, 0], [0.5, 0.3, 0.2]]]


def test_measures_of_a_small_map_are_those_by_hand():
    weights = np.array([[[1.0, 0, 0], [0.25, 0.75, 0], [0.5, 0.3, 0.2]]])
    found = measured(weights, mass=0.6)
    # Windows 1, 1 (0.75 >= 0.6) and 3 (0.2, 0.5, 1.0).
    assert found.window.tolist() == [pytest.approx(5 / 3)]
    assert found.first_token.tolist() == [pytest.approx((0.25 + 0.5) / 2)]
    assert found.previous_token.tolist() == [pytest.approx((0.25 + 0.3) / 2)]
    np.testing.assert_allclose(found.mean_by_distance, [[(1 + 0.75 + 0.2) / 3, 0.55 / 2, 0.5]])
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    entropy += -(0.5 * np.log(0.5) + 0.3 * np.log(0.3) + 0.2 * np.log(0.2))
    assert found.entropy.tolist() == [pytest.approx(entropy / 3)]


def test_blocks_of_any_size_give_the_same():
    weights = reference_alibi_weights([0.5, 0.0625], 13)
    whole, parts = measured(weights), measured(weights, block=5)
    for name in ("window", "first_token", "entropy", "previous_token", "mean_by_distance"):
        np.testing.assert_allclose(getattr(whole, name), getattr(parts, name), rtol=1e-12)


def test_heads_that_follow_their_slopes_measure_as_slopes_say():
    slopes = np.array([0.5, 0.125, 0.0])
    found = measured(reference_alibi_weights(slopes, 23))
    expected = slope_measures(slopes, 23, 0.9)
    for name in ("window", "first_token", "entropy", "previous_token", "mean_by_distance"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)


def test_the_last_query_alone_decays_as_the_maths_say():
    slopes = np.array([0.25, 0.03125])
    weights = reference_alibi_weights(slopes, 17)[:, -1:]
    near = weights_by_distance(weights, np.array([16]))
    np.testing.assert_allclose(near[:, 0], attention_by_distance(slopes, 17), rtol=1e-12)


def test_rows_that_see_no_key_count_for_nothing():
    weights = reference_alibi_weights([0.5], 5)
    weights[:, 3] = 0
    found = measured(weights)
    kept = [0, 1, 2, 4]
    running = RunningMeasures(1, 5, 0.9)
    running.add(weights[:, kept], np.array(kept))
    assert np.isfinite(found.window).all()
    np.testing.assert_allclose(found.window, running.result().window)
    np.testing.assert_allclose(found.mean_by_distance, running.result().mean_by_distance)


def test_one_token_has_no_token_before_it():
    found = measured(np.ones((1, 1, 1)))
    assert (found.window, found.first_token, found.previous_token) == ([1], [0], [0])
    alone = slope_measures(np.array([0.5]), 1, 0.9)
    assert (alone.window, alone.first_token, alone.previous_token) == ([1], [0], [0])
