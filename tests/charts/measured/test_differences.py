"""Differences to one method, and what the exponent does, over made-up records."""

import pytest

from alibi_viz.charts.measured.differences import DifferenceChart
from alibi_viz.charts.measured.exponent import ExponentChart, exponent_of
from alibi_viz.charts.measured.perplexity import PerplexityChart
from alibi_viz.evaluation import comparisons
from alibi_viz.evaluation.records import Record
from tests.made_up_records import encoded, made_up, made_up_stretch
from tests.pages.measured import NONOVERLAPPING, records, write_results


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Puts made-up records in the place of the committed ones."""
    monkeypatch.setattr(comparisons, "named_stretch", made_up_stretch)

    def write(made, name="records"):
        monkeypatch.setattr(Record, "file", write_results(tmp_path / f"{name}.json", made))

    return write


def variant(name, length, perplexity, *, seed=0):
    checkpoint = f"assets/checkpoints/alibi-{name}-L128-s{seed}"
    return made_up("alibi", length, perplexity, seed=seed, variant=name, checkpoint=checkpoint)


def test_every_method_is_drawn_as_a_ratio_and_the_reference_at_one(measured):
    measured(records())
    chart = DifferenceChart(("alibi", "t5", "learned"))
    curves = {curve.label: curve for curve in chart.curves}
    assert set(curves) == {"ALiBi", "T5 bias", "Learned"}
    assert set(curves["ALiBi"].mean) == {1.0}
    assert curves["T5 bias"].at(128) == pytest.approx(12.6 / 13.3)
    assert curves["Learned"].ends == "its table ends here"
    row = chart.table().query("method == 'T5 bias' and `evaluation window, tokens` == 128")
    assert row["difference of perplexity, %"].item() == pytest.approx(-5.263, abs=1e-3)
    assert (row["word"].item(), row["seeds"].item(), row["seeds that agree"].item()) == (
        "ahead", 2, 2
    )  # fmt: skip


def test_the_sentence_follows_the_rule_for_words(measured):
    # T5 bias is 0.5 % behind at 2,048 tokens: level. NoPE's seeds disagree.
    made = [made_up("alibi", 2048, 10.0, seed=seed) for seed in (0, 1)]
    made += [made_up("t5", 2048, 10.05, seed=seed) for seed in (0, 1)]
    made += [made_up("nope", 2048, 9.0), made_up("nope", 2048, 10.5, seed=1)]
    made += [made_up("rope", 2048, 90.0, seed=seed) for seed in (0, 1)]
    measured(made)
    assert DifferenceChart().sentence() == (
        "With windows of 2,048 tokens, behind ALiBi: RoPE (+800.0 %); level with ALiBi: T5 bias "
        "(+0.5 %); undecided against ALiBi: NoPE (−2.8 %)."
    )


def test_a_block_that_is_hard_for_one_widens_the_interval_and_opens_the_mark(measured):
    hard = made_up("t5", 128, 13.0) | {"blocks": encoded([2.5, 2.5, 2.5, 3.1])}
    measured([made_up("alibi", 128, 13.0), hard, made_up("nope", 128, 14.0)])
    figure = DifferenceChart().figure()
    symbols = {t.name: t.marker.symbol for t in figure.data if t.marker.symbol}
    assert symbols["T5 bias"][0].endswith("-open")
    assert not symbols["NoPE"][0].endswith("-open")
    (t5,) = (trace for trace in figure.data if trace.name == "T5 bias")
    assert t5.error_y.array[0] > 0
    assert t5.customdata[0].endswith("undecided")


def test_what_cannot_be_paired_is_not_drawn(measured):
    measured([made_up("alibi", 128, 13.0), made_up("t5", 128, 12.0, targets="another text")])
    assert DifferenceChart().curves == []
    assert DifferenceChart(reference="learned").curves == []


def test_both_protocols_stand_on_one_axis_on_the_same_tokens(measured):
    about = {"tokens_scored": 8192, "targets": "sample", "sample": 8192}
    same = [made_up("alibi", n, value, **about) for n, value in NONOVERLAPPING["alibi"].items()]
    measured([*records(seeds=1), *same])
    both = PerplexityChart(("alibi", "rope"), both=True)
    assert [curve.label for curve in both.curves] == ["ALiBi", "ALiBi, sliding"]
    assert {record.tokens_scored for record in both.records} == {8192}
    ranges = [
        PerplexityChart(("alibi",), protocol=protocol, on_sample=True).figure().layout.yaxis.range
        for protocol in ("nonoverlapping", "sliding_window")
    ]
    assert ranges[0] == ranges[1] == both.figure().layout.yaxis.range


def test_exponents_are_read_from_variants_that_differ_in_that_alone():
    assert [exponent_of(name) for name in ("", "e16", "e0.5")] == [8.0, 16.0, 0.5]
    assert [exponent_of(name) for name in ("free4", "learned", "h4", "h4-e16")] == [None] * 4


def test_a_chart_of_exponents_is_whole_as_soon_as_records_are_there(measured):
    usual = [
        made_up("alibi", n, value, seed=seed)
        for n, value in ((128, 13.0), (512, 12.5), (2048, 12.4))
        for seed in (0, 1)
    ]
    measured(usual, "usual")
    assert ExponentChart().exponents == [8.0]
    assert ExponentChart().sentence() == "no exponent but 8 has been trained yet."
    measured(
        [
            *usual,
            *(variant("e4", n, v) for n, v in ((128, 13.65), (512, 12.5), (2048, 12.4))),
            *(variant("e16", n, v) for n, v in ((128, 13.0), (512, 12.0), (2048, 11.0))),
            variant("learned", 128, 5.0),
        ]
    )
    chart = ExponentChart(present=5.0)
    assert chart.exponents == [4.0, 8.0, 16.0]
    assert [curve.length for curve in chart.curves] == [128, 512, 2048]
    # Only seed 0 has all exponents.
    assert set(chart.table()["seeds"].dropna()) == {1}
    assert chart.sentence().startswith(
        "no model has exponent 5; exponent 4 is behind exponent 8: +5.0 % perplexity (95 % "
        "interval +5.0 to +5.0 %, 1 of 1 seeds), with windows of 128 tokens; exponent 4 and "
        "exponent 8 are level"
    )
    assert ExponentChart().sentence() == (
        "With windows of 128 tokens, behind exponent 8: exponent 4 (+5.0 %); level with exponent "
        "8: exponent 16 (+0.0 %). With windows of 512 tokens, ahead of exponent 8: exponent 16 "
        "(−4.0 %); level with exponent 8: exponent 4 (+0.0 %). With windows of 2,048 tokens, ahead "
        "of exponent 8: exponent 16 (−11.3 %); level with exponent 8: exponent 4 (+0.0 %). Models "
        "of 8 heads, trained on 128 tokens; 1 seed."
    )
    assert "2,048 tokens at exponent 16" in chart.alt()
    assert any("now 5" in note.text for note in chart.figure().layout.annotations)
