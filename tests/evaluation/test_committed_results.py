"""The committed records are what the committed checkpoints give."""

from itertools import product

import pytest

from alibi_viz.data.corpus import name_of_text
from alibi_viz.data.prepared import load_validation
from alibi_viz.evaluation.perplexity import target_losses
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import load_records
from alibi_viz.evaluation.stretch import FIRST_TARGET, SAMPLE_TOKENS, named_stretch
from alibi_viz.model.checkpoint import load_checkpoint, read_about
from alibi_viz.model.config import ModelConfig
from alibi_viz.paths import CHECKPOINTS, PROJECT, run_name
from alibi_viz.positions import METHODS
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
        and (record.text, record.variant) == ("code", "")
        and (record.eval_length, record.protocol) == (eval_length, protocol)
    )
    return max(found, key=lambda record: record.tokens_scored)


def test_a_sliding_record_can_be_recomputed_from_its_checkpoint():
    record = find("alibi", 128, "sliding_window")
    stretch = named_stretch("code", SAMPLE_TOKENS)
    assert record.targets == stretch.fingerprint
    model, _ = load_checkpoint(PROJECT / record.checkpoint)
    part = stretch.beginning(4096)
    losses = target_losses(
        model, part, eval_length=128, protocol="sliding_window", stride=record.stride
    )
    means = part.block_means(losses)[:-1]
    # The last block of a part may be cut; another processor sums in another order.
    assert means == pytest.approx(record.block_losses[: len(means)], abs=1e-4)


@pytest.mark.parametrize("method", sorted({method for method, _ in TRAINED}))
def test_every_method_is_measured_at_the_lengths_that_matter(method):
    lengths = {
        record.eval_length
        for record in load_records(Record)
        if (record.method, record.seed, record.train_length) == (method, 0, 128)
        and (record.text, record.variant, record.protocol) == ("code", "", "nonoverlapping")
    }
    assert {128, 512, 2048} <= lengths or (method == "learned" and lengths == {64, 128})


def test_the_same_tokens_are_scored_at_every_length_and_none_that_training_has_seen():
    known = load_records(Record)
    for text in {record.text for record in known}:
        seen = load_validation(text).seen
        stretches = {sample: named_stretch(text, sample) for sample in (None, SAMPLE_TOKENS)}
        for stretch in stretches.values():
            assert not seen[stretch.targets].any()
            assert stretch.targets[0] >= FIRST_TARGET
        for record in (record for record in known if record.text == text):
            stretch = stretches[record.sample]
            assert record.targets == stretch.fingerprint, record.checkpoint
            assert record.tokens_scored == len(stretch.targets)
            weights = stretch.block_tokens / len(stretch.targets)
            assert record.block_losses @ weights == pytest.approx(record.nll, abs=2e-6)


def test_alibi_is_trained_well_enough_to_compare():
    assert find("alibi", 128).nll < 2.75


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
