import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from alibi_viz.maths.bias import alibi_bias
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.model import attention, bands
from alibi_viz.model.attention import LinearBias, alibi_attention, causal_attention

SLOPES = torch.as_tensor(alibi_slopes(8), dtype=torch.float32)
BLOCK = 32


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Many blocks in short, quick texts; one test below keeps the block's real size."""
    monkeypatch.setattr(attention, "BLOCK", BLOCK)


def reference(q, k, v, slopes, *, is_causal=True, scale=None):
    """The definition, with the whole head x query x key in float64."""
    direction = "causal" if is_causal else "symmetric"
    query_length, key_length = q.shape[-2], k.shape[-2]
    bias = alibi_bias(slopes.double(), key_length, direction=direction)[:, -query_length:]
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    logits = scale * q.double() @ k.double().mT + bias
    return logits.softmax(-1) @ v.double()


def inputs(query, key=None, *, size=1.0, batch=2, d_head=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    key = query if key is None else key
    q = torch.randn(batch, 8, query, d_head, generator=generator) * size
    k, v = (torch.randn(batch, 8, key, d_head, generator=generator) for _ in range(2))
    return q, k, v


def largest_error(q, k, v, **settings):
    ours = alibi_attention(q, k, v, SLOPES, **settings).double()
    return (ours - reference(q, k, v, SLOPES, **settings)).abs().max().item()


@pytest.mark.parametrize("is_causal", [True, False])
@pytest.mark.parametrize(
    ("query", "key"), [(1, 1), (3, 7), (31, 33), (211, 211), (75, 311), (1, 181)]
)
def test_random_inputs_of_any_length_are_exact(query, key, is_causal):
    assert largest_error(*inputs(query, key), is_causal=is_causal) < 1e-5


def test_blocks_of_the_real_size_are_exact(monkeypatch):
    monkeypatch.undo()
    assert attention.BLOCK == 256
    assert largest_error(*inputs(523, batch=1)) < 1e-5


def test_equal_logits_are_exact():
    q, k, v = inputs(211)
    assert largest_error(torch.zeros_like(q), k, v) < 1e-5


def test_one_dominating_far_key_is_not_skipped():
    q, k, v = inputs(401, batch=1)
    k[:, :, 11] = 10.0
    q[:, :, :] = 1.0
    # The flattest head still puts nearly all weight on that key, 389 tokens away.
    weight = reference(q, k, torch.eye(401).expand(1, 8, -1, -1), SLOPES)[0, 7, -1, 11]
    assert weight > 0.99
    assert largest_error(q, k, v) < 1e-5


def test_a_key_that_beats_nearer_blocks_is_kept_with_all_between():
    q, k, v = inputs(300, batch=1)
    k[:, 3, 40] = 30.0
    assert largest_error(q, k, v) < 1e-5


@pytest.mark.parametrize("size", [10.0, 100.0])
def test_large_logits_lose_no_more_than_in_plain_float32(size):
    q, k, v = inputs(150, size=size)
    exact = reference(q, k, v, SLOPES)
    bias = alibi_bias(SLOPES, 150)
    plain = scaled_dot_product_attention(q, k, v, attn_mask=bias[None])
    # A logit of 500 is known to 3e-5 in float32, whoever computes with it.
    allowed = max(1e-5, 2 * (plain.double() - exact).abs().max().item())
    assert largest_error(q, k, v) < allowed


def test_scale_multiplies_the_content_and_not_the_bias():
    q, k, v = inputs(117)
    assert largest_error(q, k, v, scale=0.3) < 1e-5
    assert largest_error(q, k, v, scale=-1.0) < 1e-5


@pytest.mark.parametrize("slope", [0.0, -0.01])
def test_slopes_that_are_not_positive_skip_nothing(slope):
    q, k, v = inputs(150)
    slopes = torch.full((8,), slope)
    ours = alibi_attention(q, k, v, slopes).double()
    assert (ours - reference(q, k, v, slopes)).abs().max() < 1e-5


def test_a_negative_slope_lets_empty_far_keys_win():
    _, _, v = inputs(96, batch=1, d_head=32)
    # In the last block a query meets its own key only: logit 80. The farthest key's bias is 95.
    q = (80**0.5 * torch.eye(32)).repeat(3, 1).expand(1, 8, 96, 32)
    k = q * (torch.arange(96) >= 64)[:, None]
    slopes = torch.full((8,), -1.0)
    exact = reference(q, k, v, slopes, scale=1.0)
    ours = alibi_attention(q, k, v, slopes, scale=1.0).double()
    assert (ours - exact).abs().max() < 1e-5


def test_far_keys_of_steep_heads_are_skipped_and_of_flat_ones_are_not():
    q, k, _ = inputs(10 * BLOCK)
    first, end = (x.tolist() for x in attention.kept_keys(q, k, SLOPES, 0.2, True))
    # Slope 1/2: random content cannot make up for four blocks, 128 tokens.
    assert first[0][-1] >= 5 * BLOCK
    assert first[7][-1] == 0
    assert end[0] == [BLOCK * n for n in range(1, 11)]


def test_what_is_skipped_cannot_be_seen():
    # The steepest head alone: beside others it may read as far as they do.
    q, k, v = (x[:, :1] for x in inputs(10 * BLOCK, batch=1))
    slopes = SLOPES[:1]
    (first,), _ = attention.kept_keys(q, k, slopes, 5**-0.5, True)
    widest = (torch.arange(10) * BLOCK - first).max()
    skipped = int(9 * BLOCK - widest)
    changed = v.clone()
    changed[:, :, :skipped] = 1e6
    before, after = (alibi_attention(q, k, x, slopes)[..., -BLOCK:, :] for x in (v, changed))
    assert skipped >= 4 * BLOCK
    assert torch.equal(before, after)
    # A million times 2^-24: their true weight is still below what the next digit shows.
    exact = reference(q, k, changed, slopes)[..., -BLOCK:, :]
    torch.testing.assert_close(after.double(), exact, atol=0.1, rtol=0)


def test_calls_are_few_and_large(monkeypatch):
    calls = []

    def counted(q, k, v, **settings):
        calls.append((q.shape, k.shape[-2]))
        return scaled_dot_product_attention(q, k, v, **settings)

    monkeypatch.setattr(bands, "scaled_dot_product_attention", counted)
    q, k, v = inputs(40 * BLOCK, batch=1)
    alibi_attention(q, k, v, SLOPES)
    # One head and one block of queries at a time they would be 8 x 40.
    assert len(calls) < 110
    assert any(shape[0] == bands.TOGETHER for shape, _ in calls)
    # No head reads half as much again as it has to.
    read = sum(math.prod(shape[:3]) * keys for shape, keys in calls)
    first, end = attention.kept_keys(q, k, SLOPES, 5**-0.5, True)
    assert read < 1.5 * int((end - first).sum()) * BLOCK


@pytest.mark.parametrize("is_causal", [True, False])
def test_gradients_are_those_of_the_definition(is_causal):
    results = []
    for function, dtype in ((alibi_attention, torch.float32), (reference, torch.float64)):
        q, k, v = (x.to(dtype).requires_grad_() for x in inputs(101))
        slopes = SLOPES.clone().to(dtype).requires_grad_()
        if function is reference:
            distance = torch.arange(101.0)[:, None] - torch.arange(101)
            bias = -slopes[:, None, None] * distance.abs().double()
            if is_causal:
                bias = bias.masked_fill(distance < 0, -math.inf)
            output = (q @ k.mT / 5**0.5 + bias).softmax(-1) @ v
        else:
            output = function(q, k, v, slopes, is_causal=is_causal)
        output.square().sum().backward()
        results.append([x.grad.double() for x in (q, k, v, slopes)])
    for ours, exact in zip(*results, strict=True):
        torch.testing.assert_close(ours, exact, rtol=1e-3, atol=1e-3 * exact.abs().max().item())


def test_causal_attention_takes_slopes_for_a_bias():
    q, k, v = inputs(117)
    expected = reference(q, k, v, SLOPES)
    ours = causal_attention(q, k, v, LinearBias(SLOPES)).double()
    assert (ours - expected).abs().max() < 1e-5


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 8, 5, 3), (2, 8, 4, 3), (2, 8, 4, 3)), "got 5 queries and 4 keys"),
        (((2, 8, 5, 3), (2, 8, 5, 4), (2, 8, 5, 4)), r"q must be \(batch, head, query, d_head\)"),
        (((2, 8, 5, 3), (2, 8, 5, 3), (2, 8, 6, 3)), r"q must be \(batch, head, query, d_head\)"),
        (((2, 8, 5, 0), (2, 8, 5, 0), (2, 8, 5, 0)), "at least one head and one channel"),
        (((2, 0, 5, 3), (2, 0, 5, 3), (2, 0, 5, 3)), "at least one head and one channel"),
        (((2, 8, 5, 3), (2, 8, 5, 3), (2, 8, 5, 4)), "v must have d_head 3"),
        (((2, 7, 5, 3), (2, 7, 5, 3), (2, 7, 5, 3)), r"slopes must be \(7,\), got \(8,\)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(shapes, message):
    with pytest.raises(ValueError, match=message):
        alibi_attention(*(torch.zeros(shape) for shape in shapes), SLOPES)


def test_a_number_that_is_none_shows_in_every_query_that_reads_it():
    q, k, v = inputs(211)
    k[1, 3, 7, 2] = math.nan
    output = alibi_attention(q, k, v, SLOPES)
    assert output[1, 3, 7:].isnan().all()
    assert output.isnan().any(dim=(-2, -1)).nonzero().tolist() == [[1, 3]]
    q, k, v = inputs(211)
    q[1, 3, 101, 2] = math.nan
    output = alibi_attention(q, k, v, SLOPES)
    assert output[1, 3, 101].isnan().all()
    rest = torch.arange(211) != 101
    error = output.double() - reference(q, k, v, SLOPES)
    assert error[:, :, rest].abs().max() < 1e-5


def test_an_empty_batch_gives_an_empty_batch():
    assert alibi_attention(*inputs(211, batch=0), SLOPES).shape == (0, 8, 211, 5)


def test_an_empty_batch_has_gradients():
    q, k, v = (x.requires_grad_() for x in inputs(5, batch=0))
    slopes = SLOPES.clone().requires_grad_()
    alibi_attention(q, k, v, slopes).sum().backward()
    assert q.grad.shape == (0, 8, 5, 5)
    assert slopes.grad.tolist() == [0.0] * 8


def test_slopes_of_numpy_are_taken():
    q, k, v = inputs(37)
    ours = alibi_attention(q, k, v, alibi_slopes(8))
    torch.testing.assert_close(ours, alibi_attention(q, k, v, SLOPES))
    torch.testing.assert_close(ours, causal_attention(q, k, v, LinearBias(alibi_slopes(8))))


@pytest.mark.parametrize("slopes", [SLOPES.half(), SLOPES.bfloat16(), SLOPES.numpy().astype("f2")])
def test_slopes_in_half_precision_are_refused(slopes):
    with pytest.raises(ValueError, match="slopes must be float32 or float64"):
        alibi_attention(*inputs(5), slopes)


def exactly(q, k, v, slopes):
    """One query at a time, over the keys that it sees: what NaN has to look like."""
    output = torch.zeros_like(q)
    for i in range(q.shape[2]):
        distance = i - torch.arange(i + 1)
        logits = torch.einsum("bhd,bhkd->bhk", q[:, :, i], k[:, :, : i + 1]) / q.shape[3] ** 0.5
        weights = (logits - slopes[:, None] * distance).softmax(-1)
        output[:, :, i] = torch.einsum("bhk,bhkd->bhd", weights, v[:, :, : i + 1])
    return output


@pytest.mark.parametrize("which", [0, 1, 2], ids=["query", "key", "value"])
@pytest.mark.parametrize("place", [0, 7, 100, 210])
def test_nan_is_where_the_definition_has_it_and_nowhere_else(which, place):
    given = inputs(211)
    given[which][1, 3, place, 2] = math.nan
    expected = exactly(*given, SLOPES)
    ours = alibi_attention(*given, SLOPES)
    torch.testing.assert_close(ours, expected, atol=1e-5, rtol=0, equal_nan=True)


def test_a_far_value_that_is_skipped_is_not_hidden():
    q, k, v = inputs(10 * BLOCK, batch=1)
    v[0, 0, 0, 1] = math.nan
    # The steepest head gives it no weight at all.
    assert alibi_attention(q, k, v, SLOPES)[0, 0, -1].isnan().tolist() == [
        False, True, False, False, False,
    ]  # fmt: skip
