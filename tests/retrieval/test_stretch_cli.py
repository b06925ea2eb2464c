from types import SimpleNamespace

import numpy as np
import pytest

from alibi_viz.__main__ import main
from alibi_viz.data.prepared import describe_tokenizer, load_validation, tokenizer_file
from alibi_viz.data.tokenizer import load_tokenizer
from alibi_viz.evaluation import points
from alibi_viz.evaluation import stretch as stretch_module
from alibi_viz.evaluation.perplexity import target_losses
from alibi_viz.evaluation.store import load_records
from alibi_viz.evaluation.stretch import cut_in_blocks
from alibi_viz.model.checkpoint import load_checkpoint, save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.positions.stretch import parse_stretching
from alibi_viz.retrieval import stretch_cli
from alibi_viz.retrieval.records import CopyRecord, StretchedRecord


@pytest.fixture
def short(monkeypatch, tmp_path):
    """300 targets in the place of the code, and few lengths."""
    known = load_validation("code")
    whole = cut_in_blocks(
        known.tokens, np.arange(300, 600), np.array([0, 420]), ("a", "b"), "code sha256:1"
    )
    monkeypatch.setattr(stretch_module, "BLOCK_TOKENS", 50)
    monkeypatch.setattr(
        points,
        "named_stretch",
        lambda text, sample=None: whole.sampled(sample) if sample else whole,
    )
    monkeypatch.setattr(stretch_cli, "LENGTHS", (128, 160))
    monkeypatch.setattr(stretch_cli, "SLIDING_LENGTHS", (160,))
    monkeypatch.setattr(stretch_cli, "TUNED_LENGTHS", (128,))
    monkeypatch.setattr(stretch_cli, "TUNED_DISTANCES", (24,))
    for kind in (CopyRecord, StretchedRecord):
        monkeypatch.setattr(kind, "file", tmp_path / kind.file.name)
    points._named.cache_clear()
    yield whole
    points._named.cache_clear()


@pytest.fixture
def checkpoint(tmp_path):
    def build(position, seed=1):
        model = Transformer(ModelConfig(position))
        initialise(model, 1)
        own = describe_tokenizer(load_tokenizer(tokenizer_file("code")))
        about = {"seed": seed, "tokenizer": own, "training": {"position_learning_rate_factor": 1.0}}
        folder = tmp_path / f"{position}-L128-s{seed}"
        save_checkpoint(folder, model, about)
        return folder

    return build


def run(command, folder):
    output = str(StretchedRecord.file)
    words = [command, str(folder), "--tokens", "90", "--output", output, "--device", "cpu"]
    assert main(words) == 0
    return load_records(StretchedRecord)


def test_every_stretching_is_measured_where_it_changes_something_and_only_once(short, checkpoint):
    folder = checkpoint("alibi")
    records = run("stretch", folder)
    found = {(r.stretching, r.protocol, r.eval_length) for r in records}
    plain = {
        (name, "nonoverlapping", 160) for name in stretch_cli.language_stretchings_of("alibi", 1)
    }
    sliding = {(name, "sliding_window", 160) for name in ("slopes-pi", "slopes-ntk")}
    # What is the same in windows that are not longer is measured there once, as trained.
    short_ones = {
        (name, "nonoverlapping", length)
        for name, length in (("flattest-freed", 128), ("as-trained", 128), ("as-trained", 160))
    }
    assert found == plain | sliding | short_ones | {("as-trained", "sliding_window", 160)}
    before = StretchedRecord.file.read_text()
    assert run("stretch", folder) == records
    assert StretchedRecord.file.read_text() == before


def test_a_record_is_what_the_stretched_model_loses_block_by_block(short, checkpoint):
    folder = checkpoint("rope")
    record = next(r for r in run("stretch", folder) if r.key[-2:] == ("yarn-coded", 0))
    twin = stretched(load_checkpoint(folder)[0], parse_stretching("yarn-coded"))
    sample = short.sampled(90)
    losses = target_losses(twin, sample, eval_length=160)
    np.testing.assert_allclose(record.block_losses, sample.block_means(losses), rtol=1e-5)
    assert (record.method, record.seed, record.sample) == ("rope", 1, 90)


def test_fixed_scales_are_measured_of_one_seed(short, checkpoint, monkeypatch):
    monkeypatch.setattr(stretch_cli, "FIXED_SCALES", {"rope": (("pi",), (2, 8))})
    monkeypatch.setattr(stretch_cli, "FIXED_LENGTHS", (128,))
    fixed = {
        (r.seed, r.stretching)
        for seed in (0, 1)
        for r in run("stretch", checkpoint("rope", seed=seed))
        if "@" in r.stretching
    }
    assert fixed == {(0, "pi@2"), (0, "pi@8")}


def test_models_that_differ_from_the_bundled_ones_are_left_alone(short, tmp_path):
    model = Transformer(ModelConfig("alibi", n_layer=1))
    own = describe_tokenizer(load_tokenizer(tokenizer_file("code")))
    save_checkpoint(tmp_path / "small", model, {"seed": 0, "tokenizer": own})
    with pytest.raises(ValueError, match="no file at"):
        run("stretch", tmp_path / "small")


def test_tuning_measures_loss_and_copying_after_training_and_a_control(
    short, checkpoint, monkeypatch
):
    trained = []

    def tuned(model, stretching, recipe, tokens):
        trained.append((stretching.name, recipe.model.train_length, recipe.steps))
        return stretched(model, stretching)

    monkeypatch.setattr(stretch_cli, "tuned", tuned)
    monkeypatch.setattr(stretch_cli, "prepare_corpus", lambda text: SimpleNamespace(train=[]))
    records = run("tune", checkpoint("alibi", seed=0))
    ways = {("as-trained", 512), ("slopes-ntk@4", 512), ("as-trained", 128)}
    assert set(trained) == {(name, length, 200) for name, length in ways}
    assert {(r.stretching, r.tuned_length) for r in records} == ways
    copies = load_records(CopyRecord)
    assert {(r.stretching, r.tuned_length) for r in copies} == ways
    run("tune", checkpoint("alibi", seed=0))
    assert len(trained) == 3
    run("tune", checkpoint("alibi", seed=1))
    assert set(trained[3:]) == {(name, 512, 200) for name in ("as-trained", "slopes-ntk@4")}
