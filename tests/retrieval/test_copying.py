import numpy as np
import pytest
import torch

from alibi_viz.data.prepared import load_validation
from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.paths import CHECKPOINTS
from alibi_viz.retrieval.copying import (
    CUE,
    LEAD,
    SNIPPET,
    SNIPPET_KINDS,
    CopyTrials,
    copy_losses,
    copy_trials,
)

TOKENS = load_validation().tokens


def trials(distance, kind="real", count=7):
    return copy_trials(TOKENS, distance, kind=kind, count=count, vocab_size=1024)


def small(method="nope"):
    model = Transformer(ModelConfig(method, n_layer=1, n_head=2, d_model=8))
    initialise(model, 0)
    return model.eval()


@pytest.mark.parametrize("kind", SNIPPET_KINDS)
@pytest.mark.parametrize("distance", [24, 31, 200])
def test_the_same_snippet_stands_twice_at_that_distance(kind, distance):
    made = trials(distance, kind)
    assert made.same.shape == made.other.shape == (7, LEAD + distance + SNIPPET)
    second = slice(LEAD + distance, None)
    assert np.array_equal(made.same[:, second], made.same[:, LEAD : LEAD + SNIPPET])


def test_the_windows_of_a_pair_differ_in_the_first_place_only():
    made = trials(77)
    different = (made.same != made.other).any(axis=0).nonzero()[0]
    assert different.min() >= LEAD
    assert different.max() < LEAD + SNIPPET
    assert (made.same != made.other).any(axis=1).all()


def test_shorter_filler_is_the_end_of_longer_filler():
    near, far = trials(50), trials(200)
    assert np.array_equal(near.same[:, LEAD + SNIPPET :], far.same[:, -50:])


def test_lead_and_filler_are_one_piece_of_the_text_with_the_snippet_put_in():
    windows = np.lib.stride_tricks.sliding_window_view(TOKENS, LEAD + 76)
    for row in trials(SNIPPET + 76, count=2).same:
        piece = np.concatenate([row[:LEAD], row[LEAD + SNIPPET : -SNIPPET]])
        assert (windows == piece).all(axis=1).any()


def test_no_snippet_stands_in_the_filler():
    made = trials(2048, count=3)
    for row in made.same:
        snippet = row[-SNIPPET:]
        filler = np.lib.stride_tricks.sliding_window_view(row[LEAD + SNIPPET : -SNIPPET], SNIPPET)
        assert not (filler == snippet).all(axis=1).any()


def test_only_the_tokens_behind_the_cue_are_scored():
    model, made = small(), trials(31, count=2)
    losses = copy_losses(model, made)
    logits = model(torch.from_numpy(made.same[:, :-1])).log_softmax(-1)
    for row, window in enumerate(made.same):
        scored = range(LEAD + 31 + CUE, LEAD + 31 + SNIPPET)
        expected = -np.mean([logits[row, t - 1, window[t]].item() for t in scored])
        assert losses.same[row] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("method", ["alibi", "rope"])
def test_an_untrained_model_gains_nothing(method):
    gain = copy_losses(small(method), trials(64, count=13)).gain
    assert abs(gain.mean()) < 3 * gain.std() / np.sqrt(12) + 1e-4


def test_a_trained_model_gains_from_a_copy_nearby():
    model, _ = load_checkpoint(CHECKPOINTS / "alibi-L128-s0")
    gain = copy_losses(model, trials(24)).gain
    assert gain.min() > 0.3


def test_a_gain_is_the_loss_that_the_first_copy_saves():
    made = trials(40, count=3)
    swapped = copy_losses(small(), CopyTrials(made.other, made.same))
    np.testing.assert_allclose(swapped.gain, -copy_losses(small(), made).gain)


def test_copies_that_overlap_and_texts_that_are_too_short_are_refused():
    with pytest.raises(ValueError, match="distance must be from 24 to 180000, got 23"):
        trials(23)
    with pytest.raises(ValueError, match="copying needs 180000 tokens and more, got 1000"):
        copy_trials(TOKENS[:1000], 24, kind="real", count=1, vocab_size=1024)
