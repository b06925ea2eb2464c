import math

import numpy as np
import pytest

from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import add_records
from alibi_viz.evaluation.stretch import cut_in_blocks
from alibi_viz.maths.paired import bootstrap_interval
from alibi_viz.retrieval.records import CopyRecord, RecallRecord, StretchedRecord
from alibi_viz.retrieval.task_map import leaders, task_map
from tests.made_up_records import encoded, made_up

SAMPLE = cut_in_blocks(
    np.zeros(5000, np.uint16),
    np.arange(9, 4009),
    np.array([0, 700, 2600]),
    ("a", "b", "c"),
    "code sha256:1",
)


@pytest.fixture(autouse=True)
def stored(tmp_path, monkeypatch):
    for kind in (Record, StretchedRecord, RecallRecord, CopyRecord):
        monkeypatch.setattr(kind, "file", tmp_path / kind.file.name)
    monkeypatch.setattr("alibi_viz.evaluation.stretch.named_stretch", lambda text, sample: SAMPLE)


def lost(method, seed, nats, **changes):
    """A record whose blocks lose `nats` and something that every model shares."""
    hard = np.random.default_rng(3).normal(size=len(SAMPLE.blocks))
    fields = {"targets": SAMPLE.fingerprint, "blocks": encoded(nats + hard + 0.001 * seed)}
    return made_up(method, 512, math.exp(nats), seed=seed, **fields, **changes)


def recalled(variant, seed, right):
    return RecallRecord(variant, seed, "as-trained", 512, 16, right, (1,), (1,), "typed")


def test_a_cell_says_how_a_contender_stands_to_alibi_as_trained():
    add_records(Record(**lost("alibi", seed, 2.7)) for seed in (0, 1, 2))
    add_records(Record(**lost("t5", seed, 2.6)) for seed in (0, 1))
    add_records(
        StretchedRecord(**lost("rope", 0, 3.9), stretching="pi", tuned_length=0) for _ in range(1)
    )
    cells = {(cell.contender, cell.stretching): cell for cell in task_map()}
    assert {key: cell.word for key, cell in cells.items()} == {
        ("alibi", "as-trained"): "level",
        ("t5", "as-trained"): "ahead",
        ("rope", "pi"): "behind",
    }
    t5 = cells["t5", "as-trained"]
    assert t5.against.difference == pytest.approx(-0.1, abs=1e-3)
    assert (t5.task, t5.length, t5.seeds, t5.file) == ("perplexity", 512, 2, "stretched.json")
    expected = np.average(SAMPLE.block_means(np.zeros(4000)) + 0, weights=SAMPLE.block_tokens)
    assert expected == 0
    hard = np.random.default_rng(3).normal(size=len(SAMPLE.blocks))
    assert t5.value == pytest.approx(
        math.exp(2.6 + np.average(hard, weights=SAMPLE.block_tokens) + 0.0005), rel=1e-5
    )
    assert t5.low < t5.value < t5.high


def test_blocks_are_drawn_anew_file_by_file():
    gains = np.repeat([-0.3, -0.1, 0.2], [2, 4, 3])
    assert SAMPLE.block_tokens.tolist() == [512, 179, 512, 512, 512, 364, 512, 512, 385]
    for seed in (0, 1):
        hard = np.random.default_rng(seed).normal(size=9)
        for method, nats in (("alibi", hard), ("t5", hard + gains)):
            fields = {"targets": SAMPLE.fingerprint, "blocks": encoded(nats)}
            add_records([Record(**made_up(method, 512, 9.0, seed=seed, **fields))])
    found = next(cell.against for cell in task_map() if cell.contender == "t5")
    # Gains that are alike within a file tell only as much as three files do.
    files = np.array([691, 1900, 1409])
    low, high = bootstrap_interval(np.array([-0.3, -0.1, 0.2]), files.astype(float))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)


def test_models_after_a_training_and_of_other_lengths_are_no_contenders():
    add_records(Record(**lost("alibi", 0, 2.7)) for _ in range(1))
    add_records(
        StretchedRecord(**lost("rope", 0, 2.0), stretching="pi", tuned_length=n) for n in (512,)
    )
    add_records(Record(**lost("sinusoidal", 0, 2.0, train_length=256)) for _ in range(1))
    assert [cell.contender for cell in task_map()] == ["alibi"]


def test_the_best_leads_with_all_that_are_not_behind_it():
    windows = range(40)
    add_records(
        recalled(name, seed, tuple(best - (w + seed) % 3 for w in windows))
        for name, best in (("alibi", 10), ("nope", 16), ("t5", 16), ("rope", 6))
        for seed in (0, 1)
    )
    assert set(leaders("recall", 512)) == {("nope", "as-trained"), ("t5", "as-trained")}
    words = {cell.contender: cell.word for cell in task_map()}
    assert words == {"alibi": "level", "nope": "ahead", "t5": "ahead", "rope": "behind"}


def test_nobody_leads_by_being_alone():
    right = (9, 11)
    add_records(
        RecallRecord(name, 0, "as-trained", length, 16, right, (1,), (1,), "typed")
        for name, lengths in (
            ("alibi", (128, 512, 1024)), ("t5", (128, 512)), ("learned", (128,)),
            ("alibi-e16", (128,)),
        )
        for length in lengths
    )  # fmt: skip
    # T5 bias could be asked at 1,024; learned positions end at 128, and a variant is no method.
    assert {cell.length for cell in task_map()} == {128, 512}


def test_a_task_that_nobody_was_given_has_no_leaders():
    with pytest.raises(ValueError, match="nothing was measured of copying at 512 tokens"):
        leaders("copying", 512)
