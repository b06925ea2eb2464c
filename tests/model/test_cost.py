import pytest

from alibi_viz.model.config import ModelConfig
from alibi_viz.model.cost import model_operations, position_cost
from alibi_viz.positions import METHODS

LENGTH = 5
SIZES = {"n_layer": 3, "n_head": 2, "d_model": 8, "vocab_size": 11, "train_length": 7}
# Pairs of a query and a key up to it: 1 + 2 + 3 + 4 + 5.
PAIRS = 15


@pytest.mark.parametrize(
    ("method", "parameters", "operations"),
    [
        ("alibi", 0, 3 * 2 * PAIRS),
        ("sinusoidal", 0, LENGTH * 8),
        ("learned", 7 * 8, LENGTH * 8),
        ("rope", 0, 3 * 2 * LENGTH * 4 * 6),
        ("t5", 32 * 2, 3 * 2 * PAIRS),
        ("kerple", 2 * 2, 3 * 2 * PAIRS),
        ("nope", 0, 0),
    ],
)
def test_costs_by_hand(method, parameters, operations):
    cost = position_cost(ModelConfig(method, **SIZES), LENGTH)
    assert (cost.parameters, cost.operations) == (parameters, operations)


def test_the_model_alone_by_hand():
    # Per layer 12 * 64 * 5 projections and 2 * 8 * 15 of attention; 5 * 8 * 11 for the vocabulary.
    multiply_adds = 3 * (12 * 64 * 5 + 2 * 8 * PAIRS) + 5 * 8 * 11
    assert model_operations(ModelConfig(**SIZES), LENGTH) == 2 * multiply_adds


def test_the_share_is_of_the_model_without_position():
    config = ModelConfig("alibi", **SIZES)
    cost = position_cost(config, LENGTH)
    assert cost.share == cost.operations / model_operations(config, LENGTH)


def test_every_method_has_a_cost():
    for method in METHODS:
        assert position_cost(ModelConfig(method), 128).share < 0.01
