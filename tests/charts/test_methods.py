"""The charts of where position enters: what their words and numbers say."""

import math
import re

import numpy as np
import pytest

from alibi_viz.charts.methods.pipeline import PipelineChart, WorkedExampleChart, example
from alibi_viz.charts.methods.precision import DistinctChart, RoundedWeightsChart
from alibi_viz.charts.methods.stretching import ABOUT, EQUATIONS, StretchingChart
from alibi_viz.charts.methods.variants import VariantCurvesChart, VariantMatrixChart
from alibi_viz.charts.methods.views import EffectChart, LogitMapChart, NoveltyChart, side_by_side
from alibi_viz.positions.stretch import RULES


@pytest.mark.parametrize("method", ["alibi", "t5"])
def test_a_bias_says_nothing_of_keys_in_the_future(method):
    chart = WorkedExampleChart(method, head=2)
    added = chart.panels[1].values
    future = np.triu(np.ones((6, 6), dtype=bool), 1)
    assert np.array_equal(np.isnan(added), future)
    np.testing.assert_array_equal(added[~future], example(method).added[1][~future])
    rows = chart.table()
    # Two heads, 21 pairs of a query and a key up to it.
    assert (rows["stage"] == "change by position, nats").sum() == 2 * 21
    assert rows["value"].notna().all()


@pytest.mark.parametrize("method", ["sinusoidal", "rope"])
def test_what_acts_earlier_changes_all_logits(method):
    assert np.isfinite(WorkedExampleChart(method).panels[1].values).all()


def test_the_diagram_says_in_words_where_a_method_acts():
    assert PipelineChart("rope").alt().endswith("RoPE acts on queries and keys.")
    table = PipelineChart("rope").table()
    assert table[table["position acts here"]]["step"].tolist() == ["query, key, value"]
    assert "<" not in "".join(table["formula"])
    assert not PipelineChart("nope").table()["position acts here"].any()


def test_the_views_of_a_bias_hold_its_numbers():
    chart = EffectChart("alibi", 16, 2)
    assert chart.table()["head 3, nats"].tolist() == [-d / 8 for d in range(32)]
    assert "between −15.5 and 0 nats; the distance alone decides it" in chart.sentence()
    assert LogitMapChart("alibi", 16, 2).state()["head"] == "3"
    assert "head" not in LogitMapChart("rope", 16, 2).state()
    table = NoveltyChart("alibi", 16, 2).table()
    assert table["met in the input, penalty, nats"].tolist() == [31 / 2**h for h in range(1, 9)]


def test_two_methods_are_told_apart_by_what_is_new_to_them():
    pair = EffectChart("alibi", 16, 4), EffectChart("t5", 128, 4, "right")
    assert side_by_side(*pair).startswith("to **ALiBi**, biases lower than any in training")
    assert side_by_side(*pair).endswith("to **T5 bias**, nothing is new: the last bucket takes "
                                        "them all.")  # fmt: skip
    same = EffectChart("rope", 16, 1)
    assert "nothing is new to any method" in side_by_side(same, same)


def test_nothing_can_be_new_to_no_position():
    with pytest.raises(ValueError, match="nothing can be new to NoPE"):
        NoveltyChart("nope")


def test_a_divided_slope_is_told_beside_the_plain_one():
    # Slope 1/8 at distance 64: 8 nats; a quarter of that is 2.
    text = VariantCurvesChart("interpolated").sentence()
    assert text.startswith(
        "with its slope divided by 4, head 3 (slope 1/8) has a bias of −2 nats at the far end, "
        "plain ALiBi −8; the own token's weight goes from "
    )
    plain, own = map(float, re.findall(r"0\.\d{3}", text))
    assert plain == pytest.approx(1 - 2.718281828**-0.125, abs=2e-3)
    assert own < plain / 2


def test_a_slope_that_is_not_divided_is_said_to_be_plain():
    text = VariantCurvesChart("interpolated", stretch=1).sentence()
    assert text == "head 3 (slope 1/8) has plain ALiBi's bias, −8 nats at the far end."


def test_sandwich_is_said_to_rise_where_it_does():
    def sandwich(distance):
        return sum(math.cos(distance / 10000 ** (k / 64)) for k in range(64)) / 3

    bias = [sandwich(d) - sandwich(0) for d in range(65)]
    rises = sum(bias[d + 1] > bias[d] for d in range(64))
    lowest = min(range(65), key=lambda d: bias[d])
    said = VariantCurvesChart("Sandwich").sentence()
    assert f"rises in {rises} of the 64 steps back" in said
    assert f"−{-bias[lowest]:.3g} at {lowest} tokens back" in said
    assert f"head has −{lowest / 8:.3g}." in said
    assert "falls throughout" in VariantCurvesChart("Sandwich", 8).sentence()


def test_the_corners_of_a_map_are_masked_where_a_head_does_not_see():
    assert "first key: −2.88 nats; first query to last key: masked" in (
        VariantMatrixChart("causal").sentence()
    )
    assert VariantMatrixChart("symmetric").sentence().count("−2.88 nats") == 2


def test_what_rounding_leaves_is_counted_by_head():
    table = DistinctChart(8, 512, 3).table()
    # Slope 1/8: 512 multiples of it; bfloat16 keeps 8 bits: all 257 up to 32, then every second.
    row = table[(table["head"] == 3) & (table["type"] == "bfloat16")].iloc[0]
    assert row["different biases"] == 257 + 128
    weights = RoundedWeightsChart(8, 512, 3).table()
    assert list(weights.columns) == [
        "distance, tokens", "weight, exact", "weight, bfloat16", "weight, float16",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (PipelineChart, {"stage": "logit"}, "stage must be one of embedding; q, k, v; .*'logit'"),
        (PipelineChart, {"position": "rotary"}, "unknown position method 'rotary'"),
        (WorkedExampleChart, {"head": 3}, "head must be 1 or 2, got 3"),
        (VariantCurvesChart, {"variant": "FIRE"}, "variant must be one of causal, .*'FIRE'"),
        (VariantMatrixChart, {"head": 9}, "head must be from 1 to 8, got 9"),
        (DistinctChart, {"head": 33}, "head must be from 1 to 32, got 33"),
    ],
)
def test_what_there_is_not_is_refused(kind, fields, message):
    with pytest.raises(ValueError, match=message):
        kind(**fields)


def test_interpolation_turns_every_pair_as_far_as_training_did():
    table = StretchingChart("pi", 4).table()
    np.testing.assert_allclose(
        table["stretched, turns at 512 tokens"], table["turns within 128 tokens"], rtol=1e-12
    )
    # By hand: 10000^(-2k/16) radians a token, of which 512 tokens make 512 times as many.
    by_hand = [512 * 10_000 ** (-k / 8) / (2 * math.pi) for k in range(8)]
    np.testing.assert_allclose(table["as trained, turns at 512 tokens"], by_hand, rtol=1e-12)
    # Three pairs have been all the way around within 128 tokens: 20, 6.4 and 2.04 times.
    assert table["nothing new as trained"].tolist() == [True] * 3 + [False] * 5
    assert table["nothing new stretched"].all()


def test_the_two_ramps_of_yarn_treat_the_fastest_pair_otherwise():
    paper, coded = (StretchingChart(key).table() for key in ("yarn", "yarn-coded"))
    kept = "stretched, share of as trained"
    # 20.37 turns lie within the paper's ramp from 1 to 32, before the code's.
    assert paper[kept][0] == pytest.approx(1 - 3 / 4 * (32 - 20.371833) / 31, rel=1e-6)
    assert coded[kept].tolist() == pytest.approx([1, 0.75, 0.5, *[0.25] * 5], rel=1e-12)
    assert "Content logits are multiplied by 1.30." in StretchingChart("yarn").sentence()


def test_slopes_are_stretched_in_nats():
    table = StretchingChart("slopes-ntk", 4).table()
    ends = table["stretched, nats at 512 tokens"].tolist()
    assert [ends[0], ends[-1]] == pytest.approx([256, 512 / 256 / 4])
    told = StretchingChart("slopes-pi", 4).sentence()
    assert "8 of 8 heads give no lower penalty than in training; as trained it would be 0" in told
    assert "changes nothing" in StretchingChart("slopes-pi", 1).sentence()
    assert (
        "keeps 100% of its slope, the flattest 0%" in StretchingChart("flattest-freed").sentence()
    )


def test_every_stretching_has_its_formula_and_its_notation_explained():
    assert set(EQUATIONS) == set(ABOUT) == set(RULES)
    with pytest.raises(ValueError, match="rule must be one of pi, ntk"):
        StretchingChart("longrope")
    with pytest.raises(ValueError, match="times must be at least 1, got 0"):
        StretchingChart("pi", 0)
