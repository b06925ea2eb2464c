import pytest

from alibi_viz.claims import experiment
from alibi_viz.claims.experiment import Experiment
from alibi_viz.evaluation import comparisons
from alibi_viz.evaluation.records import CostRecord, Record
from alibi_viz.positions import METHODS
from tests.made_up_records import made_up, made_up_stretch


def record(method, eval_length, perplexity, *, protocol="nonoverlapping", **changes):
    stride = None if protocol == "nonoverlapping" else 64
    return Record(**made_up(method, eval_length, perplexity, stride=stride, **changes))


def test_methods_are_called_in_a_sentence_what_the_registry_calls_them():
    records = [record(method, 128, 10.0 + place) for place, method in enumerate(METHODS)]
    text = experiment.at_training_length(Experiment(records))
    assert "ALiBi 10.00, sinusoidal 11.00, learned 12.00, RoPE 13.00, T5 bias 14.00" in text


def test_a_curve_is_the_mean_over_seeds_in_order_of_length():
    records = [record("alibi", 512, 11.0), record("alibi", 128, 12.5)]
    records += [record("alibi", 512, 44.0, seed=1), record("alibi", 128, 50.0, seed=1)]
    curve = Experiment(records).curve("alibi")
    assert list(curve) == [128, 512]
    # sqrt(12.5 * 50) and sqrt(11 * 44): losses are averaged.
    assert list(curve.values()) == pytest.approx([25.0, 22.0])


def test_seeds_that_were_not_measured_everywhere_do_not_bend_the_curve():
    records = [record("alibi", 128, 12.0, seed=seed) for seed in (0, 1)]
    records += [record("alibi", 512, 11.0, seed=seed) for seed in (0, 1)]
    late = record("alibi", 512, 99.0, seed=2)
    assert Experiment([*records, late]).curve("alibi") == pytest.approx({128: 12.0, 512: 11.0})
    apart = [record("alibi", 128, 12.0), record("alibi", 512, 11.0, seed=1)]
    assert Experiment(apart).curve("alibi") == pytest.approx({128: 12.0, 512: 11.0})


def test_a_mean_over_seeds_says_so():
    seeds = [record(method, 128, 12.0, seed=seed) for method in ("alibi", "t5") for seed in (0, 1)]
    assert "(means of 2 seeds)" in experiment.at_training_length(Experiment(seeds))
    assert "seeds" not in experiment.at_training_length(Experiment(seeds[:3]))
    longer = [record("alibi", 512, 11.0, seed=seed) for seed in (0, 1)]
    assert "(means of 2 seeds), goes" in experiment.growth("alibi")(Experiment(seeds + longer))


def test_a_curve_leaves_out_other_protocols_lengths_and_methods():
    others = [
        record("alibi", 128, 1.0, protocol="sliding_window"),
        record("alibi", 128, 1.0, train_length=64),
        record("rope", 128, 1.0),
    ]
    curve = Experiment([*others, record("alibi", 128, 5.0)]).curve("alibi")
    assert curve == pytest.approx({128: 5.0})


@pytest.mark.parametrize(
    "sentence",
    [
        experiment.at_training_length,
        experiment.growth("alibi"),
        experiment.both_protocols,
        experiment.half_the_length,
        experiment.nope_beside_alibi,
    ],
)
def test_nothing_is_said_where_nothing_was_measured(sentence):
    assert sentence(Experiment([])) == ""
    assert sentence(Experiment([record("alibi", 128, 5.0)])) == ""


def test_methods_are_ranked_at_the_training_length():
    records = [record("alibi", 128, 12.5), record("t5", 128, 11.0), record("t5", 512, 1.0)]
    text = experiment.at_training_length(Experiment(records))
    assert text.endswith("lowest first: T5 bias 11.00, ALiBi 12.50.")


def test_growth_is_told_with_a_sliding_window_where_that_was_measured():
    made = [record("rope", length, value) for length, value in ((128, 10.0), (256, 9.0))]
    sliding = ((64, 5.0), (128, 8.0), (256, 7.5), (2048, 30.0))
    made += [record("rope", *point, protocol="sliding_window") for point in sliding]
    assert experiment.growth("rope")(Experiment(made)).endswith(
        "nonoverlapping); with a sliding window, over fewer tokens, from 8.00 to 30.00 at 2,048, "
        "lowest 7.50 at 256."
    )


def test_growth_names_start_end_and_best_length():
    records = [record("rope", 64, 1.0), record("rope", 128, 9.0), record("rope", 192, 8.5)]
    text = experiment.growth("rope")(Experiment([*records, record("rope", 4096, 200.0)]))
    assert "from 9.00 at 128 to 200.00 at 4,096 tokens" in text
    assert "lowest: 8.50 at 192 (1.5 times" in text


def test_both_protocols_are_compared_at_lengths_that_both_have():
    sliding = {"protocol": "sliding_window"}
    records = [
        record("alibi", 128, 13.0),
        record("alibi", 512, 12.0),
        record("alibi", 4096, 11.0),
        record("alibi", 128, 11.5, **sliding),
        record("alibi", 512, 11.6, **sliding),
    ]
    text = experiment.both_protocols(Experiment([], records))
    assert "from 128 to 512 tokens" in text
    assert "13.00 to 12.00, a sliding window over the same tokens from 11.50 to 11.60" in text
    assert experiment.both_protocols(Experiment(records)) == ""


def test_half_the_length_pairs_models_at_the_longer_length():
    records = [
        record("alibi", 256, 10.0),
        record("sinusoidal", 256, 10.5, train_length=256),
        record("alibi", 128, 12.0, train_length=64),
        record("sinusoidal", 128, 11.0),
    ]
    text = experiment.half_the_length(Experiment(records))
    assert "at 128 tokens, ALiBi trained on 64 has 12.00 and sinusoidal trained on 128" in text
    assert "at 256 tokens, ALiBi trained on 128 has 10.00" in text


def test_nope_is_compared_where_alibi_was_read_too():
    records = [record("alibi", 128, 13.0), record("alibi", 512, 12.0)]
    records += [record("nope", 128, 15.0), record("nope", 512, 90.0), record("nope", 1024, 99.0)]
    text = experiment.nope_beside_alibi(Experiment(records))
    assert "15.00 at 128 to 90.00 at 512 tokens, ALiBi from 13.00 to 12.00" in text


def test_a_methods_training_speed_stands_beside_that_of_sinusoidal_positions():
    about = (250.0, 0, "two threads", "python")
    costs = [
        CostRecord("sinusoidal", "training", 128, 20_000, 1.0, *about),
        CostRecord("t5", "training", 128, 16_000, 0.8, *about),
        CostRecord("t5", "evaluation", 128, 9, 9.0, *about),
    ]
    assert experiment.training_speed("t5")(Experiment([], costs=costs)) == (
        "our T5 bias model trains on 16,000 tokens a second against sinusoidal's 20,000, 0.80 of "
        "its speed (windows of 128 tokens; two threads)."
    )
    assert experiment.training_speed("rope")(Experiment([], costs=costs)) == ""
    assert experiment.training_speed("t5")(Experiment([])) == ""


@pytest.fixture
def paired(monkeypatch):
    """Lets made-up records be compared block by block."""
    monkeypatch.setattr(comparisons, "named_stretch", made_up_stretch)


@pytest.mark.usefixtures("paired")
def test_who_is_ahead_is_said_by_the_rule():
    records = [record("alibi", 128, 10.0), record("t5", 128, 9.0), record("rope", 128, 10.05)]
    text = experiment.at_training_length(Experiment(records))
    assert text.endswith(
        "On the same blocks, ahead of ALiBi: T5 bias (−10.0 %); level with ALiBi: RoPE (+0.5 %)."
    )
    records += [record("nope", length, 12.0 * length / 128) for length in (128, 512)]
    records += [record("alibi", 512, 9.0)]
    assert experiment.nope_beside_alibi(Experiment(records)).endswith(
        "(code, not tasks); there behind ALiBi: NoPE (+433.3 %)."
    )


@pytest.mark.usefixtures("paired")
def test_half_the_length_is_judged_on_the_same_blocks():
    records = [record("alibi", 128, 12.0, train_length=64), record("sinusoidal", 128, 15.0)]
    text = experiment.half_the_length(Experiment(records))
    assert "trained on 128 has 15.00 (ahead, −20.0 %)" in text


@pytest.mark.usefixtures("paired")
def test_a_change_with_a_sliding_window_has_an_interval_and_a_word():
    made = [
        record("alibi", length, value, protocol=protocol, sample=8192, targets="sample")
        for protocol, values in (
            ("nonoverlapping", {128: 14.0, 512: 12.0}),
            ("sliding_window", {128: 12.0, 512: 11.95}),
        )
        for length, value in values.items()
    ]
    text = experiment.both_protocols(Experiment([], same_text=made))
    assert text.endswith("from 12.00 to 11.95: level, −0.4 % (−0.4 to −0.4 %).")
