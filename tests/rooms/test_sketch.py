import math

import pytest

from alibi_viz.evaluation.records import Record
from alibi_viz.rooms import sketch
from alibi_viz.rooms.sketch import MULTIPLES, SketchQuestion
from tests.made_up_records import made_up


def measured(method, by_length):
    return [Record(**made_up(method, *point)) for point in by_length.items()]


@pytest.fixture
def rope(monkeypatch):
    """Perplexity 16 at the training length, 32 at twice and 128 at four times that."""
    records = measured("rope", {128: 16.0, 256: 32.0, 512: 128.0})
    monkeypatch.setattr(sketch, "load_records", lambda kind: records)
    return SketchQuestion("rope")


def test_the_line_stands_at_half_octaves_up_to_32_training_lengths():
    assert MULTIPLES[1::2] == (2.0, 4.0, 8.0, 16.0, 32.0)
    assert MULTIPLES[0] == pytest.approx(math.sqrt(2))


def test_the_measured_line_is_perplexity_over_that_of_the_training_length(rope):
    line = rope.answer()
    assert (line[1], line[3]) == pytest.approx((1.0, 3.0))
    assert [place for place, height in enumerate(line) if height == height] == [1, 3]


def test_a_line_is_right_within_half_an_octave_of_every_measured_point(rope):
    close = [0.0, 0.51, 0.0, 3.49, *[0.0] * 6]
    assert rope.check(tuple(close)).right
    close[3] = 3.51
    verdict = rope.check(tuple(close))
    assert not verdict.right
    assert "a factor of 1.4" in verdict.feedback


def test_the_answer_in_words_is_the_end_of_the_line(rope):
    assert rope.answer_text() == "Measured: at 512 tokens, 8 times the perplexity at 128"


def test_a_method_without_longer_windows_says_so(monkeypatch):
    monkeypatch.setattr(sketch, "load_records", lambda kind: measured("learned", {128: 16.0}))
    question = SketchQuestion("learned")
    assert "can be measured" in question.answer_text()
    assert not question.check((0.0,) * 10).right


def test_a_method_that_was_not_measured_is_named(monkeypatch):
    monkeypatch.setattr(sketch, "load_records", lambda kind: [])
    with pytest.raises(ValueError, match="rope was not measured at 128 tokens"):
        SketchQuestion("rope").answer()
