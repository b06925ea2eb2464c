import pytest

from alibi_viz.model.config import ModelConfig


def test_d_head_is_the_width_of_one_head():
    assert ModelConfig(d_model=35, n_head=5).d_head == 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"position": "rotary"}, "unknown position method 'rotary'"),
        ({"n_layer": 0}, "n_layer must be a whole number of at least 1, got 0"),
        ({"train_length": 2.5}, "train_length must be a whole number of at least 1, got 2.5"),
        ({"d_model": 10, "n_head": 3}, "d_model must be a multiple of n_head, got d_model 10"),
        ({"position": "rope", "d_model": 9, "n_head": 3}, "d_head must be even, not 3"),
        ({"position": "sinusoidal", "d_model": 9, "n_head": 3}, "d_model must be even, not 9"),
        (
            {"position": "nope", "learned_slopes": True},
            "NoPE has no learned_slopes",
        ),
        ({"learned_slopes": True, "free_heads": 2}, "a slope of 0 has no logarithm to learn"),
        ({"max_exponent": -1.0}, "-1"),
        ({"slope_rule": "sorted"}, "sorted"),
    ],
)
def test_sizes_that_cannot_be_built_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        ModelConfig(**settings)


@pytest.mark.parametrize(
    ("settings", "variant"),
    [
        ({}, ""),
        ({"position": "rope", "train_length": 64, "vocab_size": 7}, ""),
        ({"max_exponent": 16.0}, "e16"),
        ({"max_exponent": 0.5, "free_heads": 4}, "e0.5-free4"),
        ({"learned_slopes": True}, "learned"),
        ({"n_head": 16, "slope_rule": "interleaved"}, "h16"),
        ({"n_head": 12, "d_model": 192}, "h12-geometric-d192"),
        ({"n_head": 12, "d_model": 192, "slope_rule": "interleaved"}, "h12-interleaved-d192"),
        ({"position": "nope", "n_head": 12, "d_model": 96, "n_layer": 2}, "h12-d96-l2"),
    ],
)
def test_what_differs_from_the_bundled_models_has_a_word(settings, variant):
    assert ModelConfig(**settings).variant == variant
