"""FlexAttention: its windows on any machine, its numbers in its plain form, its kernel on CUDA."""

import pytest
import torch
from torch.nn.attention.flex_attention import create_mask

from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.model import attention
from alibi_viz.model.attention import alibi_attention, kept_keys
from alibi_viz.model.flex import flex_alibi_attention, window_mask
from tests.model.test_alibi_attention import inputs, reference

SLOPES = torch.as_tensor(alibi_slopes(8), dtype=torch.float32)
BLOCK = 32


def windows(query, key, *, is_causal):
    """A window for each of 2 heads and each block of queries, of varied width."""
    n_block = -(-query // BLOCK)
    last = (key - query + torch.arange(1, n_block + 1) * BLOCK).clamp(max=key)
    widths = torch.tensor([[40] * n_block, [key] * n_block])
    first = (last - widths).clamp(min=0) // BLOCK * BLOCK
    return first, last.expand(2, -1) if is_causal else torch.full((2, n_block), key)


def read_by(mask, query, key):
    """(head, query, key) whether a key is read, as FlexAttention reads a block mask."""
    inside = create_mask(mask.mask_mod, None, None, query, key, device="cpu")[0, 0]
    read = torch.zeros(2, query, key, dtype=torch.bool)
    for head in range(2):
        for n, rows in enumerate(torch.arange(query).split(BLOCK)):
            for is_whole, counts, indices in (
                (False, mask.kv_num_blocks, mask.kv_indices),
                (True, mask.full_kv_num_blocks, mask.full_kv_indices),
            ):
                for block in indices[0, head, n, : counts[0, head, n]].tolist():
                    cells = rows[:, None], torch.arange(key)[block * BLOCK : (block + 1) * BLOCK]
                    read[head][cells] = True if is_whole else inside[cells]
    return read


@pytest.mark.parametrize("is_causal", [True, False])
@pytest.mark.parametrize(("query", "key"), [(211, 211), (75, 311), (1, 181), (64, 64)])
def test_the_block_mask_reads_the_window_and_no_future(query, key, is_causal):
    first, end = windows(query, key, is_causal=is_causal)
    mask = window_mask(first, end, query, key, block=BLOCK, is_causal=is_causal)
    read = read_by(mask, query, key)
    query_pos = torch.arange(key - query, key)[:, None]
    key_pos = torch.arange(key)
    expected = key_pos >= first.repeat_interleave(BLOCK, 1)[:, :query, None]
    if is_causal:
        expected = expected & (key_pos <= query_pos)
    assert torch.equal(read, expected)


def test_blocks_wholly_in_the_past_need_no_mask():
    first, end = windows(4 * BLOCK, 4 * BLOCK, is_causal=True)
    mask = window_mask(first, end, 4 * BLOCK, 4 * BLOCK, block=BLOCK, is_causal=True)
    assert mask.kv_num_blocks[0, 1].tolist() == [1, 1, 1, 1]
    assert mask.full_kv_num_blocks[0, 1].tolist() == [0, 1, 2, 3]


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("is_causal", [True, False])
def test_its_plain_form_gives_the_definition(monkeypatch, is_causal):
    monkeypatch.setattr(attention, "BLOCK", BLOCK)
    q, k, v = inputs(75, 111, batch=1, d_head=16)
    first, end = kept_keys(q, k, SLOPES, 0.25, is_causal)
    settings = {"is_causal": is_causal, "scale": 0.25}
    ours = flex_alibi_attention(
        q, k, v, SLOPES, first, end, block=BLOCK, is_compiled=False, **settings
    )
    exact = reference(q, k, v, SLOPES, **settings)
    assert (ours.double() - exact).abs().max() < 1e-5


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("is_causal", [True, False])
@pytest.mark.parametrize(("query", "key"), [(211, 211), (75, 311), (1, 181), (1031, 1031)])
def test_the_kernel_on_cuda_gives_the_definition_and_its_gradients(query, key, is_causal):
    q, k, v = (x.cuda().requires_grad_() for x in inputs(query, key, d_head=16))
    slopes = SLOPES.cuda()
    ours = alibi_attention(q, k, v, slopes, is_causal=is_causal)
    exact = reference(q, k, v, slopes, is_causal=is_causal)
    assert (ours.double() - exact).abs().max() < 1e-5
    weights = torch.randn(ours.shape, generator=torch.Generator().manual_seed(3)).cuda()
    found = torch.autograd.grad((ours * weights).sum(), (q, k, v))
    right = torch.autograd.grad((exact * weights.double()).sum(), (q, k, v))
    for one, other in zip(found, right, strict=True):
        assert (one.double() - other.double()).abs().max() < 1e-4
