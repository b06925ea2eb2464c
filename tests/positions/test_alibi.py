import numpy as np
import pytest
import torch

from alibi_viz.positions import build_position
from alibi_viz.positions.base import PositionConfig


def alibi(n_head=8, **settings):
    return build_position("alibi", PositionConfig(n_head=n_head, train_length=7, **settings))


def test_bias_of_eight_heads_is_the_papers():
    bias = alibi().bias_by_distance(4)
    assert bias[0].tolist() == [0.0, -0.5, -1.0, -1.5]
    assert bias[7].tolist() == [0.0, -1 / 256, -2 / 256, -3 / 256]


def test_exponent_and_rule_decide_the_slopes():
    assert alibi(4, max_exponent=4.0).bias_by_distance(2)[:, 1].tolist() == [
        -0.5,
        -0.25,
        -0.125,
        -0.0625,
    ]
    interleaved = alibi(6, slope_rule="interleaved").bias_by_distance(2)[:, 1]
    expected = [-0.25, -0.0625, -0.015625, -0.00390625, -0.5, -0.125]
    assert interleaved.tolist() == expected


def test_slopes_stay_exact_when_the_module_is_cast_to_half_precision():
    position = alibi(32).half()
    expected = 2.0 ** (-8 * np.arange(1, 33) / 32)
    assert position.slopes().dtype == torch.float32
    np.testing.assert_allclose(position.slopes().numpy(), expected, rtol=1e-7)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_learned_slopes_are_not_rounded_with_the_rest_of_a_model(dtype):
    position = alibi(12, learned_slopes=True)
    before = position.slopes().clone()
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), position).to(dtype)
    assert model[0].weight.dtype == dtype
    assert torch.equal(position.slopes(), before)
    position.double()
    assert position.get_parameter("log_slopes").dtype == torch.float64


def test_fixed_slopes_have_no_gradient_and_learned_ones_do():
    assert not alibi().bias_by_distance(3).requires_grad
    learned = alibi(learned_slopes=True)
    learned.bias_by_distance(3).sum().backward()
    # d/dlog(m) of -m (0 + 1 + 2) is -3 m.
    expected = -3 * 2.0 ** -torch.arange(1.0, 9.0)
    torch.testing.assert_close(learned.log_slopes.grad, expected)


def test_learned_slopes_start_at_the_published_ones():
    torch.testing.assert_close(
        alibi(learned_slopes=True).bias_by_distance(11), alibi().bias_by_distance(11)
    )


def test_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="rule"):
        alibi(slope_rule="sorted")


def test_free_heads_have_no_bias_at_any_distance():
    bias = alibi(6, max_exponent=4.0, free_heads=4).bias_by_distance(3)
    assert bias[:, 2].tolist() == [-2 * 2.0**-2, -2 * 2.0**-4, 0.0, 0.0, 0.0, 0.0]
