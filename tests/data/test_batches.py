import numpy as np
import pytest

from alibi_viz.data.batches import training_batch

TOKENS = np.arange(1000, 1101, dtype=np.uint16)


def batch(seed=0, step=0, length=7, tokens=TOKENS):
    return training_batch(tokens, seed=seed, step=step, batch_size=5, length=length)


def test_targets_are_the_inputs_one_token_later():
    inputs, targets = batch()
    assert inputs.shape == targets.shape == (5, 7)
    assert (targets == inputs + 1).all()
    assert (np.diff(inputs, axis=1) == 1).all()


def test_a_batch_depends_on_seed_and_step_only():
    assert np.array_equal(batch(3, 11)[0], batch(3, 11)[0])
    assert not np.array_equal(batch(3, 11)[0], batch(3, 12)[0])
    assert not np.array_equal(batch(3, 11)[0], batch(4, 11)[0])


def test_windows_reach_both_ends_of_the_corpus():
    starts = np.concatenate([batch(step=step)[0][:, 0] for step in range(200)])
    assert starts.min() == 1000
    # The last start leaves room for 7 inputs and one more target.
    assert starts.max() == 1000 + 101 - 8


def test_a_corpus_of_exactly_one_window_is_enough():
    inputs, targets = batch(length=100)
    assert (inputs[:, 0] == 1000).all()
    assert (targets[:, -1] == 1100).all()


def test_a_corpus_shorter_than_a_window_is_refused():
    with pytest.raises(ValueError, match="a window of 101 tokens needs 102, the corpus has 101"):
        batch(length=101)
