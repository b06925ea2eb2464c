import math
from itertools import pairwise

import numpy as np
import pytest

from alibi_viz.figures.labels import moved_apart


def touching(places, heights):
    """Pairs of labels that lie on one another."""
    ends = sorted(
        (place - height / 2, place + height / 2)
        for place, height in zip(places, heights, strict=True)
    )
    return [(a, b) for a, b in pairwise(ends) if b[0] < a[1] - 1e-9]


def test_labels_with_room_stay_where_they_are():
    assert moved_apart([3.0, -1.0, 7.5], [1.0, 2.0, 1.0]) == [3.0, -1.0, 7.5]


def test_labels_in_the_way_of_each_other_are_stacked_upwards_by_their_heights():
    # The second is twice as high: it begins where the first ends, at 0.5.
    assert moved_apart([0.0, 0.1, 0.2], [1.0, 2.0, 1.0]) == pytest.approx([0.0, 1.5, 3.0])


def test_a_stack_that_would_reach_above_the_top_is_pushed_down():
    assert moved_apart([1.0, 1.0, 1.0], [0.5] * 3, highest=1.25) == pytest.approx([0.0, 0.5, 1.0])


def test_none_touch_and_their_order_is_that_of_the_places():
    rng = np.random.default_rng(7)
    for _ in range(50):
        places, heights = rng.normal(size=11), rng.uniform(0.1, 0.6, 11)
        moved = np.array(moved_apart(places.tolist(), heights.tolist(), highest=1.0))
        assert not touching(moved, heights)
        assert (np.diff(moved[places.argsort()]) > 0).all()
        assert (moved + heights / 2).max() <= 1.0 + 1e-9


def test_no_label_needs_no_place():
    assert moved_apart([], [], highest=math.inf) == []
