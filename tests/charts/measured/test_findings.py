import pytest

from alibi_viz.charts.measured import findings
from alibi_viz.charts.measured.curves import (
    BundledModel,
    comparable,
    position_curves,
    same_text,
)
from alibi_viz.evaluation import comparisons
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import load_records
from tests.made_up_records import by_context, made_up, made_up_stretch
from tests.pages.measured import NONOVERLAPPING, SLIDING, records, write_results

ALL = tuple(NONOVERLAPPING)


@pytest.fixture
def said(tmp_path, monkeypatch):
    monkeypatch.setattr(comparisons, "named_stretch", made_up_stretch)

    def of(made, methods=ALL, protocol="nonoverlapping"):
        every = load_records(Record, write_results(tmp_path / "records.json", made))
        chosen, both = comparable(every), same_text(every)
        return findings.findings(chosen, both, methods, train_length=128, protocol=protocol)

    return of


def test_who_wins_at_the_training_length_comes_first(said):
    first = said(records(seeds=1))[0]
    # 12.6 / 13.3 - 1 = -5.3 %, 13.6 / 13.3 - 1 = 2.3 %; every block differs by as much.
    assert first == (
        "At the training length of 128 tokens, lowest first: T5 bias 12.60, ALiBi 13.30, RoPE "
        "13.60, NoPE 14.20, Sinusoidal 14.90, Learned 15.20. On the same blocks, ahead of ALiBi: "
        "T5 bias (−5.3 %); behind ALiBi: RoPE (+2.3 %), NoPE (+6.8 %), Sinusoidal (+12.0 %), "
        "Learned (+14.3 %)."
    )


def test_seeds_that_disagree_decide_nothing(said):
    made = [made_up("alibi", 128, 13.3, seed=seed) for seed in (0, 1)]
    made += [made_up("t5", 128, 12.6), made_up("t5", 128, 13.5, seed=1)]
    assert "undecided against ALiBi: T5 bias (−1.9 %)." in said(made)[0]


def test_what_cannot_be_paired_has_no_word(said):
    made = [made_up("alibi", 128, 13.3), made_up("t5", 128, 12.6, targets="other")]
    assert said(made)[0].endswith("lowest first: T5 bias 12.60, ALiBi 13.30.")


def test_endings_are_ratios_to_the_training_length_with_the_best_window(said):
    second = said(records(seeds=1))[1]
    # 12.2 / 13.3 = 0.917, 13.8 / 12.6 = 1.095, 189.6 / 13.6 = 13.94.
    assert "ALiBi 0.92× at 4,096 tokens (lowest at 4,096)" in second
    assert "T5 bias 1.10× at 4,096 tokens (lowest at 512)" in second
    assert second.index("ALiBi") < second.index("T5 bias") < second.index("RoPE")
    assert "Learned" not in second


def test_the_lowest_window_is_looked_for_from_the_training_length_on(said):
    made = [
        made_up("rope", length, value) for length, value in ((64, 9.0), (128, 10.0), (256, 11.0))
    ]
    assert "RoPE 1.10× at 256 tokens (lowest at 128)" in said(made)[0]


def test_the_early_token_curse_is_named_where_the_sliding_window_is_flat(said):
    third = said([*records(seeds=1), *on_sample()])[2]
    # 12.25 / 13.3 - 1 = -7.9 %, 12.25 / 12.3 - 1 = -0.4 %; every block differs by as much.
    assert "by −7.9 % (−7.9 to −7.9 %) in nonoverlapping windows and by −0.4 %" in third
    assert "level once every token has context" in third
    assert third.endswith("a long window has a smaller share of them.)")


def on_sample():
    """ALiBi in nonoverlapping windows on the tokens that a sliding window scores."""
    about = {"tokens_scored": 8192, "targets": "sample", "sample": 8192}
    return [
        made_up("alibi", length, value, **about)
        for length, value in NONOVERLAPPING["alibi"].items()
    ]


def test_a_gain_that_stays_with_a_sliding_window_is_not_explained_away(said):
    made = [*records(seeds=1, sliding=False), *on_sample()]
    made += [
        made_up("alibi", length, value, stride=32)
        for length, value in (SLIDING["alibi"] | {2048: 11.0}).items()
    ]
    third = said(made)[2]
    assert "by −10.6 % (−10.6 to −10.6 %) with a sliding window over the same tokens." in third
    assert "curse" not in third


def test_only_chosen_methods_are_compared(said):
    sentences = said(records(seeds=1), methods=("rope", "t5"))
    assert "ALiBi" not in " ".join(sentences)
    assert "T5 bias 12.60, RoPE 13.60." in sentences[0]
    assert len(sentences) == 2


@pytest.mark.parametrize("made", [[], [made_up("alibi", 64, 14.0)], [made_up("alibi", 128, 14.0)]])
def test_too_little_to_compare_is_silence(said, made):
    assert said(made) == []


def test_flattening_is_the_largest_fall_over_the_last_tenth():
    def model(method, *points):
        about = {"model": {"position": method, "train_length": 128}}
        return BundledModel(f"{method}-L128-s0", about, points)

    models = [
        model("alibi", (2_000_000, 3.0), (9_000_000, 2.61), (10_000_000, 2.60)),
        model("rope", (2_000_000, 3.2), (9_000_000, 2.80), (10_000_000, 2.75)),
    ]
    text = findings.flattening(models)
    # 1 - exp(-0.05) = 4.9 %.
    assert "last 1 million training tokens" in text
    assert "at most 0.050 nats per token (RoPE), which is 4.9 % of the perplexity" in text
    assert findings.flattening([]) == ""


def positioned(method, eval_length, nll, **changes):
    bands = by_context(eval_length, nll)
    return Record(**made_up(method, eval_length, 11.0, bands=bands, train_length=16, **changes))


def test_what_context_is_worth_is_told_by_position():
    # e^4 = 54.6, e^2.5 = 12.2, e^2.4 = 11.0 and e^2.6 = 13.5; e^-0.5 = 0.61 and e^2.1 = 8.17.
    def alibi(last):
        return {1: 4.0, 32: 2.6, 23: 2.5}.get(last, 2.5 if last <= 16 else 2.4)

    def rope(last):
        return {1: 4.1, 16: 2.0}.get(last, 2.5 if last < 16 else 4.5)

    made = [
        positioned("alibi", 64, alibi),
        positioned("rope", 64, rope),
        positioned("learned", 16, lambda last: 2.6),
    ]
    curves = position_curves(made, train_length=16)
    assert [curve.ends for curve in curves] == ["", "its table ends here", ""]
    text = findings.by_position(curves, 16)
    # The band from 12 to 16 stands at sqrt(12 * 16) = 13.9.
    assert "of context ALiBi's perplexity is 55; with about 14 it is 12.2; beyond the" in text
    assert "training length it stays between 11.0 and 13.5. Every" in text
    assert text.endswith("of the window, perplexity goes: RoPE from 0.61× to 8.17×.")
    assert findings.by_position(curves[1:], 16) == ""
    short = findings.by_position(curves[:1], 64)
    assert "with about 54 it is 11.0. Every" in short
    assert short.endswith("are the text's.")


def test_seeds_are_averaged_by_position_and_short_windows_count_first():
    made = [
        positioned("nope", 2, lambda last: 0.0),
        positioned("nope", 2, lambda last: 1.0, seed=1),
        positioned("nope", 4, lambda last: 7.0),
        positioned("nope", 4, lambda last: 7.0, seed=1),
    ]
    (curve,) = position_curves(made, train_length=16)
    # Losses 0 and 1 are averaged: e^0.5. Only contexts 3 and 4 are from the windows of four.
    assert curve.mean.tolist() == pytest.approx([1.6487213] * 2 + [1096.6332] * 2)
    assert (curve.low[0], curve.high[0], curve.n_seed[0]) == (1.0, pytest.approx(2.7182818), 2)


def test_a_gain_that_is_mostly_early_tokens_is_told_apart_from_a_flat_curve(said):
    about = {"tokens_scored": 8192, "targets": "sample", "sample": 8192}
    made = [
        made_up("alibi", length, value, **about) for length, value in ((128, 13.6), (2048, 11.6))
    ]
    made += [
        made_up("alibi", length, value, stride=32) for length, value in ((128, 10.4), (2048, 10.15))
    ]
    text = said(made)[-1]
    # 11.6 / 13.6 - 1 = -14.7 %, 10.15 / 10.4 - 1 = -2.4 %.
    assert "by −14.7 % (−14.7 to −14.7 %) in nonoverlapping windows and by −2.4 %" in text
    assert "most of the fall is gone once every token has context" in text
    assert "level" not in text
