import pytest
import torch

from alibi_viz.model.attention import bias_for_blocks
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise, parameter_count
from alibi_viz.positions import METHODS

RELATIVE = ["alibi", "rope", "t5", "nope"]


def model(position="alibi", seed=3, **settings):
    sizes = {"n_layer": 2, "n_head": 3, "d_model": 42, "vocab_size": 29, "train_length": 17}
    built = Transformer(ModelConfig(position=position, **{**sizes, **settings}))
    initialise(built, seed)
    # Position tables start small; here they shall matter.
    for name, parameter in built.named_parameters():
        if name == "position.table":
            parameter.data *= 20
    return built.eval()


def some_tokens(batch, length):
    return torch.randint(29, (batch, length), generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("position", METHODS)
def test_no_token_sees_the_future(position):
    tokens = some_tokens(2, 17)
    changed = tokens.clone()
    changed[:, 11:] = (changed[:, 11:] + 1) % 29
    before, after = model(position)(tokens), model(position)(changed)
    assert torch.equal(before[:, :11], after[:, :11])
    assert not torch.allclose(before[:, 11:], after[:, 11:])


@pytest.mark.parametrize("position", METHODS)
def test_gradients_reach_every_parameter(position):
    built = model(position)
    built(some_tokens(2, 17)).square().mean().backward()
    for name, parameter in built.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("position", [key for key in METHODS if key != "nope"])
def test_order_of_earlier_tokens_matters(position):
    tokens = some_tokens(1, 9)
    swapped = tokens[:, [1, 0, *range(2, 9)]]
    # One layer: NoPE could tell orders apart only through a second.
    built = model(position, n_layer=1)
    assert not torch.allclose(built(tokens)[:, -1], built(swapped)[:, -1], atol=1e-6)


def test_one_layer_of_nope_sees_a_bag_of_tokens():
    tokens = some_tokens(1, 9)
    swapped = tokens[:, [1, 0, *range(2, 9)]]
    built = model("nope", n_layer=1)
    torch.testing.assert_close(built(tokens)[:, -1], built(swapped)[:, -1])


@pytest.mark.parametrize("position", [m for m in METHODS if m != "learned"])
def test_windows_longer_than_a_block_continue_shorter_ones(position):
    tokens = some_tokens(1, 600)
    built = model(position)
    # float32 rounding in another order of summation.
    torch.testing.assert_close(built(tokens)[:, :200], built(tokens[:, :200]), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("tokens", [torch.zeros(2, 0, dtype=int), torch.zeros(13, dtype=int)])
def test_a_text_without_tokens_is_refused(tokens):
    with pytest.raises(ValueError, match="with at least one token, got"):
        model("t5")(tokens)


def test_learned_positions_end_with_a_clear_error():
    with pytest.raises(ValueError, match="training length of 17 tokens, got 18"):
        model("learned")(some_tokens(1, 18))


@pytest.mark.parametrize("position", ["alibi", "rope", "t5", "sinusoidal"])
def test_walking_the_model_as_documented_gives_its_logits(position):
    built, tokens = model(position), some_tokens(2, 13)
    bias = built.bias_by_distance(13)
    x = built.embed(tokens)
    for block in built.blocks:
        q, k, v = block.attention.project(block.attention_norm(x), built.position)
        assert q.shape == k.shape == v.shape == (2, 3, 13, 14)
        x = block(x, built.position, None if bias is None else bias_for_blocks(bias, 13))
    assert torch.equal(built.unembed(x), built(tokens))


def test_the_default_model_has_about_a_million_parameters():
    # 4 layers of 12 * 128^2, the embedding once, and 9 norms of 128.
    expected = 4 * 12 * 128**2 + 1024 * 128 + 9 * 128
    assert parameter_count(Transformer(ModelConfig())) == expected == 918_656


def test_methods_share_their_first_parameters():
    first, second = model("alibi"), model("learned")
    for name, parameter in first.named_parameters():
        assert torch.equal(parameter, dict(second.named_parameters())[name]), name


def test_seeds_decide_the_first_parameters():
    assert torch.equal(model(seed=1).embedding.weight, model(seed=1).embedding.weight)
    assert not torch.equal(model(seed=1).embedding.weight, model(seed=2).embedding.weight)


def test_residual_projections_start_smaller():
    built = Transformer(ModelConfig())
    initialise(built, 0)
    # 65,536 draws: the estimate is within 1 %.
    assert built.blocks[0].mlp.hidden.weight.std().item() == pytest.approx(0.02, rel=0.02)
    expected = 0.02 / 8**0.5
    assert built.blocks[0].mlp.output.weight.std().item() == pytest.approx(expected, rel=0.02)
