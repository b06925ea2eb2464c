import math

import numpy as np
import pytest

from alibi_viz.maths.frequencies import turns_per_token
from alibi_viz.positions import build_position
from alibi_viz.positions.base import PositionConfig, PositionMethod
from alibi_viz.positions.novelty import novelty
from alibi_viz.positions.sinusoidal import sinusoidal_embedding


def method(key, train_length=128, **changes):
    sizes = {"n_head": 2, "d_model": 6, "d_head": 4} | changes
    return build_position(key, PositionConfig(train_length=train_length, **sizes))


def test_all_of_alibis_biases_beyond_are_below_the_seen_ones():
    new = novelty(method("alibi"), 5, 11)
    # Two heads: slopes 1/16 and 1/256; largest distances 4 and 10.
    assert new.seen.tolist() == [4 / 16, 4 / 256]
    assert new.met.tolist() == [10 / 16, 10 / 256]
    assert new.is_new.all()


def test_all_of_kerples_biases_beyond_are_below_the_seen_ones():
    # r1 = r2 = 1 before anything is drawn: ln(1 + distance), at 4, 10 and 1 tokens back.
    new = novelty(method("kerple"), 5, 11)
    np.testing.assert_allclose(new.seen, [math.log(5)] * 2, rtol=1e-6)
    np.testing.assert_allclose(new.met, [math.log(11)] * 2, rtol=1e-6)
    np.testing.assert_allclose(new.least, [math.log(2)] * 2, rtol=1e-6)
    assert new.is_new.all()


def test_a_method_that_nobody_described_is_refused():
    with pytest.raises(ValueError, match="what a longer input brings PositionMethod"):
        novelty(PositionMethod(PositionConfig(2, 6, 4, 128)), 5, 11)


def test_a_pair_of_channels_is_new_until_it_has_been_once_around():
    # Frequencies 1 and 1/100 radians a token: circles of 6.28 and 628 tokens.
    new = novelty(method("rope"), 101, 401)
    np.testing.assert_allclose(new.seen, [1.0, 1.0 / (2 * math.pi)])
    np.testing.assert_allclose(new.met, [1.0, 4.0 / (2 * math.pi)])
    assert new.is_new.tolist() == [False, True]
    assert not novelty(method("rope"), 700, 1400).is_new.any()


def test_sinusoids_turn_as_fast_as_rotations():
    turns = turns_per_token(6)
    sines = sinusoidal_embedding(2, 6)[1, ::2].numpy()
    np.testing.assert_allclose(np.sin(2 * math.pi * turns), sines, atol=1e-6)
    assert len(novelty(method("sinusoidal"), 5, 11).seen) == 3


def test_a_learned_table_has_no_row_past_its_end():
    new = novelty(method("learned", 128), 128, 512)
    assert new.seen.tolist() == [127.0]
    assert np.isnan(new.met).all()
    assert new.is_new.all()
    assert not novelty(method("learned", 128), 128, 128).is_new.any()


@pytest.mark.parametrize(
    ("train_length", "last_bucket", "is_new"), [(128, 31, False), (114, 31, False), (113, 30, True)]
)
def test_t5s_last_bucket_begins_at_distance_113(train_length, last_bucket, is_new):
    # 16 + floor(16 ln(d / 16) / ln 8) reaches 31 from d = 16 * 8 ** (15 / 16) = 112.4 on.
    new = novelty(method("t5"), train_length, 512)
    assert new.seen.tolist() == [last_bucket]
    assert new.is_new.tolist() == [is_new]


def test_nothing_is_new_to_nope():
    assert len(novelty(method("nope"), 5, 11).is_new) == 0


@pytest.mark.parametrize("key", ["alibi", "sinusoidal", "rope", "learned", "t5", "kerple"])
def test_nothing_is_new_at_the_training_length(key):
    assert not novelty(method(key), 128, 128).is_new.any()


def test_a_shorter_input_is_refused():
    with pytest.raises(ValueError, match="got 12 and 11"):
        novelty(method("alibi"), 12, 11)
