"""The committed records are what the committed checkpoints give."""

import pytest

from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation.perplexity import evaluate
from alibi_viz.evaluation.records import load_records
from alibi_viz.evaluation.stretch import read_stretch
from alibi_viz.model.checkpoint import load_checkpoint, read_about
from alibi_viz.paths import CHECKPOINTS, PROJECT, RESULTS
from alibi_viz.positions import METHODS
from alibi_viz.training.trials import best_rates

CHECKPOINT_LIMIT = 3_000_000


def find(method, eval_length, protocol="nonoverlapping"):
    (record,) = (
        record
        for record in load_records()
        if (record.method, record.seed, record.train_length) == (method, 0, 128)
        and (record.eval_length, record.protocol) == (eval_length, protocol)
    )
    return record


def test_a_sliding_record_can_be_recomputed_from_its_checkpoint():
    record = find("alibi", 64, "sliding_window")
    model, _ = load_checkpoint(PROJECT / record.checkpoint)
    stretch, corpus = read_stretch(None, record.tokens_scored, [64], "sliding_window")
    score = evaluate(
        model,
        stretch,
        token_bytes(load_tokenizer()),
        eval_length=64,
        protocol="sliding_window",
        stride=record.stride,
    )
    assert corpus == record.corpus
    # Another processor sums in another order.
    assert score.nll == pytest.approx(record.nll, abs=1e-4)
    assert score.bits_per_byte == pytest.approx(record.bits_per_byte, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_measured_at_every_length_that_it_has(method):
    lengths = {
        record.eval_length
        for record in load_records()
        if (record.method, record.seed, record.train_length) == (method, 0, 128)
        and record.protocol == "nonoverlapping"
    }
    wanted = {64, 128} if method == "learned" else {64, 128, 192, 256, 512, 1024, 2048, 4096}
    assert wanted <= lengths


def test_the_same_tokens_are_scored_at_every_length():
    for protocol in ("nonoverlapping", "sliding_window"):
        records = [record for record in load_records() if record.protocol == protocol]
        assert len({(record.tokens_scored, record.corpus) for record in records}) == 1


def test_alibi_is_trained_well_enough_to_compare():
    assert find("alibi", 128).nll < 2.7


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in CHECKPOINTS.glob("*/config.json")), ids=str
)
def test_checkpoints_are_small_and_say_how_they_came_about(folder):
    about = read_about(folder)
    assert sum(path.stat().st_size for path in folder.iterdir()) < CHECKPOINT_LIMIT
    assert about["tokens"] >= 6_000_000
    assert about["command"].startswith("python -m alibi_viz train --position")
    assert "/tmp" not in about["command"]
    assert (
        folder.name
        == f"{about['model']['position']}-L{about['model']['train_length']}-s{about['seed']}"
    )
    assert (folder / "curve.json").is_file()


def test_methods_had_the_same_budget_and_order_of_batches():
    recipes = set()
    for method in METHODS:
        training = read_about(CHECKPOINTS / f"{method}-L128-s0")["training"]
        fair = {
            key: value
            for key, value in training.items()
            if key not in ("learning_rate", "position_learning_rate_factor")
        }
        recipes.add(tuple(sorted(fair.items())))
    assert len(recipes) == 1


def test_learning_rates_are_the_sweeps_best():
    for method in METHODS:
        training = read_about(CHECKPOINTS / f"{method}-L128-s0")["training"]
        chosen = (training["learning_rate"], training["position_learning_rate_factor"])
        assert chosen == best_rates(RESULTS / "sweep.json", method)
