"""The committed records are what the committed checkpoints give."""

from itertools import product

import numpy as np
import pytest

from alibi_viz.data.corpus import name_of_text
from alibi_viz.data.prepared import load_validation
from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation.perplexity import evaluate
from alibi_viz.evaluation.records import Record, describe_corpus
from alibi_viz.evaluation.score import PROTOCOLS
from alibi_viz.evaluation.store import load_records
from alibi_viz.evaluation.stretch import FIRST_TARGET, cut_in_blocks
from alibi_viz.model.checkpoint import load_checkpoint, read_about
from alibi_viz.model.config import ModelConfig
from alibi_viz.paths import CHECKPOINTS, PROJECT, run_name
from alibi_viz.positions import METHODS
from alibi_viz.training.experiment import NONOVERLAPPING_LENGTHS
from alibi_viz.training.trials import best_trial_of

CHECKPOINT_LIMIT = 3_000_000
TRAINED = [
    (method, seed)
    for method, seed in product(METHODS, range(3))
    if (CHECKPOINTS / f"{method}-L128-s{seed}").is_dir()
]


def find(method, eval_length, protocol="nonoverlapping"):
    found = (
        record
        for record in load_records(Record)
        if (record.method, record.seed, record.train_length) == (method, 0, 128)
        and (record.eval_length, record.protocol) == (eval_length, protocol)
    )
    return max(found, key=lambda record: record.tokens_scored)


def test_a_sliding_record_can_be_recomputed_from_its_checkpoint():
    record = find("alibi", 64, "sliding_window")
    model, _ = load_checkpoint(PROJECT / record.checkpoint)
    known = load_validation()
    targets = np.arange(FIRST_TARGET, FIRST_TARGET + record.tokens_scored)
    corpus = describe_corpus(known.corpus)
    stretch = cut_in_blocks(known.tokens, targets, known.starts, known.names, corpus)
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


@pytest.mark.parametrize(("method", "seed"), TRAINED)
def test_every_method_and_seed_is_measured_at_every_length_that_it_has(method, seed):
    lengths = {
        record.eval_length
        for record in load_records(Record)
        if (record.method, record.seed, record.train_length) == (method, seed, 128)
        and record.protocol == "nonoverlapping"
    }
    wanted = {length for length in NONOVERLAPPING_LENGTHS if method != "learned" or length <= 128}
    assert wanted <= lengths


@pytest.mark.parametrize("method", ["alibi", "sinusoidal"])
@pytest.mark.parametrize("train_length", [64, 256])
def test_the_pair_is_measured_at_twice_its_training_lengths(method, train_length):
    lengths = {
        (record.protocol, record.eval_length)
        for record in load_records(Record)
        if (record.method, record.train_length) == (method, train_length)
    }
    assert set(product(PROTOCOLS, (train_length, 2 * train_length))) <= lengths


def test_the_same_tokens_are_scored_at_every_length():
    counts = {"nonoverlapping": {65_536, 8192}, "sliding_window": {8192}}
    for protocol, wanted in counts.items():
        records = [record for record in load_records(Record) if record.protocol == protocol]
        assert len({record.corpus for record in records}) == 1
        assert {record.tokens_scored for record in records} == wanted


def test_alibi_is_trained_well_enough_to_compare():
    assert find("alibi", 128).nll < 2.7


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in CHECKPOINTS.glob("*/config.json")), ids=str
)
def test_checkpoints_are_small_and_say_how_they_came_about(folder):
    about = read_about(folder)
    assert sum(path.stat().st_size for path in folder.iterdir()) < CHECKPOINT_LIMIT
    assert about["tokens"] >= 6_000_000
    assert about["command"].startswith("python -m alibi_viz train ")
    assert f"--position {about['model']['position']} " in about["command"]
    assert "/tmp" not in about["command"]
    model, text = ModelConfig(**about["model"]), name_of_text(about["data"])
    assert folder.name == run_name(
        model.position, model.train_length, about["seed"], text=text, variant=model.variant
    )
    assert (folder / "curve.json").is_file()


def test_methods_had_the_same_budget_and_order_of_batches():
    recipes = set()
    for method, seed in TRAINED:
        training = read_about(CHECKPOINTS / f"{method}-L128-s{seed}")["training"]
        fair = {
            key: value
            for key, value in training.items()
            if key not in ("seed", "learning_rate", "position_learning_rate_factor")
        }
        recipes.add(tuple(sorted(fair.items())))
    assert len(recipes) == 1


@pytest.mark.parametrize(
    "folder", sorted(CHECKPOINTS.glob("*-L128-s*")), ids=lambda path: path.name
)
def test_learning_rates_are_the_sweeps_best(folder):
    about = read_about(folder)
    if about["model"].get("learned_slopes"):
        pytest.skip("slopes are learned at a rate of their own")
    best = best_trial_of(about["model"]["position"])
    training = about["training"]
    assert training["learning_rate"] == best.learning_rate
    assert training["position_learning_rate_factor"] == best.position_learning_rate_factor
    # The amplitude of the models that were trained before it could be chosen.
    assert about["model"].get("sinusoid_amplitude", 1.0) == best.sinusoid_amplitude
