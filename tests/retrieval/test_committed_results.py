"""The committed records of finding again are what the committed models give."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from alibi_viz.evaluation.perplexity import target_losses
from alibi_viz.evaluation.store import load_records
from alibi_viz.evaluation.stretch import SAMPLE_TOKENS, named_stretch
from alibi_viz.inspection.adapters.contract import Facts
from alibi_viz.inspection.adapters.families.ours import OwnAdapter
from alibi_viz.model.checkpoint import load_checkpoint, read_about
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.stretched import stretched
from alibi_viz.paths import CHECKPOINTS, FIRST_TEXT, PROJECT, RECALL_MODELS
from alibi_viz.positions.stretch import AS_TRAINED, parse_stretching
from alibi_viz.retrieval.copying_cli import DISTANCES, STRETCHED_DISTANCES, measure_copying
from alibi_viz.retrieval.heads import (
    content_gaps,
    has_content_table,
    needle_attention_by_depth,
    predicted_attention,
)
from alibi_viz.retrieval.needles import needle_windows
from alibi_viz.retrieval.plan import (
    RECALL_LENGTHS,
    RECALL_VARIANTS,
    language_stretchings_of,
    stretchings_of,
)
from alibi_viz.retrieval.recall import right_answers
from alibi_viz.retrieval.recall_cli import SEEDS, recall_folder
from alibi_viz.retrieval.recall_training import recall_config
from alibi_viz.retrieval.records import (
    CopyRecord,
    OfModel,
    RecallHeads,
    RecallRecord,
    StretchedRecord,
)
from alibi_viz.retrieval.results import compare_at, find_curve, perplexity_curves

CHECKPOINT_LIMIT = 300_000


def test_every_recall_model_was_asked_at_every_length_in_every_way():
    asked = {record.key for record in load_records(RecallRecord)}
    wanted = {
        (variant.key, way, seed, length)
        for variant in RECALL_VARIANTS.values()
        for way in (
            AS_TRAINED,
            *(stretchings_of(variant.key) if variant.key == variant.method else ()),
        )
        for seed in SEEDS
        for length in RECALL_LENGTHS
    }
    assert asked == wanted


def test_every_recall_model_learned_the_task_within_its_training_length():
    for record in load_records(RecallRecord):
        if (record.eval_length, record.stretching) == (128, AS_TRAINED):
            assert record.accuracy == 1, record.key


@pytest.mark.parametrize("variant", RECALL_VARIANTS)
def test_committed_recall_models_are_small_and_of_their_variant(variant):
    folder, chosen = recall_folder(variant, 0), RECALL_VARIANTS[variant]
    assert folder.parent == RECALL_MODELS
    assert (folder / "model.safetensors").stat().st_size < CHECKPOINT_LIMIT
    model = ModelConfig(**read_about(folder)["model"])
    assert model == recall_config(chosen.method, **chosen.settings)


@pytest.mark.parametrize(
    ("variant", "way"), [("alibi", AS_TRAINED), ("rope", "yarn-coded"), ("kerple", AS_TRAINED)]
)
def test_answers_can_be_recomputed_from_the_checkpoint(variant, way):
    model, _ = load_checkpoint(recall_folder(variant, 0))
    if way != AS_TRAINED:
        model = stretched(model, parse_stretching(way))
    record = next(r for r in load_records(RecallRecord) if r.key == (variant, way, 0, 512))
    right = right_answers(model, needle_windows(512, count=len(record.right))).sum(axis=1)
    # Another processor rounds otherwise: an answer at a tie may fall to the other side.
    assert np.abs(right - np.array(record.right)).sum() <= 2


def test_gaps_and_weights_of_heads_can_be_recomputed_from_the_checkpoint():
    record = next(r for r in load_records(RecallHeads) if r.key == ("alibi", 0, 1024))
    model, _ = load_checkpoint(recall_folder("alibi", 0))
    np.testing.assert_allclose(content_gaps(model), record.gaps, atol=1e-3)
    windows = needle_windows(1024, count=64)
    np.testing.assert_allclose(needle_attention_by_depth(model, windows), record.weights, atol=1e-4)


@pytest.mark.parametrize(
    "variant",
    [key for key, v in RECALL_VARIANTS.items() if v.method in ("alibi", "t5", "nope", "kerple")],
)
def test_attention_predicted_from_the_weights_is_what_inspection_captures(variant):
    model, _ = load_checkpoint(recall_folder(variant, 0))
    assert has_content_table(model)
    c = model.config
    facts = Facts(variant, "recall", c.n_layer, c.n_head, c.d_head, c.vocab_size, None, "", {})
    adapter = OwnAdapter(model, facts)
    for tokens in needle_windows(512, count=2).tokens:
        record = adapter.record(torch.from_numpy(tokens), None, adapter.recording_path)
        captured = record.layers[0].weight_block(511, 512)[:, 0].numpy()
        np.testing.assert_allclose(predicted_attention(model, tokens), captured, atol=1e-5)


@pytest.mark.parametrize(
    ("method", "way", "length"), [("rope", "yarn-coded", 512), ("alibi", "slopes-ntk", 256)]
)
def test_losses_of_a_stretched_model_can_be_recomputed_from_the_checkpoint(method, way, length):
    (record,) = (
        r
        for r in load_records(StretchedRecord)
        if (r.method, r.stretching, r.tuned_length, r.seed) == (method, way, 0, 0)
        and (r.eval_length, r.protocol) == (length, "nonoverlapping")
    )
    sample = named_stretch(FIRST_TEXT, SAMPLE_TOKENS)
    assert record.targets == sample.fingerprint
    # The last block of a part may be cut into other windows than within the whole.
    first = sample.beginning(int(sample.block_tokens[:4].sum()))
    model = stretched(load_checkpoint(CHECKPOINTS / f"{method}-L128-s0")[0], parse_stretching(way))
    losses = target_losses(model, first, eval_length=length)
    np.testing.assert_allclose(first.block_means(losses)[:3], record.block_losses[:3], atol=2e-4)


def test_stretched_models_score_the_targets_that_models_as_trained_do():
    targets = {record.targets for record in load_records(StretchedRecord)}
    assert targets == {named_stretch(FIRST_TEXT, SAMPLE_TOKENS).fingerprint}


def test_what_the_lesson_on_stretching_says_is_what_was_measured():
    curves = perplexity_curves()
    names = (AS_TRAINED, "pi", "ntk", "yarn-coded")
    rope = {name: find_curve(curves, "rope-L128", name) for name in names}
    at = {name: curve.mean[curve.places.index(512)] for name, curve in rope.items()}
    assert at["yarn-coded"] < at["ntk"] < min(at["pi"], at[AS_TRAINED])
    alibi = find_curve(curves, "alibi-L128")
    evenly, unevenly = (
        compare_at(find_curve(curves, "alibi-L128", name), alibi, 512)
        for name in ("slopes-pi", "slopes-ntk")
    )
    assert evenly.word == "behind"
    assert evenly.difference > 0.5
    assert abs(unevenly.difference) < 0.02


def test_every_language_model_of_the_shared_length_was_asked_to_copy():
    found = {
        (r.method, r.stretching, r.seed, r.distance)
        for r in load_records(CopyRecord)
        if (r.train_length, r.tuned_length, r.kind) == (128, 0, "real")
    }
    wanted = {
        (method, way, seed, distance)
        for method in ("alibi", "rope", "t5", "nope", "sinusoidal")
        for way in (AS_TRAINED, *language_stretchings_of(method, 0, all_seeds=True))
        for seed in range(3)
        for distance in (DISTANCES["real"] if way == AS_TRAINED else STRETCHED_DISTANCES)
    }
    assert wanted <= found


def test_gains_of_a_copy_can_be_recomputed_from_the_checkpoint():
    record = next(r for r in load_records(CopyRecord) if r.key[-2:] == ("real", 64))
    model, _ = load_checkpoint(PROJECT / record.checkpoint)
    of_model = OfModel(**{field.name: getattr(record, field.name) for field in fields(OfModel)})
    (again,) = measure_copying(model, of_model, "real", [64], trials=len(record.same))
    np.testing.assert_allclose(again.same, record.same, atol=2e-3)
    np.testing.assert_allclose(again.other, record.other, atol=2e-3)
