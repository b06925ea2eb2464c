import math

from alibi_viz.charts.measured.here import MeasuredHereChart, MeasuredPoint
from alibi_viz.evaluation.records import Record
from tests.made_up_records import made_up


def point(model, method, eval_length, perplexity, train_length=128):
    return MeasuredPoint(model, method, 0, train_length, eval_length, math.log(perplexity), 1.5)


def test_the_sentence_compares_the_longest_windows():
    points = (
        point("a", "alibi", 128, 20.0),
        point("a", "alibi", 512, 19.0),
        point("s", "sinusoidal", 128, 25.0),
        point("s", "sinusoidal", 512, 100.0),
    )
    assert MeasuredHereChart(points).sentence() == (
        "with windows of 512 tokens ALiBi is at perplexity 19.0, 0.95 times its own with 128, and "
        "Sinusoidal is at perplexity 100.0, 4.00 times its own with 128."
    )
    first = MeasuredHereChart(points[:1]).sentence()
    assert first == "with windows of 128 tokens ALiBi is at perplexity 20.0."


def test_curves_of_different_training_lengths_say_so():
    points = (point("a", "rope", 128, 20.0, 64), point("b", "alibi", 128, 21.0))
    labels = [curve.label for curve in MeasuredHereChart(points).curves]
    assert labels == ["ALiBi (128)", "RoPE (64)"]


def test_a_record_of_a_job_becomes_a_point_of_the_chart():
    record = Record(**made_up("t5", 256, 12.5, seed=3, checkpoint="jobs/own-4f1a-t5"))
    made = MeasuredPoint.of(record)
    assert (made.model, made.method, made.seed, made.eval_length) == ("own-4f1a-t5", "t5", 3, 256)
    assert math.isclose(made.perplexity, 12.5, rel_tol=1e-6)
    assert MeasuredHereChart((made,)).curves[0].label == "T5 bias own 4f1"
