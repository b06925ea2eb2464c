import math

import numpy as np
import pytest

from alibi_viz.maths.frequencies import turns_per_token
from alibi_viz.positions import find_method
from alibi_viz.positions.base import PositionConfig
from alibi_viz.positions.sinusoidal import sinusoidal_embedding


def method(key, train_length=128, **changes):
    sizes = {"n_head": 2, "d_model": 8} | changes
    return find_method(key)(PositionConfig(train_length=train_length, **sizes))


def test_all_of_alibis_biases_beyond_are_below_the_seen_ones():
    new = method("alibi").novelty(5, 11)
    # Two heads: slopes 1/16 and 1/256; largest distances 4 and 10.
    assert new.seen.tolist() == [4 / 16, 4 / 256]
    assert new.met.tolist() == [10 / 16, 10 / 256]
    assert new.is_new.all()


def test_all_of_kerples_biases_beyond_are_below_the_seen_ones():
    # r1 = r2 = 1: ln(1 + distance), at 4, 10 and 1 tokens back.
    learned = {"log_r1": np.zeros(2), "log_r2": np.zeros(2)}
    kerple = find_method("kerple")(PositionConfig(n_head=2), learned)
    new = kerple.novelty(5, 11)
    np.testing.assert_allclose(new.seen, [math.log(5)] * 2, rtol=1e-6)
    np.testing.assert_allclose(new.met, [math.log(11)] * 2, rtol=1e-6)
    np.testing.assert_allclose(new.lowest, [math.log(2)] * 2, rtol=1e-6)
    assert new.is_new.all()


def test_a_pair_of_channels_is_new_until_it_has_been_once_around():
    # Frequencies 1 and 1/100 radians a token: circles of 6.28 and 628 tokens.
    new = method("rope").novelty(101, 401)
    np.testing.assert_allclose(new.seen, [1.0, 1.0 / (2 * math.pi)])
    np.testing.assert_allclose(new.met, [1.0, 4.0 / (2 * math.pi)])
    assert new.is_new.tolist() == [False, True]
    assert not method("rope").novelty(700, 1400).is_new.any()


def test_sinusoids_turn_as_fast_as_rotations():
    turns = turns_per_token(6)
    sines = sinusoidal_embedding(2, 6)[1, ::2]
    np.testing.assert_allclose(np.sin(2 * math.pi * turns), sines, atol=1e-6)
    assert len(method("sinusoidal").novelty(5, 11).seen) == 4


def test_a_learned_table_has_no_row_past_its_end():
    new = method("learned", 128).novelty(128, 512)
    assert new.seen.tolist() == [127.0]
    assert new.met.tolist() == [511.0]
    assert new.is_new.all()
    assert not method("learned", 128).novelty(128, 128).is_new.any()


@pytest.mark.parametrize(
    ("train_length", "last_bucket", "is_new"), [(128, 31, False), (114, 31, False), (113, 30, True)]
)
def test_t5s_last_bucket_begins_at_distance_113(train_length, last_bucket, is_new):
    # 16 + floor(16 ln(d / 16) / ln 8) reaches 31 from d = 16 * 8 ** (15 / 16) = 112.4 on.
    new = method("t5").novelty(train_length, 512)
    assert new.seen.tolist() == [last_bucket]
    assert new.is_new.tolist() == [is_new]


def test_nothing_is_new_to_nope():
    assert len(method("nope").novelty(5, 11).is_new) == 0


@pytest.mark.parametrize("key", ["alibi", "sinusoidal", "rope", "learned", "t5", "kerple"])
def test_nothing_is_new_at_the_training_length(key):
    assert not method(key).novelty(128, 128).is_new.any()


def test_a_shorter_input_is_refused():
    with pytest.raises(ValueError, match="got 12 and 11"):
        method("alibi").novelty(12, 11)
