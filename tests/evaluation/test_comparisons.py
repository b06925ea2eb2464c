import numpy as np
import pytest

from alibi_viz.evaluation import comparisons
from alibi_viz.evaluation.comparisons import by_length, compare_records
from alibi_viz.evaluation.records import Record
from tests.evaluation.conftest import build_stretch
from tests.made_up_records import encoded, made_up


@pytest.fixture(autouse=True)
def stretch(monkeypatch):
    """Seven targets of two files, in blocks of two, in the text's place; a sample of four."""

    def named(text, sample=None):
        whole = build_stretch([*range(3, 8), *range(60, 62)], starts=(0, 50))
        return whole if sample is None else whole.beginning(4)

    monkeypatch.setattr("alibi_viz.evaluation.stretch.BLOCK_TOKENS", 2)
    monkeypatch.setattr(comparisons, "named_stretch", named)
    return named


def record(method, losses, *, seed=0, sample=None, **changes):
    targets = comparisons.named_stretch("code", sample).fingerprint
    blocks = {"blocks": encoded(losses), "sample": sample, "targets": targets}
    return Record(**made_up(method, 128, 9.0, seed=seed) | blocks | changes)


def test_blocks_are_paired_seed_by_seed_and_weighed_by_their_targets():
    # Blocks of 2, 2, 1 and 2 targets.
    alibi = [record("alibi", [1, 2, 3, 4]), record("alibi", [1, 2, 3, 5], seed=1)]
    t5 = [record("t5", [2, 2, 3, 4], seed=1), record("t5", [1, 2, 10, 4])]
    result = compare_records(alibi, t5)
    # Seed 0: -7 on one target; seed 1: -1 on two and +1 on two.
    assert result.by_seed == pytest.approx((-1.0, 0.0))
    assert result.difference == pytest.approx(-0.5)


def test_seeds_that_one_side_lacks_are_left_out():
    alibi = [record("alibi", [1, 1, 1, 1], seed=seed) for seed in (0, 1, 2)]
    result = compare_records(alibi, [record("t5", [2, 2, 2, 2], seed=1)])
    assert result.by_seed == (-1.0,)


def test_a_sample_is_compared_on_its_own_blocks():
    whole = record("alibi", [1, 2, 99, 99])
    sample = record("alibi", [3, 3], sample=4, protocol="sliding_window", stride=8)
    assert compare_records([sample], [whole]).difference == pytest.approx(1.5)


def test_what_cannot_be_compared_is_said():
    alibi = record("alibi", [1, 2, 3, 4])
    with pytest.raises(
        ValueError, match=r"must share a seed and one text, got seeds \[0\] and \[1\]"
    ):
        compare_records([alibi], [record("t5", [1, 2, 3, 4], seed=1)])
    with pytest.raises(ValueError, match=r"texts \['code', 'prose'\]"):
        compare_records([alibi], [record("t5", [1, 2, 3, 4], text="prose")])
    with pytest.raises(
        ValueError, match=r"t5-L128-s0 was scored on targets 1234, not on \w+ of code"
    ):
        compare_records([alibi], [record("t5", [1, 2, 3, 4], targets="1234")])


def test_a_mean_over_seeds_is_over_the_same_seeds_at_every_length():
    rows = [(64, 0), (64, 1), (128, 1), (128, 0), (128, 2)]
    made = [Record(**made_up("alibi", length, 9.0, seed=seed)) for length, seed in rows]
    seeds = {length: [r.seed for r in of] for length, of in by_length(made).items()}
    assert seeds == {64: [0, 1], 128: [0, 1]}
    assert list(by_length(reversed(made))) == [64, 128]
    apart = [made[0], made[4]]
    assert [[r.seed for r in of] for of in by_length(apart).values()] == [[0], [2]]
    assert by_length([]) == {}


def test_block_losses_come_back_as_they_were_written():
    assert record("alibi", [1.5, 2.25, 3, 4]).block_losses.dtype == np.float32
    assert record("alibi", [1.5, 2.25, 3, 4]).block_losses.tolist() == [1.5, 2.25, 3, 4]
