"""Stretched frequencies and slopes against the papers' formulas and against `transformers`."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.maths.slopes import alibi_slopes, interpolated_slopes
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import RULES, Stretching, parse_stretching

# Heads of our models, of Llama 2, and one that fits nothing.
SHAPES = [(16, 128, 4.0), (128, 4096, 16.0), (26, 1021, 7.0)]


def reference_frequencies(key, d, train_length, s, b=10_000.0):
    """The papers' formulas pair by pair, in the wavelengths and bases that they write."""
    if key == "ntk":
        b = b * s ** (d / (d - 2))
    if key == "dynamic-ntk":
        b = b * (2 * s - 1) ** (d / (d - 2))
    stretched = []
    for pair in range(d // 2):
        theta = b ** (-2 * pair / d)
        r = train_length / (2 * math.pi / theta)
        gamma = 0.0 if r < 1 else 1.0 if r > 32 else (r - 1) / (32 - 1)
        if key == "pi":
            theta = theta / s
        if key in ("by-parts", "yarn"):
            theta = (1 - gamma) * theta / s + gamma * theta
        stretched.append(theta)
    return stretched


def theirs(kind, d, train_length, s):
    """Frequencies and the factor of cosines and sines, by `transformers`."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    parameters = {"rope_theta": 10_000.0, "original_max_position_embeddings": train_length}
    config = SimpleNamespace(
        hidden_size=d,
        num_attention_heads=1,
        head_dim=d,
        max_position_embeddings=train_length,
        rope_parameters={**parameters, "factor": 2.0 if kind == "dynamic" else s},
        standardize_rope_params=lambda: None,
    )
    length = round(s * train_length)
    frequencies, factor = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), seq_len=length)
    return frequencies.double().numpy(), factor


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", ["pi", "ntk", "dynamic-ntk", "by-parts", "yarn"])
def test_frequencies_are_the_papers(key, shape):
    d, train_length, s = shape
    ours = RULES[key].stretch(pair_frequencies(d), s, train_length)
    np.testing.assert_allclose(ours, reference_frequencies(key, *shape), rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("key", "kind"),
    [("pi", "linear"), ("dynamic-ntk", "dynamic"), ("yarn-coded", "yarn")],
)
def test_frequencies_are_those_of_transformers(key, kind, shape):
    d, train_length, s = shape
    ours = RULES[key].stretch(pair_frequencies(d), s, train_length)
    np.testing.assert_allclose(ours, theirs(kind, *shape)[0], rtol=1e-6)


def test_the_papers_ramp_squeezes_a_pair_that_the_code_leaves_alone():
    own = pair_frequencies(16)
    paper, code = (RULES[key].stretch(own, 4.0, 128) for key in ("by-parts", "by-parts-coded"))
    # 20.37 turns of the fastest pair are less than 32; by the code pair 0 is before the ramp.
    assert paper[0] == pytest.approx(1 - (1 - 19.3718 / 31) * 3 / 4, rel=1e-5)
    assert code[0] == 1
    # The code's ramp ends at pair 3, from which on all are interpolated.
    np.testing.assert_allclose(own[3:] / code[3:], 4, rtol=1e-12)


def test_ntk_keeps_the_first_pair_and_divides_the_last_by_the_scale():
    own = pair_frequencies(22)
    stretched = RULES["ntk"].stretch(own, 5.0, 128)
    assert stretched[0] == own[0]
    assert own[-1] / stretched[-1] == pytest.approx(5, rel=1e-12)


def test_pairs_that_never_go_round_are_interpolated_and_fast_ones_left_alone():
    own = pair_frequencies(128)
    turns = 4096 * own / (2 * math.pi)
    stretched = RULES["by-parts"].stretch(own, 16.0, 4096)
    assert np.array_equal(stretched[turns > 32], own[turns > 32])
    np.testing.assert_allclose(stretched[turns < 1], own[turns < 1] / 16, rtol=1e-15)
    # As the survey of the sources counts them for Llama 2: 18 of 64 pairs never go round.
    assert (turns < 1).sum() == 18


def test_yarns_factor_is_the_square_of_what_transformers_multiplies_cosines_by():
    factor = parse_stretching("yarn-coded").logit_factor(4096 * 16, 4096)
    assert factor == pytest.approx(theirs("yarn", 128, 4096, 16.0)[1] ** 2, rel=1e-12)
    assert factor == pytest.approx((0.1 * math.log(16) + 1) ** 2, rel=1e-15)


def test_log_length_is_one_up_to_the_training_length_and_two_at_its_square():
    factor = parse_stretching("log-length").logit_factor
    assert [factor(length, 128) for length in (5, 128, 128 * 128)] == [1, 1, 2]


def test_stretched_slopes_by_hand():
    slopes = alibi_slopes(3, 3.0)  # 1/2, 1/4, 1/8
    stretch = {key: rule.stretch for key, rule in RULES.items() if rule.method == "alibi"}
    assert stretch["slopes-pi"](slopes, 4.0, 7).tolist() == [1 / 8, 1 / 16, 1 / 32]
    assert stretch["slopes-ntk"](slopes, 4.0, 7).tolist() == [1 / 2, 1 / 8, 1 / 32]
    assert stretch["flattest-freed"](slopes, 1.0, 7).tolist() == [1 / 2, 0, 0]
    assert (
        stretch["slopes-pi"](slopes, 4.0, 7).tolist()
        == interpolated_slopes(slopes, 128, 512).tolist()
    )


def test_uneven_slopes_follow_the_rank_not_the_order():
    slopes = alibi_slopes(6, rule="interleaved")
    stretched = RULES["slopes-ntk"].stretch(torch.from_numpy(slopes), 8.0, 128)
    steepest, flattest = slopes.argmax(), slopes.argmin()
    assert stretched[steepest] == slopes[steepest]
    assert stretched[flattest].item() == pytest.approx(slopes[flattest] / 8, rel=1e-15)
    assert stretched.argsort().tolist() == slopes.argsort().tolist()


@pytest.mark.parametrize("key", [key for key, rule in RULES.items() if rule.depends_on_scale])
def test_windows_that_are_not_longer_are_left_as_they_were(key):
    own = pair_frequencies(16) if RULES[key].method == "rope" else alibi_slopes(8)
    stretching = Stretching(RULES[key])
    assert stretching.numbers(own, 128, 128) is own
    assert stretching.numbers(own, 5, 128) is own
    assert stretching.logit_factor(128, 128) == 1
    assert (stretching.numbers(own, 129, 128) < own)[-1]


def test_every_rule_stretches_a_method_that_there_is():
    assert all(rule.method in METHODS and rule.key == key for key, rule in RULES.items())


@pytest.mark.parametrize(
    "name",
    ["as-trained", "pi", "ntk@4", "log-length", "flattest-freed", "yarn-coded@2.5+log-length"],
)
def test_names_are_read_as_they_are_written(name):
    assert parse_stretching(name).name == name


def test_a_fixed_scale_holds_in_every_window():
    stretching = parse_stretching("yarn@4")
    assert [stretching.scale_at(length, 128) for length in (5, 128, 2048)] == [4, 4, 4]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("longrope", "stretching must be one of as-trained, pi, .*got 'longrope'"),
        ("pi+yarn", "stretching must be one of .*got 'pi\\+yarn'"),
        ("pi@x", "the scale after @ must be a number, got 'pi@x'"),
        ("pi@0.5", "scale must be finite and at least 1, got 0.5"),
        ("dynamic-ntk@4", "dynamic-ntk takes no fixed scale, got 4"),
    ],
)
def test_what_is_no_stretching_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        parse_stretching(name)


def test_one_pair_or_head_cannot_be_first_and_last():
    with pytest.raises(ValueError, match="at least 2 pairs, got 1"):
        RULES["ntk"].stretch(pair_frequencies(2), 4.0, 128)
    with pytest.raises(ValueError, match="at least 2 heads, got 1"):
        RULES["slopes-ntk"].stretch(alibi_slopes(1), 4.0, 128)
