import numpy as np
import pytest
import torch

from alibi_viz.inspection.adapters.contract import AttentionPath, Reading
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe.read_back import read_back_slopes
from tests.inspection.conftest import llama
from tests.inspection.references import reference_interleaved

WHOLE, STEPS, PADDED = "whole text", "last token from the cache", "behind padding"


@pytest.mark.parametrize("situation", [WHOLE, STEPS, PADDED])
@pytest.mark.parametrize(
    ("family", "n_head", "factor"),
    [
        ("bloom", 5, 1),
        ("bloom_8", 8, 1),
        ("mpt", 7, 1),
        ("falcon", 6, 8**-0.5),
        ("falcon_shared_key", 6, 8**-0.5),
        ("falcon_grouped_keys", 6, 8**-0.5),
    ],
)
def test_slopes_of_every_family_are_read_in_every_situation(
    family, n_head, factor, situation, loaded
):
    read = read_back_slopes(loaded(family), length=40, situation=situation)
    expected = factor * np.array(reference_interleaved(n_head))
    assert read.slopes.shape == (2, n_head)
    # Falcon rounds slopes to bfloat16, 2^-9 of them.
    np.testing.assert_allclose(read.slopes, np.tile(expected, (2, 1)), rtol=2e-3)
    assert read.is_linear.all()


@pytest.mark.parametrize("family", ["gpt2", "llama", "falcon_rope"])
def test_models_without_a_bias_read_as_flat(family, loaded):
    for situation in (WHOLE, STEPS, PADDED):
        read = read_back_slopes(loaded(family), length=40, situation=situation)
        assert read.is_flat.all()


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float16, 4e-3), (torch.bfloat16, 2e-2)])
@pytest.mark.parametrize("family", ["bloom_8", "mpt"])
def test_half_precision_is_read_to_its_own_digits(family, dtype, tolerance, loaded):
    read = read_back_slopes(loaded(family, dtype), length=64)
    n_head = read.slopes.shape[1]
    np.testing.assert_allclose(read.slopes[0], reference_interleaved(n_head), rtol=tolerance)
    assert read.precision >= torch.finfo(dtype).eps


def test_float16_reads_only_weights_that_keep_their_digits(loaded):
    read = read_back_slopes(loaded("bloom_8", torch.float16), length=64)
    # exp(-d / 2) times (1 - exp(-1/2)) falls below 2^-14 from distance 18 on.
    assert read.points[0, 0] == 18
    assert read.points[0, 7] == 64


def test_own_alibi_is_read_with_any_rule_and_exponent(own):
    adapter = own("alibi", n_head=6, slope_rule="interleaved", max_exponent=5.0)
    read = read_back_slopes(adapter)
    expected = np.tile(reference_interleaved(6, 5.0), (2, 1))
    np.testing.assert_allclose(read.slopes, expected, rtol=1e-5)


def test_a_trained_table_of_biases_is_no_straight_line(own):
    assert not read_back_slopes(own("t5")).is_linear.any()


@pytest.mark.parametrize("method", ["nope", "rope", "sinusoidal", "learned"])
def test_own_models_without_a_bias_read_as_flat(method, own):
    assert read_back_slopes(own(method)).is_flat.all()


def test_reading_leaves_the_model_as_it_was(loaded):
    adapter = loaded("falcon_grouped_keys")
    ids, path = torch.arange(20), AttentionPath("sdpa", False)
    before = adapter.run(ids, path).logits
    read_back_slopes(adapter, AttentionPath("eager", True), length=30, n_layer=1)
    torch.testing.assert_close(adapter.run(ids, path).logits, before, atol=0, rtol=0)
    assert adapter.model.config._attn_implementation == "sdpa"


def test_the_first_layers_alone_give_their_slopes(loaded):
    assert read_back_slopes(loaded("bloom"), length=30, n_layer=1).slopes.shape == (1, 5)


def test_two_tokens_are_too_few(loaded):
    with pytest.raises(ValueError, match="length must be at least 3, got 2"):
        read_back_slopes(loaded("bloom"), length=2)


def test_a_sliding_window_is_read_from_the_cache_too(save_model):
    # Gemma's cache forgets what lies outside the window of its first layer.
    sizes = {**llama()[1], "head_dim": 8, "sliding_window": 7}
    adapter = load_model(save_model("Gemma2Config", sizes))
    keys, ids = torch.tensor([29, 23, 22]), torch.arange(30)
    weights = adapter.read_weights(Reading(ids, AttentionPath("eager", False), keys, in_steps=True))
    # Flat over the window's 7 keys, the 24th to the 30th, and over all 30 in the second layer.
    expected = torch.tensor([[1 / 7, 1 / 7, 0], [1 / 30, 1 / 30, 1 / 30]])
    torch.testing.assert_close(weights[:, 4], expected)
