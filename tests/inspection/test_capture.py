import numpy as np
import pytest
import torch

from alibi_viz.inspection.adapters.contract import AttentionPath
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.text.capture import capture, overview
from alibi_viz.positions import METHODS
from tests.inspection.conftest import FAMILIES, TEXT

HUGGING_FACE = tuple(FAMILIES)
EAGER = AttentionPath("eager", True)


def spy_on(monkeypatch, name):
    """Records the arguments and results of a function of torch.nn.functional."""
    calls, original = [], getattr(torch.nn.functional, name)

    def spied(*args, **kwargs):
        result = original(*args, **kwargs)
        calls.append((args, kwargs, result))
        return result

    monkeypatch.setattr(torch.nn.functional, name, spied)
    return calls


def ids_of(seen):
    return torch.tensor([token.id for token in seen.tokens])


@pytest.mark.parametrize("family", HUGGING_FACE)
def test_content_position_and_mask_make_the_models_own_logits(family, loaded, monkeypatch):
    adapter = loaded(family)
    adapter.why_not_split()  # runs the model once, before it is listened to
    calls = spy_on(monkeypatch, "softmax")
    seen = capture(adapter, TEXT, path=EAGER)
    for layer in range(2):
        own_logits = calls[layer][0][0][0]
        for head in range(seen.n_head):
            parts = seen.attention(layer, head)
            ours = parts.content + parts.position + parts.row_constant[:, None]
            theirs = own_logits[head].float().numpy()
            spread = theirs[parts.visible].std()
            assert np.abs(ours - theirs)[parts.visible].max() <= 1e-5 * spread
            assert (theirs[~parts.visible] < -1e30).all()
            assert np.isneginf(parts.logits[~parts.visible]).all()


@pytest.mark.parametrize("family", HUGGING_FACE)
def test_weights_are_the_ones_that_the_library_returns(family, loaded):
    adapter = loaded(family)
    seen = capture(adapter, TEXT, path=EAGER)
    run = adapter.run(ids_of(seen), EAGER)
    for layer, theirs in enumerate(run.weights):
        ours = [seen.attention(layer, head).weights for head in range(seen.n_head)]
        # One rounding of float32 in the product, one in the softmax.
        torch.testing.assert_close(torch.tensor(np.stack(ours)), theirs, atol=1e-6, rtol=0)


@pytest.mark.parametrize("family", ["falcon", "falcon_shared_key", "falcon_rope", "llama"])
def test_weights_explain_what_the_fused_kernel_gives(family, loaded, monkeypatch):
    adapter = loaded(family)
    calls = spy_on(monkeypatch, "scaled_dot_product_attention")
    seen = capture(adapter, TEXT, path=AttentionPath("sdpa", False))
    for layer in range(2):
        (_, _, value, *_), _, mixed = calls[layer]
        for head in range(seen.n_head):
            values = value[0, head * value.shape[1] // seen.n_head]
            ours = torch.tensor(seen.attention(layer, head).weights) @ values
            torch.testing.assert_close(ours, mixed[0, head], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("family", ["bloom", "mpt", "falcon"])
def test_weights_in_half_precision_are_the_models_own_up_to_one_rounding(family, dtype, loaded):
    adapter = loaded(family, dtype)
    seen = capture(adapter, TEXT, path=EAGER)
    theirs = adapter.run(ids_of(seen), EAGER).weights[0]
    ours = torch.tensor(np.stack([seen.attention(0, h).weights for h in range(seen.n_head)]))
    # A logit of up to 2^4 rounded the other way moves a weight by 2^4 * eps / 2 of itself.
    assert (ours - theirs).abs().max() <= 8 * torch.finfo(dtype).eps


@pytest.mark.parametrize("family", ["bloom", "mpt", "falcon", "gpt2", "llama"])
def test_losses_are_those_of_the_models_logits(family, loaded):
    adapter = loaded(family)
    seen = capture(adapter, TEXT)
    logits = adapter.run(ids_of(seen), adapter.default_path).logits.double()
    expected = -torch.log_softmax(logits, -1)[:-1].gather(1, ids_of(seen)[1:, None])[:, 0]
    np.testing.assert_allclose(seen.nll, expected, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_own_models_attention_is_recomputed_exactly(method, own, monkeypatch):
    calls = spy_on_attention(monkeypatch)
    seen = capture(own(method), TEXT)
    for layer in range(2):
        value, mixed = calls[layer]
        for head in range(3):
            parts = seen.attention(layer, head)
            ours = torch.tensor(parts.weights) @ value[0, head]
            torch.testing.assert_close(ours, mixed[0, head], atol=1e-5, rtol=1e-5)
            whole = parts.content + parts.position
            np.testing.assert_allclose(whole[parts.visible], parts.logits[parts.visible], atol=1e-5)


def spy_on_attention(monkeypatch):
    """Records values and results of the model's own attention."""
    from alibi_viz.model import transformer

    calls, original = [], transformer.causal_attention

    def spied(q, k, v, block_bias=None):
        mixed = original(q, k, v, block_bias)
        calls.append((v, mixed))
        return mixed

    monkeypatch.setattr(transformer, "causal_attention", spied)
    return calls


def test_own_position_term_is_minus_slope_times_distance(own):
    seen = capture(own("alibi", max_exponent=6), TEXT)
    parts = seen.attention(1, 1)
    # 3 heads, exponent 6: slopes 1/4, 1/16, 1/64.
    distance = np.subtract.outer(np.arange(seen.length), np.arange(seen.length))
    expected = np.where(distance >= 0, -distance / 16, 0)
    np.testing.assert_allclose(parts.position, expected, atol=1e-6)
    np.testing.assert_allclose(seen.slopes, [[1 / 4, 1 / 16, 1 / 64]] * 2, rtol=1e-6)


@pytest.mark.parametrize("text", ["x", "if", TEXT])
def test_own_slopes_are_known_however_short_the_text(text, own):
    seen = capture(own("alibi", max_exponent=6), text)
    np.testing.assert_array_equal(seen.slopes, [[1 / 4, 1 / 16, 1 / 64]] * 2)
    given = np.full((2, 3), 0.5)
    changed = capture(own("alibi", max_exponent=6), text, slopes=given)
    np.testing.assert_array_equal(changed.slopes, given)


@pytest.mark.parametrize("text", ["x", "if", TEXT])
def test_trained_biases_that_are_no_slopes_are_not_called_so(text, own):
    # On two tokens every table is a straight line.
    assert capture(own("t5"), text).slopes is None


@pytest.mark.parametrize(("text", "is_read"), [("x", False), ("if", False), ("if:", True)])
def test_slopes_are_read_from_three_tokens_on(text, is_read, loaded):
    seen = capture(loaded("bloom"), text)
    assert seen.length == len(text)
    assert (seen.slopes is not None) == is_read
    assert seen.is_too_short != is_read
    assert not capture(loaded("gpt2"), text).is_too_short


def test_nothing_that_is_kept_has_two_axes_of_the_texts_length(loaded):
    seen = capture(loaded("bloom"), "x" * 101)
    assert seen.length == 101
    kept = [tensor for layer in seen.layers for tensor in vars(layer).values()]
    shapes = [t.shape for t in kept if isinstance(t, torch.Tensor)]
    assert shapes
    assert all(shape.count(101) <= 1 for shape in map(tuple, shapes))


def test_rows_asked_for_alone_are_those_of_the_whole_map(loaded):
    seen = capture(loaded("llama"), TEXT)
    whole, some = seen.attention(1, 4), seen.attention(1, 4, range(5, 12))
    np.testing.assert_array_equal(some.queries, np.arange(5, 12))
    np.testing.assert_allclose(some.weights, whole.weights[5:12], atol=1e-7)
    np.testing.assert_allclose(some.logits, whole.logits[5:12], atol=1e-5)


def test_one_token_sees_itself_and_has_no_loss(loaded):
    seen = capture(loaded("mpt"), "x")
    assert seen.attention(0, 0).weights.tolist() == [[1.0]]
    assert seen.mean_nll is None
    assert any("no loss" in sentence for sentence in seen.missing)


def test_a_long_text_is_cut_and_said(loaded):
    seen = capture(loaded("bloom"), "x" * 50, limit=20)
    assert seen.length == 20
    assert any("30 tokens are left out" in sentence for sentence in seen.missing)


@pytest.mark.parametrize(
    ("family", "length", "said"),
    [
        (
            "gpt2",
            131,
            "its last 9 tokens are left out, since past n_positions: 131 the model fails",
        ),
        ("mpt", 131, "its last 9 tokens are left out, since past max_seq_len: 131 the model fails"),
        (
            "llama",
            140,
            "max_position_embeddings: 131; the model runs on, and the last 9 tokens are",
        ),
        ("falcon", 140, "max_position_embeddings: 131; the model runs on, and the last 9 tokens"),
    ],
)
def test_a_text_past_the_configured_limit_goes_as_far_as_the_model(family, length, said, loaded):
    seen = capture(loaded(family), "x" * 140)
    assert seen.length == length
    assert any(said in sentence for sentence in seen.missing), seen.missing


def test_models_without_a_term_say_where_position_is(loaded):
    seen = capture(loaded("gpt2"), TEXT)
    assert not seen.attention(0, 0).position.any()
    assert any("inside the content" in sentence for sentence in seen.missing)


@pytest.mark.parametrize(("layer", "head", "row"), [(2, 0, 0), (0, 5, 0), (0, 0, 9999), (-1, 0, 0)])
def test_what_is_not_there_is_an_error(layer, head, row, loaded):
    seen = capture(loaded("bloom"), TEXT)
    with pytest.raises(ValueError, match=r"must be from 0 to"):
        seen.attention(layer, head, range(row, row + 1))


def test_a_bias_is_shown_as_the_model_rounds_it(loaded):
    # Falcon rounds its biases to bfloat16: 257 tokens need 9 bits.
    parts = capture(loaded("falcon"), "x" * 300).attention(0, 0, range(299, 300))
    slope = 2**-2 / 8**0.5  # first of 6 heads, divided by sqrt(d_head)
    exact = -slope * np.arange(299, -1, -1)
    # Two biases of up to 26.4 are taken from each other: steps of 1/8 between 16 and 32.
    np.testing.assert_allclose(parts.position[0], exact, atol=0.25)
    assert (np.diff(parts.position) == 0).any()


def test_overview_keeps_the_largest_weight_of_each_cell(loaded):
    seen = capture(loaded("bloom"), TEXT)
    small = overview(seen, size=7)
    weights, edges = seen.attention(1, 3).weights, np.arange(8) * seen.length // 7
    for row in range(7):
        for column in range(7):
            cell = weights[edges[row] : edges[row + 1], edges[column] : edges[column + 1]]
            assert small.thumbnails[1, 3, row, column] == pytest.approx(cell.max(), abs=1e-7)


def test_overview_tells_its_progress(loaded):
    done = []
    overview(capture(loaded("bloom"), TEXT), progress=lambda n, of: done.append((n, of)))
    assert done == [(1, 2), (2, 2)]


@pytest.mark.parametrize("family", HUGGING_FACE)
def test_blocks_of_weights_are_those_of_each_head(family, loaded, monkeypatch):
    monkeypatch.setattr("alibi_viz.inspection.text.capture.QUERY_BLOCK", 11)
    seen = capture(loaded(family), TEXT)
    whole = np.stack([seen.attention(1, head).weights for head in range(seen.n_head)])
    for queries, weights in seen.weight_blocks(1):
        n_key = weights.shape[-1]
        np.testing.assert_allclose(weights, whole[:, queries, :n_key], atol=2e-6)
        assert not whole[:, queries, n_key:].any()


@pytest.mark.parametrize("method", ["t5", "alibi"])
def test_blocks_of_biases_by_distance_are_those_of_each_head(method, own, monkeypatch):
    monkeypatch.setattr("alibi_viz.inspection.text.capture.QUERY_BLOCK", 11)
    seen = capture(own(method), TEXT)
    whole = np.stack([seen.attention(1, head).weights for head in range(seen.n_head)])
    for queries, weights in seen.weight_blocks(1):
        np.testing.assert_allclose(weights, whole[:, queries, : weights.shape[-1]], atol=2e-6)


def test_a_sliding_window_is_part_of_the_mask(save_model):
    sizes = {**FAMILIES["llama"][1], "sliding_window": 7, "use_sliding_window": True}
    layers = ["sliding_attention", "full_attention"]
    adapter = load_model(save_model("Qwen2Config", {**sizes, "layer_types": layers}))
    seen = capture(adapter, TEXT)
    assert seen.attention(0, 1).visible.sum(1).max() == 7
    assert seen.attention(1, 1).visible.sum(1).max() == seen.length
    theirs = adapter.run(ids_of(seen), EAGER).weights
    for layer in range(2):
        ours = next(iter(seen.weight_blocks(layer)))[1]
        torch.testing.assert_close(torch.tensor(ours), theirs[layer], atol=1e-6, rtol=0)
