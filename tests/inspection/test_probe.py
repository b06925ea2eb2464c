"""What the probe says of each family, on the installed version of the library."""

import numpy as np
import pytest
import torch

from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe import STEPS, probe
from tests.inspection.conftest import falcon, gpt2, mpt
from tests.inspection.references import reference_interleaved


def subjects(verdict):
    return [finding.subject for finding in verdict.disagreements]


def find(verdict, subject):
    return next(finding for finding in verdict.findings if finding.subject == subject)


@pytest.mark.parametrize(
    ("family", "method"),
    [("bloom", "alibi"), ("bloom_8", "alibi"), ("gpt2", "learned"), ("llama", "rope")],
)
def test_families_that_do_as_they_say_agree(family, method, loaded):
    told: list[str] = []
    verdict = probe(loaded(family), long_length=300, progress=told.append)
    assert len(told) == STEPS
    assert verdict.found.keys == (method,)
    assert verdict.agrees, verdict.findings
    assert verdict.headline.endswith("nothing disagrees.")


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
    verdict = probe(own(method), long_length=300)
    assert verdict.found.keys == (key,)
    assert verdict.agrees, verdict.findings


def test_own_slopes_that_differ_from_the_configuration_are_found(own):
    adapter = own("alibi", n_head=6)
    slopes = np.array(reference_interleaved(6), dtype=np.float32)
    adapter.model.position.method.slopes = lambda: slopes
    verdict = probe(adapter, long_length=300)
    assert verdict.fit.rule == "interleaved"
    # The paper's first slope of 6 heads is 2^(-8/6), the authors' 2^-2; head 5: 0.0098 and 0.5.
    finding = find(verdict, "slopes")
    assert (finding.numbers["head"], finding.numbers["wrong_heads"]) == (5, 12)
    assert finding.numbers["promised"] == pytest.approx(2 ** (-40 / 6))
    assert finding.numbers["slope"] == pytest.approx(0.5, rel=1e-4)


def test_mpt_that_does_as_it_says_agrees_and_names_its_limit(loaded):
    verdict = probe(loaded("mpt"))
    assert verdict.agrees, verdict.findings
    assert verdict.fit.words == "interleaved, exponent 8"
    assert find(verdict, "length").numbers["limit"] == 131


def test_mpt_ignores_its_exponent(save_model):
    adapter = load_model(save_model(*mpt(attn_config={"alibi_bias_max": 16})))
    verdict = probe(adapter, long_length=100)
    np.testing.assert_allclose(verdict.slopes[0], reference_interleaved(7), rtol=1e-4)
    np.testing.assert_allclose(verdict.promise.slopes, reference_interleaved(7, 16), rtol=1e-12)
    finding = find(verdict, "slopes")
    assert finding.disagrees
    assert finding.numbers["wrong_heads"] == 14
    assert "What acts is interleaved, exponent 8" in finding.words


def test_mpt_with_alibi_switched_off_has_it_all_the_same(save_model):
    sizes = mpt(attn_config={"alibi": False}, learned_pos_emb=False)
    verdict = probe(load_model(save_model(*sizes)), long_length=100)
    assert (verdict.promise.method, verdict.found.keys) == ("nope", ("alibi",))
    assert subjects(verdict) == ["slopes"]


def test_mpt_settings_without_effect_are_named(save_model):
    sizes = mpt(attn_config={"qk_ln": True, "softmax_scale": 0.5}, logit_scale=0.25)
    verdict = probe(load_model(save_model(*sizes)), long_length=100)
    named = {finding.numbers["setting"] for finding in verdict.disagreements}
    assert named == {"qk_ln", "logit_scale"}


@pytest.mark.parametrize("family", ["falcon", "falcon_shared_key", "falcon_grouped_keys"])
def test_falcons_eager_path_doubles_every_slope(family, loaded):
    verdict = probe(loaded(family), long_length=200)
    assert verdict.fit.factor == pytest.approx(8**-0.5)
    finding = find(verdict, "paths")
    assert finding.numbers["factor"] == pytest.approx(2, rel=1e-3)
    assert any("sdpa returning weights" in way for way in finding.numbers["other"])
    outputs = find(verdict, "outputs")
    assert outputs.numbers["paths"] == [
        "eager",
        "sdpa returning weights",
        "eager returning weights",
    ]


def test_falcons_biases_are_bfloat16_in_a_float32_model(loaded):
    finding = find(probe(loaded("falcon"), long_length=1000), "rounding")
    assert finding.disagrees
    # From 512 on bfloat16 knows every fourth whole number: 24 keys share 6 or 7 biases.
    assert finding.numbers["distinct"] == 7
    assert "it is the library that rounds" in finding.words


def test_falcon_with_rope_loses_its_mask_when_asked_for_weights(loaded):
    verdict = probe(loaded("falcon_rope"), long_length=100)
    assert verdict.found.keys == ("rope",)
    finding = find(verdict, "outputs")
    assert finding.numbers["path"] == "sdpa returning weights"
    assert finding.numbers["future_share"] > 0.5


def test_blooms_biases_in_bfloat16_lose_whole_tokens(loaded):
    adapter = loaded("bloom_8", torch.bfloat16)
    assert probe(adapter, long_length=200).agrees
    finding = find(probe(adapter, long_length=600), "rounding")
    assert finding.disagrees
    assert finding.numbers["dtype"] == "bfloat16"
    # From 512 on every fourth number: half a step of 4 positions times slope 1/2.
    assert finding.numbers["deviation"] == pytest.approx(1, abs=0.35)


def test_alibi_promised_by_a_class_that_has_none_is_off(save_model):
    adapter = load_model(save_model(*gpt2(alibi=True)))
    verdict = probe(adapter)
    assert (verdict.promise.method, verdict.found.keys) == ("alibi", ("learned",))
    assert "ALiBi is off" in find(verdict, "slopes").words


def test_weights_left_unused_are_a_disagreement(save_model):
    from safetensors.torch import load_file, save_file

    directory = save_model(*mpt(attn_config={"alibi": False}))
    tensors = load_file(directory / "model.safetensors")
    tensors["transformer.wpe.weight"] = torch.zeros(131, 56)
    save_file(tensors, directory / "model.safetensors", metadata={"format": "pt"})
    verdict = probe(load_model(directory), long_length=100)
    assert "transformer.wpe.weight" in find(verdict, "weights").words
    assert subjects(verdict) == ["slopes", "weights"]


def test_trained_slopes_that_differ_by_layer_are_a_note(own):
    adapter = own("alibi", learned_slopes=True)
    with torch.no_grad():
        adapter.model.position.log_slopes.add_(torch.tensor([0.1, -0.2, 0.3]))
    verdict = probe(adapter, long_length=200)
    assert verdict.agrees, verdict.findings
    assert not verdict.fit.is_good


def test_falcon_with_many_heads_is_read_in_half_precision(save_model):
    sizes = falcon(hidden_size=96, num_attention_heads=12, multi_query=False)
    verdict = probe(load_model(save_model(*sizes, torch.float16)), long_length=200)
    assert verdict.fit.words == "interleaved, exponent 8, times 0.3536"
    assert "slopes" not in subjects(verdict)
