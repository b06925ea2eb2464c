import json

import pytest

from alibi_viz.evaluation.store import add_records
from alibi_viz.jobs.cost import RECALL_ASKED, RECALL_STEP
from alibi_viz.jobs.progress import (
    EvaluationProgress,
    evaluation_progress,
    measured_points,
    recall_points,
    recall_progress,
    training_progress,
)
from alibi_viz.jobs.train_request import own_model_folder
from alibi_viz.retrieval.plan import RECALL_LENGTHS
from alibi_viz.retrieval.records import RecallRecord
from tests.made_up_records import made_up


def report(step, loss, validation=None):
    return {
        "step": step,
        "steps": 100,
        "tokens": step * 2048,
        "loss": loss,
        "validation_loss": validation,
        "tokens_per_second": 5000.0,
        "seconds_left": 9.5,
    }


def write(folder, reports, ending=""):
    (folder / "run").mkdir()
    lines = "".join(json.dumps(each) + "\n" for each in reports)
    (folder / "run" / "progress.jsonl").write_text(lines + ending)


def test_a_run_that_has_not_begun_is_at_zero(tmp_path):
    progress = training_progress(tmp_path)
    assert (progress.fraction, progress.train_curve, progress.seconds_left) == (0.0, (), None)


def test_curves_hold_every_report_and_each_validation_once(tmp_path):
    write(tmp_path, [report(20, 5.0), report(40, 4.0, 4.5), report(60, 3.5, 4.5)])
    progress = training_progress(tmp_path)
    assert progress.fraction == 0.6
    assert progress.train_curve == ((40_960, 5.0), (81_920, 4.0), (122_880, 3.5))
    assert progress.validation_curve == ((81_920, 4.5),)
    assert (progress.tokens_per_second, progress.seconds_left) == (5000.0, 9.5)


def test_steps_that_were_repeated_after_a_kill_count_once(tmp_path):
    write(tmp_path, [report(20, 5.0), report(40, 4.0), report(60, 3.5), report(40, 4.25)])
    assert training_progress(tmp_path).train_curve == ((40_960, 5.0), (81_920, 4.25))


def test_a_line_that_is_being_written_is_left_for_later(tmp_path):
    write(tmp_path, [report(20, 5.0)], ending='{"step": 40, "st')
    assert training_progress(tmp_path).fraction == 0.2


def test_the_curve_of_a_finished_model_is_the_one_stored_with_it(tmp_path):
    write(tmp_path, [report(100, 3.0, 3.25)])
    own_model_folder(tmp_path).mkdir()
    curve = {"train": [[2048, 5.5]], "validation": [[204_800, 3.125]]}
    (own_model_folder(tmp_path) / "curve.json").write_text(json.dumps(curve))
    progress = training_progress(tmp_path)
    assert progress.train_curve == ((2048, 5.5),)
    assert progress.validation_curve == ((204_800, 3.125),)


def asked(length):
    return RecallRecord("alibi", 0, "as-trained", length, 16, (8, 12), (1,) * 8, (4,) * 8, "")


def test_a_recall_model_is_trained_first_and_then_asked_at_a_price_that_grows(tmp_path):
    assert recall_progress(tmp_path, 100) == EvaluationProgress(0.0, None, "")
    write(tmp_path, [report(40, 1.75)])
    training = recall_progress(tmp_path, 100)
    whole = 100 * RECALL_STEP + RECALL_ASKED
    assert training.fraction == pytest.approx(40 * RECALL_STEP / whole)
    assert training.measuring == "loss 1.75 nats per question"
    # 2,048 tokens a step at 5,000 a second: what is left, in steps.
    steps_left = (whole - 40 * RECALL_STEP) / RECALL_STEP
    assert training.seconds_left == pytest.approx(steps_left * 2048 / 5000)
    (tmp_path / "run" / "progress.jsonl").write_text(json.dumps(report(100, 0.5)) + "\n")
    add_records([asked(length) for length in (256, 128)], tmp_path / "recall.json")
    asking = recall_progress(tmp_path, 100)
    share = (128 + 256) / sum(RECALL_LENGTHS)
    assert asking.fraction == pytest.approx((100 * RECALL_STEP + share * RECALL_ASKED) / whole)
    assert asking.measuring == "asking it in ever longer windows"
    add_records([asked(length) for length in RECALL_LENGTHS], tmp_path / "recall.json")
    assert recall_progress(tmp_path, 100).fraction == pytest.approx(1.0)
    assert recall_progress(tmp_path, 100).seconds_left == pytest.approx(0.0)
    assert [point.eval_length for point in recall_points(tmp_path)] == list(RECALL_LENGTHS)


def record(eval_length, checkpoint="b"):
    return made_up("alibi", eval_length, 12.0, checkpoint=checkpoint)


def test_points_come_as_they_are_measured(tmp_path):
    assert measured_points(tmp_path / "records.json") == ()
    records = [record(256), record(64), record(64, "a")]
    (tmp_path / "records.json").write_text(json.dumps({"schema": 2, "records": records}))
    points = measured_points(tmp_path / "records.json")
    assert [(point.checkpoint, point.eval_length) for point in points] == [
        *(("a", 64), ("b", 64), ("b", 256))
    ]


def test_a_damaged_results_file_is_named(tmp_path):
    (tmp_path / "records.json").write_text('{"schema": 2, "records": [{"method": "alibi"}]}')
    with pytest.raises(ValueError, match=r"records\.json, record 0 must have exactly the fields"):
        measured_points(tmp_path / "records.json")


def test_time_left_counts_from_where_this_attempt_began(tmp_path):
    fractions = [0.1, 0.6, 0.5, 0.75]
    lines = [json.dumps({"fraction": each, "point": "b, 64 tokens"}) for each in fractions]
    (tmp_path / "evaluation.jsonl").write_text("\n".join(lines) + "\n")
    progress = evaluation_progress(tmp_path, elapsed=10.0)
    assert progress.fraction == 0.75
    # A quarter took ten seconds, and a quarter is left.
    assert progress.seconds_left == pytest.approx(10.0)
    assert progress.measuring == "b, 64 tokens"
