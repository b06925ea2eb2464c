import pytest

from alibi_viz.claims.experiment import Experiment
from alibi_viz.claims.recall import RECALL, found_at, rope_beside_alibi
from alibi_viz.evaluation.store import add_records, load_records
from alibi_viz.retrieval.records import RecallRecord
from alibi_viz.retrieval.results import recall_curves
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
    text = say(Experiment([], recall=recall_curves()))
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
    text = rope_beside_alibi(Experiment([], recall=recall_curves()))
    assert "is behind at 256 and level at 512 tokens" in text
    assert "at 512 RoPE finds 38 %, ALiBi 38 %, RoPE stretched by YaRN 88 %" in text


@pytest.mark.parametrize("claim", RECALL, ids=lambda claim: claim.key)
def test_nothing_is_said_where_nothing_was_measured(claim):
    assert claim.measured(Experiment([])) == ""


def test_verdicts_follow_from_what_is_committed():
    experiment = Experiment([], recall=recall_curves())
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
