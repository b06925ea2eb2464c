import math

import pytest
import torch

from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import RULES, parse_stretching

TRAIN_LENGTH, LONGER = 11, 37


def made(position, **settings):
    config = ModelConfig(
        position, n_layer=2, n_head=3, d_model=30, vocab_size=13, train_length=TRAIN_LENGTH,
        **settings,
    )  # fmt: skip
    model = Transformer(config)
    initialise(model, 5)
    # Attention that differs between keys, as in a trained model.
    with torch.no_grad():
        for block in model.blocks:
            block.attention.query_key_value.weight.mul_(20)
    return model.eval()


def tokens(length):
    return torch.randint(13, (2, length), generator=torch.Generator().manual_seed(length))


def reference_rotated(x, frequencies):
    """Channels 2 k and 2 k + 1 of position p as a complex number, turned by p * frequency."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    angles = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * torch.from_numpy(frequencies)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


@pytest.mark.parametrize("name", [*RULES, "log-length"])
@torch.no_grad()
def test_up_to_the_training_length_nothing_changes_to_the_bit(name):
    method = RULES[name].method if name in RULES else "t5"
    model = made(method)
    twin = stretched(model, parse_stretching(name))
    if name == "flattest-freed":
        assert not torch.equal(twin(tokens(TRAIN_LENGTH)), model(tokens(TRAIN_LENGTH)))
        return
    assert torch.equal(twin(tokens(TRAIN_LENGTH)), model(tokens(TRAIN_LENGTH)))
    assert not torch.allclose(twin(tokens(LONGER)), model(tokens(LONGER)))


@torch.no_grad()
def test_rotations_are_at_the_stretched_frequencies_and_yarn_scales_logits_by_the_square():
    x = torch.randn(1, 2, LONGER, 10, dtype=torch.float64)
    own = 10_000.0 ** (-torch.arange(0, 10, 2, dtype=torch.float64) / 10).numpy()
    s = LONGER / TRAIN_LENGTH
    for name, factor in (("pi", 1.0), ("yarn", (0.1 * math.log(s) + 1) ** 2)):
        frequencies = RULES[name].stretch(own, s, TRAIN_LENGTH)
        q, k = stretched(made("rope"), parse_stretching(name)).position.rotate(x, x)
        torch.testing.assert_close(k, reference_rotated(x, frequencies))
        torch.testing.assert_close(q, factor * k)


def test_logits_are_those_of_transformers_once_its_halves_are_our_neighbours():
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    q, k = torch.randn(2, 1, 3, LONGER, 10, dtype=torch.float64)
    own = 10_000.0 ** (-torch.arange(0, 10, 2, dtype=torch.float64) / 10).numpy()
    frequencies = torch.from_numpy(own / (LONGER / TRAIN_LENGTH))
    angles = torch.arange(LONGER, dtype=torch.float64)[:, None] * torch.cat([frequencies] * 2)
    halves = torch.cat([torch.arange(0, 10, 2), torch.arange(1, 10, 2)])
    theirs = apply_rotary_pos_emb(
        q[..., halves], k[..., halves], angles.cos()[None], angles.sin()[None]
    )
    ours = stretched(made("rope"), parse_stretching("pi")).position.rotate(q, k)
    torch.testing.assert_close(ours[0] @ ours[1].mT, theirs[0] @ theirs[1].mT)


def test_biases_come_from_the_stretched_slopes():
    twin = stretched(made("alibi"), parse_stretching("slopes-pi"))
    expected = bias_by_distance(alibi_slopes(3), LONGER) * TRAIN_LENGTH / LONGER
    torch.testing.assert_close(twin.bias_by_distance(LONGER).double(), torch.from_numpy(expected))
    assert twin.position.slopes() is None
    fixed = stretched(made("alibi"), parse_stretching("slopes-pi@4")).position.slopes()
    torch.testing.assert_close(fixed.double(), torch.from_numpy(alibi_slopes(3) / 4))


def test_a_factor_of_logits_leaves_a_bias_alone():
    model = made("alibi")
    twin = stretched(model, parse_stretching("log-length"))
    assert torch.equal(twin.bias_by_distance(LONGER), model.bias_by_distance(LONGER))
    q = torch.ones(1, 3, LONGER, 10)
    factor = math.log(LONGER) / math.log(TRAIN_LENGTH)
    torch.testing.assert_close(twin.position.rotate(q, q)[0], factor * q)


@pytest.mark.parametrize("method", METHODS)
def test_training_the_stretched_model_trains_the_weights_of_the_model(method):
    model = made(method)
    twin = stretched(model, parse_stretching("as-trained"))
    twin(tokens(TRAIN_LENGTH)).square().sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    assert {id(p) for p in twin.parameters()} == {id(p) for p in model.parameters()}


def test_learned_slopes_still_learn_when_stretched():
    model = made("alibi", learned_slopes=True)
    stretched(model, parse_stretching("slopes-ntk"))(tokens(LONGER)).square().sum().backward()
    assert model.position.log_slopes.grad.abs().min() > 0


def test_a_rule_of_another_method_is_refused():
    with pytest.raises(ValueError, match="pi stretches rope, not alibi"):
        stretched(made("alibi"), parse_stretching("pi"))
