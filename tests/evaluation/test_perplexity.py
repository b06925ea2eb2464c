import dataclasses
import math

import numpy as np
import pytest
import torch

from alibi_viz.evaluation import perplexity as module
from alibi_viz.evaluation.perplexity import Score, evaluate, score_of, target_losses


def reference_losses(model, stretch, context_start):
    """One target at a time: `context_start(target)` is the first token that it may see."""
    losses = []
    for target in stretch.targets.tolist():
        seen = torch.tensor(stretch.tokens[context_start(target) : target].astype(int))[None]
        log_probabilities = model(seen)[0, -1].double().log_softmax(0)
        losses.append(-log_probabilities[int(stretch.tokens[target])].item())
    return losses


@pytest.mark.parametrize("which", ["stretch", "gappy"])
@pytest.mark.parametrize("length", [1, 2, 3, 7, 23, 46, 47])
def test_nonoverlapping_windows_score_every_target_once(length, which, make_model, request):
    model, stretch = make_model(), request.getfixturevalue(which)

    def start(target):
        return target - 1 - (target - 31) % length

    losses = target_losses(model, stretch, eval_length=length)
    # float32 logits of size 10.
    assert losses == pytest.approx(reference_losses(model, stretch, start), abs=1e-4)


@pytest.mark.parametrize("which", ["stretch", "gappy"])
@pytest.mark.parametrize(("length", "stride"), [(2, 1), (7, 3), (23, 5), (23, 22), (31, 1)])
def test_sliding_windows_score_targets_at_their_ends(length, stride, which, make_model, request):
    model, stretch = make_model(), request.getfixturevalue(which)

    def start(target):
        first = target - (target - 31) % stride
        return min(first + stride, 78) - 1 - length

    losses = target_losses(
        model, stretch, eval_length=length, protocol="sliding_window", stride=stride
    )
    assert losses == pytest.approx(reference_losses(model, stretch, start), abs=1e-4)


def test_windows_without_a_target_are_not_computed(make_model, gappy, monkeypatch):
    computed, nll = [], module.token_nll

    def spy(model, inputs, targets):
        computed.append(tuple(inputs.shape))
        return nll(model, inputs, targets)

    monkeypatch.setattr(module, "token_nll", spy)
    target_losses(make_model(), gappy, eval_length=3)
    # Sixteen windows of three reach over 47 tokens; two of them hold only tokens 37 to 42.
    assert sum(rows for rows, _ in computed) == 14


def test_a_target_has_the_same_loss_whatever_else_is_scored(make_model, stretch, gappy):
    model = make_model()
    whole, part = (target_losses(model, s, eval_length=7) for s in (stretch, gappy))
    shared = np.isin(stretch.targets, gappy.targets)
    assert part == pytest.approx(whole[shared], abs=1e-5)


def test_a_score_is_the_mean_loss(stretch, bytes_per_token):
    losses = np.arange(47, dtype=np.float32)
    score = score_of(losses, stretch, bytes_per_token)
    assert (score.nll, score.tokens_scored) == (23.0, 47)


def test_windows_at_a_time_do_not_change_the_result(
    make_model, stretch, bytes_per_token, monkeypatch
):
    scores = []
    for tokens in (1, 20, 10_000):
        monkeypatch.setattr(module, "BATCH_TOKENS", tokens)
        scores.append(evaluate(make_model(), stretch, bytes_per_token, eval_length=7).nll)
    assert scores[0] == pytest.approx(scores[1], rel=1e-6)
    assert scores[0] == pytest.approx(scores[2], rel=1e-6)


def test_a_model_that_knows_nothing_is_as_perplexed_as_its_vocabulary(
    make_model, stretch, bytes_per_token
):
    model = make_model()
    model.embedding.weight.data.zero_()
    for length in (3, 47):
        score = evaluate(model, stretch, bytes_per_token, eval_length=length)
        assert score.perplexity == pytest.approx(19, rel=1e-6)


def test_bits_per_byte_count_the_bytes_of_the_targets(make_model, stretch, bytes_per_token):
    score = evaluate(make_model(), stretch, bytes_per_token, eval_length=7)
    scored_bytes = sum(int(token) + 1 for token in stretch.tokens[31:78])
    assert score.bytes_scored == scored_bytes
    assert score.bits_per_byte == pytest.approx(score.nll * 47 / math.log(2) / scored_bytes)


def test_one_bit_a_byte():
    assert Score(nll=math.log(4), tokens_scored=3, bytes_scored=6).bits_per_byte == 1.0
    assert Score(nll=math.log(4), tokens_scored=3, bytes_scored=6).perplexity == pytest.approx(4)


def test_what_follows_the_targets_is_never_seen(make_model, stretch, bytes_per_token):
    model, length = make_model(), 7
    before = evaluate(model, stretch, bytes_per_token, eval_length=length)
    changed = stretch.tokens.copy()
    changed[78:] = 0
    after = evaluate(
        model, dataclasses.replace(stretch, tokens=changed), bytes_per_token, eval_length=length
    )
    assert before == after


def test_progress_ends_at_one_and_never_falls(make_model, stretch, monkeypatch):
    monkeypatch.setattr(module, "BATCH_TOKENS", 14)
    seen = []
    target_losses(make_model(), stretch, eval_length=7, on_progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert len(seen) > 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"eval_length": 0}, "eval_length must be at least 1 token, got 0"),
        ({"eval_length": 48}, "47 tokens to score do not fill one window of 48"),
        ({"eval_length": 7, "stride": 2}, "nonoverlapping windows have no stride, got 2"),
        ({"eval_length": 7, "protocol": "chunked"}, "protocol must be one of nonoverlapping"),
        ({"eval_length": 7, "protocol": "sliding_window"}, "between 1 and 6 tokens, got None"),
        (
            {"eval_length": 7, "protocol": "sliding_window", "stride": 7},
            "between 1 and 6 tokens, got 7",
        ),
        (
            {"eval_length": 35, "protocol": "sliding_window", "stride": 4},
            "needs 35 tokens of context before the first target, the text has 31",
        ),
    ],
)
def test_what_cannot_be_measured_is_explained(
    settings, message, make_model, stretch, bytes_per_token
):
    with pytest.raises(ValueError, match=message):
        evaluate(make_model(), stretch, bytes_per_token, **settings)


def test_learned_positions_cannot_be_asked_beyond_their_table(make_model, stretch, bytes_per_token):
    model = make_model("learned")
    assert evaluate(model, stretch, bytes_per_token, eval_length=23).nll > 0
    with pytest.raises(ValueError, match="end at the training length of 23 tokens, got 24"):
        evaluate(model, stretch, bytes_per_token, eval_length=24)
