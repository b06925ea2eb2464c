import math

import pytest
import torch

from alibi_viz.model.config import ModelConfig
from alibi_viz.model.device import choose_device
from alibi_viz.model.loss import mean_window_nll, token_nll
from alibi_viz.model.transformer import Transformer, initialise


def small():
    model = Transformer(ModelConfig(n_layer=1, n_head=3, d_model=6, vocab_size=11, train_length=5))
    initialise(model, 1)
    model.embedding.weight.data *= 30
    return model.eval()


def test_loss_is_minus_the_log_probability_of_the_token_that_came():
    model, tokens = small(), torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])
    nll = token_nll(model, tokens[:, :-1], tokens[:, 1:])
    probabilities = model(tokens[:, :-1]).double().softmax(-1)
    for b, i in [(0, 0), (1, 1), (1, 2)]:
        expected = -math.log(probabilities[b, i, tokens[b, i + 1]].item())
        assert nll[b, i].item() == pytest.approx(expected, abs=1e-5)


def test_mean_is_over_whole_windows_and_any_batch_size():
    model = small()
    tokens = torch.randint(11, (24,), generator=torch.Generator().manual_seed(2))
    # Four windows of 5 need 21 tokens; the last three of the 24 are left out.
    one_by_one = [
        token_nll(model, tokens[None, s : s + 5], tokens[None, s + 1 : s + 6]).mean().item()
        for s in (0, 5, 10, 15)
    ]
    for batch_size in (1, 3, 100):
        mean = mean_window_nll(model, tokens, 5, batch_size)
        assert mean == pytest.approx(sum(one_by_one) / 4, rel=1e-6)


def test_auto_is_a_device_that_is_there():
    assert torch.zeros(1, device=choose_device("auto")).sum() == 0
    assert choose_device("cpu").type == "cpu"


def test_unknown_and_missing_devices_are_refused():
    with pytest.raises(ValueError, match="device must be one of auto, cpu, cuda, mps, got 'tpu'"):
        choose_device("tpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_missing_cuda_is_said():
    with pytest.raises(ValueError, match="no cuda device"):
        choose_device("cuda")
