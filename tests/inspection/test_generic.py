"""Models that no adapter knows: what is shown of them, and what is said of the rest."""

import numpy as np
import pytest
import torch

from alibi_viz.inspection.adapters import given
from alibi_viz.inspection.adapters.contract import AttentionPath
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe import probe
from alibi_viz.inspection.report import as_text
from alibi_viz.inspection.text.capture import capture, overview
from tests.inspection.conftest import TEXT, llama

LLAMA = llama()[1]
BERT = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 6, "is_decoder": True}
# Configuration, its sizes, and how position enters.
OUTSIDE = {
    "gpt_neo": (
        "GPTNeoConfig",
        {"hidden_size": 48, "num_layers": 2, "num_heads": 6, "window_size": 7,
         "attention_types": [[["global", "local"], 1]], "max_position_embeddings": 131},
        "learned",
    ),
    "xglm": (
        "XGLMConfig",
        {"d_model": 48, "num_layers": 2, "attention_heads": 6, "ffn_dim": 32},
        "sinusoidal",
    ),
    "gpt": ("OpenAIGPTConfig", {"n_embd": 48, "n_layer": 2, "n_head": 6}, "learned"),
    "japanese": ("GPTNeoXJapaneseConfig", {**BERT, "intermediate_multiple_size": 1}, "rope"),
}  # fmt: skip
BENT = {
    "gemma2": (
        "Gemma2Config", {**LLAMA, "head_dim": 8, "attn_logit_softcapping": 0.5},
        "bent by tanh (attn_logit_softcapping: 0.5)",
    ),
    "gpt_oss": (
        "GptOssConfig", {**LLAMA, "head_dim": 8, "num_local_experts": 2, "num_experts_per_tok": 1},
        "of a query's attention goes to no token, but to a learned sink",
    ),
}  # fmt: skip
SIZES = {name: (config, sizes) for name, (config, sizes, _) in (OUTSIDE | BENT).items()}


@pytest.fixture(scope="module")
def opened(save_model):
    """Returns a function that gives an adapter, saved and loaded once."""
    adapters = {}

    def load(name):
        if name not in adapters:
            adapters[name] = load_model(save_model(*SIZES[name]))
        return adapters[name]

    return load


def own_weights(adapter, seen):
    ids = torch.tensor([token.id for token in seen.tokens])
    return torch.stack(adapter.run(ids, AttentionPath("eager", True)).weights).numpy()


@pytest.mark.parametrize("name", SIZES)
def test_weights_alone_are_the_ones_that_the_library_returns(name, opened):
    seen = capture(opened(name), TEXT)
    theirs = own_weights(opened(name), seen)
    for layer in range(2):
        for head in range(6):
            shown = seen.attention(layer, head)
            np.testing.assert_allclose(shown.weights, theirs[layer, head], atol=1e-6)
            assert shown.parts is None
            assert (shown.visible == (theirs[layer, head] > 0)).all()
    with pytest.raises(ValueError, match="only the weights are known"):
        _ = seen.attention(0, 0).content


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_class_that_computes_by_itself_is_told_and_probed(name, opened):
    seen, verdict = capture(opened(name), TEXT), probe(opened(name), long_length=100)
    reason = "computes attention by itself, not through the library's interface"
    assert any(reason in sentence for sentence in seen.missing)
    assert any(reason in line for line in as_text(verdict).splitlines() if line.startswith("Note"))
    assert verdict.found == (OUTSIDE[name][2],)
    assert verdict.agrees, verdict.disagreements


@pytest.mark.parametrize("name", BENT)
def test_what_a_model_does_to_its_logits_is_measured_and_named(name, opened):
    adapter = opened(name)
    (reason,) = (s for s in capture(adapter, TEXT).missing if s.startswith("Only the weights"))
    assert BENT[name][2] in reason
    verdict = probe(adapter)
    assert np.abs(verdict.readings[0].slopes).max() < 1e-6
    assert verdict.found == ("rope",)
    assert verdict.agrees, verdict.findings


def test_a_window_counts_what_goes_to_tokens_where_a_sink_takes_the_rest(opened):
    adapter = opened("gpt_oss")
    seen = capture(adapter, TEXT)
    weights = own_weights(adapter, seen)[0, 4]
    assert weights.sum(1).min() < 0.1
    expected = [1 + within(weights[query, query::-1]) for query in range(len(weights))]
    measured = overview(seen).measures.window[0, 4]
    assert measured == pytest.approx(np.mean(expected))


def within(near):
    """Returns how many keys before the last of the 95 % there are."""
    return next(d for d in range(len(near)) if near[: d + 1].sum() >= 0.95 * near.sum())


def test_layers_that_are_not_at_hand_are_computed_again(opened, monkeypatch):
    adapter = opened("gpt_neo")
    whole = capture(adapter, TEXT)
    monkeypatch.setattr(given, "KEPT_BYTES", 1)
    again = capture(adapter, TEXT)
    runs, run = [], again.layers[0].given.run
    again.layers[0].given.run = lambda layers: runs.append(layers) or run(layers)
    for layer in (0, 1, 1, 0):
        np.testing.assert_array_equal(
            again.attention(layer, 3).weights, whole.attention(layer, 3).weights
        )
        assert len(again.layers[0].given.kept) == 1
    assert runs == [range(1, 2), range(1)]


def test_a_local_layer_is_masked_beyond_its_window(opened):
    seen = capture(opened("gpt_neo"), TEXT)
    assert seen.attention(0, 1).visible.sum(1).max() == seen.length
    assert seen.attention(1, 1).visible.sum(1).max() == 7


def test_of_a_mixture_the_layers_with_attention_are_shown(save_model):
    sizes = {**LLAMA, "head_dim": 8, "num_experts": 2, "num_experts_per_tok": 1}
    sizes |= {"layer_types": ["linear_attention", "full_attention"], "moe_intermediate_size": 16}
    sizes |= {"linear_num_key_heads": 2, "linear_num_value_heads": 4}
    adapter = load_model(save_model("Qwen3NextConfig", sizes))
    seen = capture(adapter, TEXT)
    assert (seen.n_layer, seen.n_head) == (1, 6)
    assert "1 of 2 layers have attention (number 2); only they are shown." in seen.missing
    assert probe(adapter).found == ("rope",)


def test_tables_before_a_norm_are_found_by_emptying_them(save_model):
    adapter = load_model(save_model("BertConfig", {**BERT, "intermediate_size": 32}))
    before = {name: part.clone() for name, part in adapter.model.named_parameters()}
    verdict = probe(adapter)
    assert verdict.found == ("learned",)
    assert "position_embeddings" in verdict.found_words
    assert all(torch.equal(part, before[name]) for name, part in adapter.model.named_parameters())


def test_a_model_that_does_not_run_is_told(save_model):
    # The library sizes the cache of a lone decoder by the layers of the encoder that is not there.
    sizes = {"d_model": 48, "encoder_layers": 1, "decoder_layers": 2, "decoder_ffn_dim": 32}
    sizes |= {"decoder_attention_heads": 6, "encoder_attention_heads": 6, "is_decoder": True}
    directory = save_model("BartConfig", {**sizes, "is_encoder_decoder": False})
    with pytest.raises(UnreadableModel, match=r"\(bart\) is loaded but does not run: list index"):
        load_model(directory)
