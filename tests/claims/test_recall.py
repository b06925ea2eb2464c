import math

import pytest

from alibi_viz.claims.experiment import Experiment
from alibi_viz.claims.recall import (
    RECALL,
    found_at,
    needles_and_copies,
    recency_taken_away,
    rope_beside_alibi,
)
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import add_records, load_records
from alibi_viz.retrieval.records import CopyRecord, RecallRecord, StretchedRecord
from alibi_viz.retrieval.task_map import contenders
from tests.made_up_records import recalled


@pytest.fixture
def stored(tmp_path, monkeypatch):
    monkeypatch.setattr(RecallRecord, "file", tmp_path / "recall.json")
    return add_records


def test_shares_are_means_over_seeds_at_that_length(stored):
    stored(
        recalled(name, seed, length, right, stretching)
        for name, stretching, right in (("alibi", "as-trained", 4), ("alibi", "slopes-pi", 14))
        for seed in (0, 1)
        for length in (128, 1024)
    )
    say = found_at(
        1024, ("alibi", "as-trained", "ALiBi"), ("alibi", "slopes-pi", "with flatter slopes")
    )
    text = say(Experiment([], recall=contenders("recall")))
    assert "windows of 1,024 tokens, 8 times those of training" in text
    # 4 and 14 of 16 questions.
    assert "ALiBi 25 % and with flatter slopes 88 % (means of 2 seeds; a guess: 12.5 %)" in text


def test_rope_beside_alibi_is_told_length_by_length(stored):
    rights = {
        ("alibi", "as-trained"): (16, 12, 6),
        ("rope", "as-trained"): (16, 6, 6),
        ("rope", "yarn-coded"): (16, 15, 14),
    }
    stored(
        recalled(model, seed, length, right, stretching)
        for (model, stretching), of_lengths in rights.items()
        for length, right in zip((128, 256, 512), of_lengths, strict=True)
        for seed in (0, 1)
    )
    text = rope_beside_alibi(Experiment([], recall=contenders("recall")))
    assert "is behind at 256 and level at 512 tokens" in text
    assert "at 512 RoPE finds 38 %, ALiBi 38 %, RoPE stretched by YaRN 88 %" in text


@pytest.mark.parametrize("claim", RECALL, ids=lambda claim: claim.key)
def test_nothing_is_said_where_nothing_was_measured(claim):
    assert claim.measured(Experiment([])) == ""


def committed():
    return Experiment(
        [],
        recall=contenders("recall"),
        copying=contenders("copying"),
        losses=contenders("perplexity"),
    )


def gain_at_512(model):
    """By hand from the records: mean over seeds of the mean over trials, in nats per token."""
    gains = [
        record.mean_gain
        for record in load_records(CopyRecord)
        if (record.model, record.stretching, record.tuned_length, record.kind, record.distance)
        == (f"{model}-L128", "as-trained", 0, "real", 512)
    ]
    assert len(gains) == 3
    return sum(gains) / 3


def perplexity_of(kind, model, length, stretching="as-trained"):
    """By hand from the records of the shared sample: (geometric mean over seeds, seeds)."""
    nll = [
        record.nll
        for record in load_records(kind)
        if record.checkpoint.rsplit("/", 1)[-1].startswith(f"{model}-L128-s")
        and (record.protocol, record.eval_length) == ("nonoverlapping", length)
        and record.tokens_scored == 36_055
        and getattr(record, "stretching", "as-trained") == stretching
        and not getattr(record, "tuned_length", 0)
    ]
    return math.exp(sum(nll) / len(nll)), len(nll)


def test_nope_and_t5_are_told_apart_by_what_a_copy_is_worth():
    said = needles_and_copies(committed())
    nope, t5, alibi = (gain_at_512(model) for model in ("nope", "t5", "alibi"))
    assert f"NoPE {nope:.2f}, T5 bias {t5:.2f} and ALiBi {alibi:.2f}" in said
    values = [perplexity_of(Record, model, 512)[0] for model in ("nope", "t5", "alibi")]
    told = [f"{value:.1f}" for value in values]
    assert f"NoPE {told[0]}, T5 bias {told[1]} and ALiBi {told[2]}" in said
    # nope-and-t5-find: both find needles, T5 copies; NoPE's loss is broken where it gains.
    assert t5 > 5 * max(nope, alibi)
    assert values[0] > 2 * values[2]


def test_less_recency_still_extrapolates_and_none_does_not():
    said = recency_taken_away(committed())
    falls = {}
    for kind, model, stretching in (
        (Record, "alibi", "as-trained"),
        (StretchedRecord, "alibi", "flattest-freed"),
        (Record, "alibi-e16", "as-trained"),
        (Record, "t5", "as-trained"),
        (Record, "nope", "as-trained"),
    ):
        (first, seeds), (last, _) = (
            perplexity_of(kind, model, length, stretching) for length in (128, 2048)
        )
        falls[model, stretching] = last < first
        assert f"{first:.1f} to {last:.1f} ({seeds} seed" in said
    # recency-extrapolates: all fall that have some, and only NoPE rises.
    assert [key for key, falls_there in falls.items() if not falls_there] == [
        ("nope", "as-trained")
    ]


def test_verdicts_follow_from_what_is_committed():
    experiment = committed()
    said = {claim.key: claim.measured(experiment) for claim in RECALL}
    assert all(said.values())

    def mean(variant, stretching, length):
        shares = [
            record.accuracy
            for record in load_records(RecallRecord)
            if (record.variant, record.stretching, record.eval_length)
            == (variant, stretching, length)
        ]
        return sum(shares) / len(shares)

    # recency-costs: steeper slopes find less; without any most is found.
    order = ["alibi-e4", "alibi", "alibi-e16", "nope"]
    shares = [mean(name, "as-trained", 2048) for name in order]
    assert shares == sorted(shares)
    # rope-retrieves: plain RoPE is ahead of plain ALiBi nowhere, stretched it is.
    assert "ahead" not in said["rope-retrieves"]
    assert mean("rope", "yarn-coded", 8192) > 0.99
    # needs-no-stretching: stretched slopes find far more.
    assert mean("alibi", "slopes-pi", 8192) > 4 * mean("alibi", "as-trained", 8192)
