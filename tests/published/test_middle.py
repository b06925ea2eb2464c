import pytest

from alibi_viz.positions import METHODS
from alibi_viz.published.middle import middle_curves
from alibi_viz.published.references import find_by_source

TABLE_6 = {curve.model: curve for curve in middle_curves() if curve.documents == 20}


def test_table_6_as_printed_for_the_alibi_model():
    curve = TABLE_6["MPT-30B-Instruct"]
    assert curve.indices == (0, 4, 9, 14, 19)
    assert curve.accuracies == pytest.approx([0.537, 0.518, 0.522, 0.527, 0.563])
    assert (curve.position, curve.table, curve.questions) == ("alibi", "Table 6", 2655)


@pytest.mark.parametrize(
    ("model", "span"),
    [
        ("MPT-30B-Instruct", 0.045),
        ("Claude-1.3", 0.042),
        ("LongChat-13B (16K)", 0.161),
        ("GPT-3.5-Turbo", 0.220),
    ],
)
def test_spans_from_best_to_worst_place(model, span):
    assert TABLE_6[model].span == pytest.approx(span, abs=1e-9)


def test_intervals_of_2655_questions_are_about_two_points_on_either_side():
    for curve in middle_curves():
        for share, (low, high) in zip(curve.accuracies, curve.intervals, strict=True):
            assert low < share < high
            assert 0.015 < (high - low) / 2 < 0.0192
    # By hand: 0.538 -+ 1.96 sqrt(0.538 x 0.462 / 2,655).
    low, high = TABLE_6["GPT-3.5-Turbo"].intervals[2]
    assert (low, high) == pytest.approx((0.5190, 0.5569), abs=2e-4)


def test_every_model_has_as_many_places_as_its_table_has_columns():
    assert {(c.documents, len(c.indices)) for c in middle_curves()} == {(10, 3), (20, 5), (30, 7)}


def test_methods_and_sources_are_known_ones():
    for curve in middle_curves():
        assert curve.position is None or curve.position in METHODS
        assert find_by_source(curve.source)["id"] == "liu2024lost"
