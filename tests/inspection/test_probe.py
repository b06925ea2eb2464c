"""What the probe says of each family, and of faults of every kind, on the installed library."""

import json
import math
import pickle

import numpy as np
import pytest
import torch

from alibi_viz.inspection import assert_alibi
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe import STEPS, ProbeVerdict, probe
from benchmarks.probe.attacks import at_queries, every_second_hidden
from benchmarks.probe.held_out import held_out_faults
from benchmarks.probe.injections import biased
from benchmarks.probe.models import BLOOM
from benchmarks.probe.plants import beyond, cap, in_heads, in_layer, off, upside_down, when, window
from tests.inspection.conftest import bloom, falcon, gpt2, mpt
from tests.inspection.references import reference_interleaved

LENGTH = 200


def kinds(verdict):
    return [finding.kind for finding in verdict.disagreements]


def find(verdict, kind):
    return next(finding for finding in verdict.findings if finding.kind == kind)


@pytest.mark.parametrize(
    ("family", "method", "answer"),
    [
        ("bloom", "alibi", "✓ ALiBi is on, as configured"),
        ("mpt", "alibi", "✓ ALiBi is on, as configured"),
        ("gpt2", "learned", "○ not ALiBi: learned positions"),
        ("llama", "rope", "○ not ALiBi: RoPE"),
    ],
)
def test_families_that_do_as_they_say_agree(family, method, answer, loaded):
    told: list[str] = []
    verdict = probe(loaded(family), long_length=LENGTH, progress=told.append)
    assert len(told) == STEPS
    assert verdict.found == (method,)
    assert verdict.agrees, verdict.findings
    assert verdict.answer == answer


@pytest.mark.parametrize(
    ("method", "key"),
    [
        ("alibi", "alibi"),
        ("t5", "nonlinear"),
        ("rope", "rope"),
        ("learned", "learned"),
        ("sinusoidal", "sinusoidal"),
        ("nope", "nope"),
    ],
)
def test_own_methods_are_told_apart_and_agree(method, key, own):
    verdict = probe(own(method), long_length=LENGTH)
    assert verdict.found == (key,)
    assert verdict.agrees, verdict.findings


def test_own_slopes_by_another_rule_are_found_and_named(own):
    adapter = own("alibi", n_head=6)
    slopes = np.array(reference_interleaved(6), dtype=np.float32)
    adapter.model.position.method.slopes = lambda: slopes
    finding = find(probe(adapter, long_length=LENGTH), "rule")
    assert finding.where.layers == (1, 2)
    assert "interleaved, exponent 8" in finding.words
    assert finding.numbers["nats"] > 0


def test_mpt_ignores_its_exponent(save_model):
    verdict = probe(load_model(save_model(*mpt(attn_config={"alibi_bias_max": 16}))))
    assert kinds(verdict) == ["rule"]
    np.testing.assert_allclose(verdict.readings[0].slopes[0], reference_interleaved(7), rtol=1e-4)
    np.testing.assert_allclose(verdict.promised_slopes, reference_interleaved(7, 16), rtol=1e-12)
    assert verdict.answer.startswith(
        "≠ ALiBi is on, but not as configured: slopes are interleaved, exponent 8 in layers 1 and 2"
    )
    assert "nats at 64 tokens" in verdict.answer


def test_mpt_with_alibi_switched_off_has_it_all_the_same(save_model):
    sizes = mpt(attn_config={"alibi": False}, learned_pos_emb=False)
    verdict = probe(load_model(save_model(*sizes)), long_length=LENGTH)
    assert (verdict.promised, verdict.found) == ("nope", ("alibi",))
    assert kinds(verdict) == ["method"]


def test_mpt_settings_without_effect_are_named(save_model):
    sizes = mpt(attn_config={"qk_ln": True, "softmax_scale": 0.5}, logit_scale=0.25)
    verdict = probe(load_model(save_model(*sizes)), long_length=LENGTH)
    assert set(kinds(verdict)) == {"setting"}
    assert {f.numbers["setting"] for f in verdict.disagreements} == {"qk_ln", "logit_scale"}


@pytest.mark.parametrize("family", ["falcon_shared_key", "falcon_grouped_keys"])
def test_falcons_eager_path_doubles_every_slope_and_a_static_cache_fails(family, loaded):
    verdict = probe(loaded(family), long_length=LENGTH)
    finding = find(verdict, "scaled")
    assert finding.numbers["factor"] == pytest.approx(2, rel=1e-2)
    assert "by eager" in finding.where.situations
    assert find(verdict, "fails").where.situations == ("token by token with a static cache",)


def test_bfloat16_is_named_where_it_rounds_in_a_float32_falcon(save_model):
    sizes = falcon(hidden_size=64, num_attention_heads=8, multi_query=False)
    finding = find(probe(load_model(save_model(*sizes))), "coarse")
    assert finding.disagrees
    assert finding.numbers["rounds_to"] == "bfloat16"


def test_falcon_with_rope_loses_its_mask_when_asked_for_weights(loaded):
    verdict = probe(loaded("falcon_rope"), long_length=LENGTH)
    assert verdict.found == ("rope",)
    finding = find(verdict, "future")
    assert "by sdpa returning weights" in finding.where.situations
    assert finding.numbers["share"] > 0.5


def test_alibi_promised_by_a_class_that_has_none_is_off(save_model):
    verdict = probe(load_model(save_model(*gpt2(alibi=True))))
    assert verdict.answer == "✗ ALiBi is off: it is promised, what acts is learned positions"
    assert "ALiBi is off in layers 1 and 2" in find(verdict, "missing").words


def test_trained_slopes_that_differ_by_layer_are_a_note(own):
    adapter = own("alibi", learned_slopes=True)
    with torch.no_grad():
        adapter.model.position.log_slopes.add_(torch.tensor([0.1, -0.2, 0.3]))
    verdict = probe(adapter, long_length=LENGTH)
    assert verdict.agrees, verdict.findings
    assert verdict.rule == ""


@pytest.mark.parametrize("limit", [8, 16, 24])
def test_short_limits_are_read_with_shorter_texts(limit, save_model):
    verdict = probe(load_model(save_model(*mpt(max_seq_len=limit))))
    assert verdict.agrees, verdict.findings
    assert find(verdict, "limit").numbers["limit"] == limit


def test_clipped_queries_and_keys_are_no_rotation(save_model):
    verdict = probe(load_model(save_model(*mpt(attn_config={"clip_qkv": 0.5}))), long_length=LENGTH)
    assert verdict.found == ("alibi",)
    assert verdict.agrees, verdict.findings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A BLOOM of 2 layers and 8 heads."""
    directory = tmp_path_factory.mktemp("planted")
    BLOOM.save(directory)
    return directory


FAULTS = {
    "missing": (beyond(100, off), (1, 2), (), {"from_length": 101}),
    "reversed": (in_layer(2, upside_down), (2,), (), {}),
    "window": (window(16), (1, 2), (), {"keys": 16}),
    "flat": (in_heads((2,), cap(8)), (1, 2), (2,), {"from_distance": 8}),
    "holes": (every_second_hidden(20), (1, 2), (), {"first": 21}),
    "not_finite": (in_layer(2, lambda bias, at: bias * math.nan), (2,), (), {}),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_faults_are_told_by_kind_layers_heads_and_numbers(kind, folder):
    fault, layers, heads, numbers = FAULTS[kind]
    with biased(BLOOM, fault)():
        verdict = probe(load_model(folder), long_length=LENGTH)
    finding = find(verdict, kind)
    assert finding.disagrees
    assert (finding.where.layers, finding.where.heads) == (layers, heads)
    assert numbers.items() <= finding.numbers.items()
    assert verdict.state == "other"


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("chunk", lambda at: 1 < at.n_query < at.n_key),
        ("token", lambda at: at.n_query == 1 < at.n_key),
        ("left padding", lambda at: at.padding == "left"),
        ("right padding", lambda at: at.padding == "right" and at.n_query == at.n_key),
        ("static", lambda at: at.padding == "right" and at.n_query < at.n_key),
        ("chunk of 9 with a static", lambda at: at.padding == "right" and at.n_query == 9),
        ("left padding, in a chunk", lambda at: at.padding == "left" and at.n_query == 9),
    ],
)
def test_faults_of_one_situation_are_told_with_it_and_its_effect(name, condition, folder):
    with biased(BLOOM, when(condition, off))():
        verdict = probe(load_model(folder), long_length=LENGTH)
    finding = find(verdict, "missing")
    assert any(name in situation for situation in finding.where.situations)
    assert finding.numbers["nats"] > 0.001


def test_faults_at_some_queries_are_told_with_their_places(folder):
    with biased(BLOOM, in_layer(1, at_queries(40, 50, upside_down)))():
        verdict = probe(load_model(folder), long_length=LENGTH)
    finding = find(verdict, "reversed")
    assert finding.where.layers == (1,)
    assert finding.where.situations == ("at tokens 41 to 50 of a text",)
    assert finding.numbers["nats"] > 0.001
    assert set(kinds(verdict)) == {"reversed"}


def test_a_fault_with_a_cache_is_heard_beside_one_that_is_always_there(folder):
    def coarse(bias, at):
        is_one = at.n_query == 1 and at.n_key > 250
        return bias * 0 if is_one and at.layer == 2 else bias.bfloat16().float()

    with biased(BLOOM, coarse)():
        verdict = probe(load_model(folder))
    finding = find(verdict, "missing")
    assert (finding.where.layers, finding.numbers["length"]) == ((2,), 300)


def test_a_second_position_is_told_with_where_it_enters(folder):
    sines = next(fault for fault in held_out_faults() if fault.name == "sines besides")
    with sines.plant():
        verdict = probe(load_model(folder), long_length=LENGTH)
    words = find(verdict, "extra").words
    assert "the model has fixed positions. Positions are added to what enters attention" in words


def test_a_verdict_survives_pickle_and_json(save_model):
    verdict = probe(load_model(save_model(*mpt(attn_config={"alibi_bias_max": 16}))))
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    assert ProbeVerdict.from_json(json.loads(json.dumps(verdict.as_json()))) == verdict
    with pytest.raises(ValueError, match="version must be"):
        ProbeVerdict.from_json({"version": 0})


def test_assert_alibi_passes_fails_and_lets_known_kinds_pass(save_model):
    good, wrong = save_model(*bloom()), save_model(*mpt(attn_config={"alibi_bias_max": 16}))
    assert assert_alibi(good, long_length=LENGTH).state == "on"
    with pytest.raises(AssertionError, match="but not as configured"):
        assert_alibi(wrong, long_length=LENGTH)
    assert assert_alibi(wrong, allowed=("rule",), long_length=LENGTH).state == "other"
    with pytest.raises(AssertionError, match="not ALiBi: learned positions"):
        assert_alibi(save_model(*gpt2()), long_length=LENGTH)
