"""Weights read through the values, and the shapes that are told from them."""

import numpy as np
import pytest
import torch

from alibi_viz.inspection.adapters.contract import AttentionPath, Reading, RunAsked
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe.shapes import Points, shape_of
from alibi_viz.inspection.probe.sheets import read_sheet
from alibi_viz.inspection.probe.situations import situations, text_ids
from tests.inspection.conftest import llama
from tests.inspection.references import reference_interleaved


def slopes(sheet, row=0):
    """(layer, head) slopes of the last query."""
    n_layer, n_head = sheet.shape
    shapes = [[shape_of(sheet.points(i, row, h), None) for h in range(n_head)]
              for i in range(n_layer)]  # fmt: skip
    assert all(shape.kind == "straight" for layer in shapes for shape in layer)
    return np.array([[shape.slope for shape in layer] for layer in shapes])


def whole(adapter, length=40):
    ids = text_ids(length, adapter.facts.vocab_size)
    return read_sheet(adapter, RunAsked((ids,), adapter.default_path))


@pytest.mark.parametrize("family", ["bloom", "mpt"])
def test_slopes_are_read_in_every_row_of_every_situation(family, loaded):
    adapter = loaded(family)
    expected = np.tile(reference_interleaved(adapter.facts.n_head), (2, 1))
    seen = 0
    for situation in situations(adapter):
        asked = situation.asked(29, adapter.facts.vocab_size)
        sheet = read_sheet(adapter, asked)
        for row in range(len(asked.rows)):
            np.testing.assert_allclose(slopes(sheet, row), expected, rtol=1e-4)
            seen += 1
        assert sheet.future().max() == sheet.padding().max() == 0
    assert seen > 15


@pytest.mark.parametrize("family", ["falcon", "falcon_shared_key", "falcon_grouped_keys"])
def test_falcons_slopes_act_over_the_root_of_the_heads_width(family, loaded):
    sheet = whole(loaded(family), length=20)
    # Falcon rounds slopes and biases to bfloat16: the line is straight to 2^-9 of the bias.
    of_heads = [[sheet.points(layer, 0, head) for head in range(6)] for layer in range(2)]
    read = [[np.polyfit(p.distance, -np.log(p.weight), 1)[0] for p in row] for row in of_heads]
    expected = np.tile(8**-0.5 * np.array(reference_interleaved(6)), (2, 1))
    np.testing.assert_allclose(read, expected, rtol=5e-3)


@pytest.mark.parametrize("family", ["gpt2", "llama", "falcon_rope"])
def test_models_without_a_bias_read_as_flat(family, loaded):
    assert np.abs(slopes(whole(loaded(family)))).max() < 1e-6


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_read_to_its_own_digits(dtype, loaded):
    sheet = whole(loaded("mpt", dtype), length=64)
    for head, expected in enumerate(reference_interleaved(7)):
        shape = shape_of(sheet.points(0, 0, head), expected)
        assert shape.kind == "straight"
        assert abs(shape.slope - expected) <= shape.precision


def test_shapes_by_hand():
    distance = np.arange(40)

    def told(value):
        return shape_of(Points(distance, np.exp(value), 39, torch.float32), 0.25)

    assert told(-0.25 * distance).kind == "straight"
    flat = told(-0.25 * np.minimum(distance, 11))
    assert (flat.kind, flat.numbers["from_distance"]) == ("flat", 11)
    hidden = told(np.where(distance < 7, -0.25 * distance, -np.inf))
    assert (hidden.kind, hidden.numbers["keys"]) == ("window", 7)
    assert told(-np.log1p(distance)).kind == "bent"
    moved = told(np.where(distance == 1, 1.5, 0.0) - 0.25 * distance)
    assert (moved.kind, moved.numbers["place"]) == ("offset", "the previous token")
    assert moved.numbers["amount"] == pytest.approx(1.5)
    rounded = torch.tensor(0.3 * (39.0 - distance)).bfloat16().double().numpy()
    shape = shape_of(Points(distance, np.exp(rounded - 12), 39, torch.float32), 0.3)
    assert (shape.kind, shape.numbers["rounds_to"]) == ("coarse", "bfloat16")


def test_reading_leaves_the_model_as_it_was(loaded):
    adapter = loaded("falcon_grouped_keys")
    ids, path = torch.arange(20), AttentionPath("sdpa", False)
    before = adapter.run(ids, path).logits
    read_sheet(adapter, RunAsked((ids,), AttentionPath("eager", True)))
    torch.testing.assert_close(adapter.run(ids, path).logits, before, atol=0, rtol=0)
    assert adapter.model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("family", ["bloom", "mpt", "falcon_grouped_keys"])
def test_attention_computed_here_predicts_the_same(family, loaded):
    adapter = loaded(family)
    ids = text_ids(20, adapter.facts.vocab_size)
    promise = adapter.promise()
    right = adapter.predictions_with(ids, np.tile(promise.slopes, (2, 1)), last=5)
    acting = adapter.predictions(RunAsked((ids,), adapter.default_path), last=5)[0]
    # Falcon rounds its biases to bfloat16.
    tolerance = 0.05 if "falcon" in family else 1e-4
    torch.testing.assert_close(right, acting, atol=tolerance, rtol=tolerance)


def test_a_sliding_window_is_read_from_the_cache_too(save_model):
    # Gemma's cache forgets what lies outside the window of its first layer.
    sizes = {**llama()[1], "head_dim": 8, "sliding_window": 7}
    adapter = load_model(save_model("Gemma2Config", sizes))
    keys, ids = torch.tensor([29, 23, 22]), torch.arange(30)
    asked = RunAsked((ids,), AttentionPath("eager", False), cuts=(29,))
    weights = adapter.read_weights(Reading(asked, keys))[:, 0, :, 0]
    # Flat over the window's 7 keys, the 24th to the 30th, and over all 30 in the second layer.
    expected = torch.tensor([[1 / 7, 1 / 7, 0], [1 / 30, 1 / 30, 1 / 30]])
    torch.testing.assert_close(weights[:, 4], expected)
