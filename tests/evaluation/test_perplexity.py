import dataclasses
import math

import numpy as np
import pytest
import torch

from alibi_viz.evaluation import perplexity as module
from alibi_viz.evaluation.perplexity import Score, evaluate, nll_by_position
from alibi_viz.evaluation.stretch import Stretch


def reference_nll(model, stretch, context_start):
    """One target at a time: `context_start(target)` is the first token that it may see."""
    total = 0.0
    end = stretch.first_target + stretch.count
    for target in range(stretch.first_target, end):
        seen = torch.tensor(stretch.tokens[context_start(target) : target].astype(int))[None]
        log_probabilities = model(seen)[0, -1].double().log_softmax(0)
        total -= log_probabilities[int(stretch.tokens[target])].item()
    return total / stretch.count


@pytest.mark.parametrize("length", [1, 2, 7, 23, 46, 47])
def test_nonoverlapping_windows_score_every_target_once(
    length, make_model, stretch, bytes_per_token
):
    model = make_model()
    score = evaluate(model, stretch, bytes_per_token, eval_length=length)

    def start(target):
        return target - 1 - (target - stretch.first_target) % length

    # float32 logits of size 10.
    assert score.nll == pytest.approx(reference_nll(model, stretch, start), abs=1e-5)
    assert score.tokens_scored == 47


@pytest.mark.parametrize(("length", "stride"), [(2, 1), (7, 3), (23, 5), (23, 22), (31, 1)])
def test_sliding_windows_score_the_last_stride_targets(
    length, stride, make_model, stretch, bytes_per_token
):
    model = make_model()
    score = evaluate(
        model,
        stretch,
        bytes_per_token,
        eval_length=length,
        protocol="sliding_window",
        stride=stride,
    )

    def start(target):
        first = target - (target - stretch.first_target) % stride
        last = min(first + stride, stretch.first_target + stretch.count) - 1
        return last - length

    assert score.nll == pytest.approx(reference_nll(model, stretch, start), abs=1e-5)


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


def test_progress_ends_at_one_and_never_falls(make_model, stretch, bytes_per_token, monkeypatch):
    monkeypatch.setattr(module, "BATCH_TOKENS", 14)
    seen = []
    evaluate(make_model(), stretch, bytes_per_token, eval_length=7, on_progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert len(seen) > 2


def test_loss_by_position_averages_whole_windows(make_model, stretch):
    model = make_model()
    by_position = nll_by_position(model, stretch, 11)
    # 47 targets hold four whole windows of 11.
    whole = dataclasses.replace(stretch, count=44)
    assert by_position.shape == (11,)
    score = evaluate(model, whole, np.ones(19, int), eval_length=11)
    assert by_position.mean() == pytest.approx(score.nll, rel=1e-6)
    first = evaluate(model, dataclasses.replace(stretch, count=1), np.ones(19, int), eval_length=1)
    only = nll_by_position(model, dataclasses.replace(stretch, count=11), 11)
    assert only[0] == pytest.approx(first.nll, abs=1e-5)


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


@pytest.mark.parametrize(
    ("first", "count", "message"),
    [(0, 5, "must be at least 1, got 0"), (90, 8, "has 97 tokens; .* needs 98")],
)
def test_a_stretch_must_be_there(first, count, message, stretch):
    with pytest.raises(ValueError, match=message):
        Stretch(stretch.tokens, first, count)
