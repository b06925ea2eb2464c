import math

import numpy as np
import pytest
import torch

from alibi_viz.positions import build_position
from alibi_viz.positions.base import PositionConfig


def kerple(n_head=3):
    """r1 = r2 = 1 in every head."""
    position = build_position("kerple", PositionConfig(n_head=n_head))
    for parameter in position.parameters():
        parameter.data.zero_()
    return position


def reference_bias(r1, r2, length):
    """Equation 2 of the paper, with loops, in float64."""
    return [[-a * math.log(1 + b * d) for d in range(length)] for a, b in zip(r1, r2, strict=True)]


def test_bias_is_the_papers_logarithm_of_distance():
    r1, r2 = [0.5, 1.25, 3.0], [0.02, 1.0, 7.0]
    position = kerple()
    position.log_r1.data, position.log_r2.data = torch.tensor(r1).log(), torch.tensor(r2).log()
    bias = position.bias_by_distance(19).detach()
    assert bias.dtype == torch.float32
    # Float32 keeps seven digits; an exponential and a logarithm lose one.
    np.testing.assert_allclose(bias, reference_bias(r1, r2, 19), rtol=2e-6)


def test_by_hand():
    # -ln 1, -ln 2, -ln 4.
    bias = kerple(1).bias_by_distance(4)[0, [0, 1, 3]].tolist()
    assert bias == pytest.approx([0.0, -0.693147, -1.386294], abs=1e-6)


def test_start_is_drawn_as_the_authors_draw_it_and_differs_by_seed():
    with torch.no_grad():
        position, other = kerple(997), kerple(997)
        position.draw(torch.Generator().manual_seed(5))
        other.draw(torch.Generator().manual_seed(6))
    for name, highest in (("log_r1", 2.0), ("log_r2", 1.0)):
        drawn = position.get_parameter(name).exp()
        assert drawn.min() >= 0.01 * (1 - 1e-6)
        assert 0.98 * highest < drawn.max() <= highest
        # Evenly spread: the mean of 997 draws is within four standard errors of the middle.
        assert abs(drawn.mean() - highest / 2) < 4 * highest / math.sqrt(12 * 997)
        assert not torch.equal(position.get_parameter(name), other.get_parameter(name))


def test_any_step_of_training_leaves_both_numbers_above_zero():
    position = kerple()
    for parameter in position.parameters():
        parameter.data -= 50.0
    bias = position.bias_by_distance(11)
    assert torch.isfinite(bias).all()
    assert (bias <= 0).all()


def test_gradients_are_those_of_the_formula():
    position = kerple(1)
    position.bias_by_distance(8)[0, 5].backward()
    # d/d ln r1 = -ln(1 + 5), d/d ln r2 = -5 / (1 + 5) at r1 = r2 = 1.
    assert position.log_r1.grad.item() == pytest.approx(-math.log(6), rel=1e-6)
    assert position.log_r2.grad.item() == pytest.approx(-5 / 6, rel=1e-6)
