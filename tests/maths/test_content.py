import math
from statistics import NormalDist

import numpy as np
import pytest

from alibi_viz.maths.content import (
    attention_over_draws,
    content_draws,
    distance_grid,
    spread,
)
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.maths.windows import effective_keys, effective_window

MASSES = (0.5, 0.9, 0.99)
N_KEY, N_DRAW, N_HEAD = 131, 7, 5


def reference_attention(slope, content):
    """One head, one draw: the softmax written out key by key, largest logit first taken away."""
    logits = [content[d] - slope * d for d in range(len(content))]
    top = max(logits)
    total = math.fsum(math.exp(logit - top) for logit in logits)
    return [math.exp(logit - top) / total for logit in logits]


def reference_window(weights, mass):
    held = 0.0
    for count, weight in enumerate(weights, start=1):
        held += weight
        if held >= mass:
            return count
    return len(weights)


@pytest.fixture(scope="module")
def case():
    slopes = np.array([0.5, 0.003, 0.25, 0.9, 0.031])
    content = 2.5 * content_draws(N_KEY, n_draw=N_DRAW, seed=3)
    distances = distance_grid(N_KEY, 11)
    ours = attention_over_draws(slopes, content, distances, MASSES)
    theirs = np.array(
        [[reference_attention(m, content[:, draw]) for draw in range(N_DRAW)] for m in slopes]
    )
    return ours, theirs, distances


def test_weights_equal_a_softmax_written_key_by_key(case):
    ours, theirs, distances = case
    expected = theirs[:, :, distances].transpose(0, 2, 1)
    np.testing.assert_allclose(ours.weights, expected, rtol=1e-12)


def test_held_is_the_sum_over_all_keys_up_to_that_distance_not_only_the_drawn_ones(case):
    ours, theirs, distances = case
    expected = [
        [
            [math.fsum(theirs[head, draw, : d + 1]) for draw in range(N_DRAW)]
            for d in distances.tolist()
        ]
        for head in range(N_HEAD)
    ]
    np.testing.assert_allclose(ours.held, expected, rtol=1e-12)


def test_windows_are_exact_to_the_token_between_the_drawn_distances(case):
    ours, theirs, _ = case
    expected = [
        [
            [reference_window(theirs[head, draw], mass) for draw in range(N_DRAW)]
            for head in range(N_HEAD)
        ]
        for mass in MASSES
    ]
    assert ours.windows.tolist() == expected


def test_effective_keys_are_exp_of_the_entropy_of_all_weights(case):
    ours, theirs, _ = case
    expected = [
        [math.exp(-math.fsum(w * math.log(w) for w in row if w > 0)) for row in head]
        for head in theirs
    ]
    np.testing.assert_allclose(ours.effective_keys, expected, rtol=1e-10)


def test_zero_content_is_the_pure_decay_of_the_other_modules():
    slopes = alibi_slopes(16)
    pure = attention_by_distance(slopes, 2053)
    distances = distance_grid(2053, 37)
    drawn = attention_over_draws(slopes, np.zeros((2053, 1)), distances, MASSES)
    np.testing.assert_allclose(drawn.weights[..., 0], pure[:, distances], rtol=1e-12)
    np.testing.assert_allclose(drawn.effective_keys[:, 0], effective_keys(pure), rtol=1e-10)
    for index, mass in enumerate(MASSES):
        assert drawn.windows[index, :, 0].tolist() == effective_window(pure, mass).tolist()


def test_a_far_key_with_enough_content_takes_nearly_everything_however_steep_the_slope():
    # 400 tokens at slope 1 cost 400 nats; the key has 410, so it beats the query's own by e^10.
    content = np.zeros((401, 1))
    content[400] = 410.0
    drawn = attention_over_draws(np.array([1.0]), content, np.array([0, 399, 400]), (0.5,))
    own = 1 / (math.exp(10) + 1 / (1 - math.exp(-1)))
    assert drawn.weights[0, 0, 0] == pytest.approx(own, rel=1e-9)
    assert drawn.windows.item() == 401


def test_equal_slopes_of_zero_share_evenly_among_keys():
    drawn = attention_over_draws(np.zeros(3), np.zeros((8, 1)), np.arange(8), (0.7,))
    assert drawn.weights == pytest.approx(np.full((3, 8, 1), 1 / 8))
    assert drawn.effective_keys[:, 0] == pytest.approx([8, 8, 8])
    assert drawn.windows[0, :, 0].tolist() == [6, 6, 6]


def test_draws_keep_their_first_keys_when_more_are_drawn_and_change_with_the_seed():
    long, short = content_draws(5003), content_draws(17)
    assert np.array_equal(long[:17], short)
    assert not np.array_equal(short, content_draws(17, seed=1))


def test_each_key_takes_one_number_from_every_part_of_the_normal_distribution():
    draws = content_draws(23, n_draw=11, seed=2)
    part = [[math.floor(NormalDist().cdf(z) * 11) for z in sorted(row)] for row in draws]
    assert part == [list(range(11))] * 23


def test_draws_are_standard_normal_and_keys_independent():
    draws = content_draws(5003)
    # What varies within a part has variance 0.003, so the mean is known to 8e-5: five of these.
    assert abs(draws.mean()) < 4e-4
    assert abs(draws.std() - 1) < 2e-3
    # One number in 15,787 lies beyond 4: thirty-two of these, give or take six.
    assert 8 <= (abs(draws) > 4).sum() <= 56
    neighbours = (draws[1:] * draws[:-1]).mean()
    assert abs(neighbours) < 5 / math.sqrt(draws.size)


def test_a_grid_has_both_ends_what_was_asked_for_and_nothing_beyond_the_keys():
    grid = distance_grid(16384, 60, also=(127, 128, 20000, -1))
    assert grid[0] == 0
    assert grid[-1] == 16383
    assert {127, 128} <= set(grid.tolist())
    assert (np.diff(grid) > 0).all()
    assert len(grid) <= 64


def test_an_even_grid_has_small_steps_at_the_far_end_and_single_tokens_at_the_near_one():
    plain, even = distance_grid(16384, 60), distance_grid(16384, 60, even=True)
    assert even[:4].tolist() == plain[:4].tolist() == [0, 1, 2, 3]
    assert np.diff(even).max() <= 16383 / 29 + 1 < np.diff(plain).max()
    assert len(even) <= 61


@pytest.mark.parametrize(("n_key", "expected"), [(1, [0]), (2, [0, 1]), (4, [0, 1, 2, 3])])
def test_a_grid_over_few_keys_is_every_distance(n_key, expected):
    assert distance_grid(n_key, 50).tolist() == expected


def test_spread_of_101_draws_is_the_11th_the_51st_and_the_91st():
    shuffled = np.random.default_rng(0).permutation(101)
    assert spread(np.stack([shuffled, shuffled * 2]))[0].tolist() == [10, 20]
    assert [int(part) for part in spread(shuffled)] == [10, 50, 90]
    assert [int(part) for part in spread(np.array([4]))] == [4, 4, 4]


@pytest.mark.parametrize(
    ("slopes", "distances", "masses", "message"),
    [
        ([0.5], [0, 3], (), r"last key's, 4, got \[0, 3\]"),
        ([0.5], [0, 2, 2, 4], (), "distances must increase"),
        ([0.5], [-1, 4], (), "from 0 or more"),
        ([-0.5], [0, 4], (), r"slopes must be at least 0, got \[-0.5\]"),
        ([0.5], [0, 4], (1.0,), "mass must be above 0 and below 1, got 1.0"),
    ],
)
def test_inputs_that_make_no_sense_are_named(slopes, distances, masses, message):
    with pytest.raises(ValueError, match=message):
        attention_over_draws(np.array(slopes), np.zeros((5, 2)), np.array(distances), masses)


def test_no_keys_is_refused():
    with pytest.raises(ValueError, match="n_key must be a whole number of at least 1, got 0"):
        distance_grid(0)
