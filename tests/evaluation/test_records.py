import dataclasses
import json
import math
import threading

import numpy as np
import pytest

from alibi_viz.evaluation.perplexity import Score
from alibi_viz.evaluation.records import Record, describe_corpus, score_fields
from alibi_viz.evaluation.store import add_records, load_records
from tests.made_up_records import made_up


def record(**changes):
    return Record(**made_up("alibi", 64, math.exp(2.0)) | changes)


def test_round_trip_keeps_every_field(tmp_path):
    path = tmp_path / "results.json"
    sliding = record(protocol="sliding_window", stride=32)
    add_records([record(), sliding], path)
    assert load_records(Record, path) == [record(), sliding]


def test_file_has_the_schema_of_the_design(tmp_path):
    path = tmp_path / "results.json"
    add_records([record()], path)
    content = json.loads(path.read_text())
    assert content["schema"] == 2
    assert (
        list(content["records"][0])
        == (
            "method variant seed train_length text sample eval_length protocol stride "
            "tokens_scored nll perplexity bits_per_byte blocks bands checkpoint corpus targets "
            "command"
        ).split()
    )


def test_a_repeated_measurement_replaces_and_others_stay(tmp_path):
    path = tmp_path / "results.json"
    add_records([record(), record(seed=1)], path)
    better = record(nll=1.0, perplexity=math.e)
    add_records([better], path)
    assert load_records(Record, path) == [better, record(seed=1)]


def test_records_are_sorted_by_run_protocol_and_length(tmp_path):
    path = tmp_path / "results.json"
    add_records([record(eval_length=length) for length in (512, 64, 4096, 128)], path)
    assert [r.eval_length for r in load_records(Record, path)] == [64, 128, 512, 4096]


def write_some(path, seed):
    for length in range(1, 8):
        add_records([record(seed=seed, eval_length=length)], path)


def test_writers_at_the_same_time_lose_nothing(tmp_path):
    path = tmp_path / "results.json"
    # A lock belongs to an open file: threads wait for each other as processes do.
    writers = [threading.Thread(target=write_some, args=(path, seed)) for seed in range(5)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(load_records(Record, path)) == 35


def test_a_file_that_cannot_be_read_is_left_as_it_is(tmp_path):
    path = tmp_path / "results.json"
    path.write_text('{"schema": 2, "records": [')
    with pytest.raises(ValueError, match=r"results\.json is not JSON"):
        add_records([record()], path)
    assert path.read_text() == '{"schema": 2, "records": ['


def test_another_schema_is_refused(tmp_path):
    path = tmp_path / "results.json"
    path.write_text('{"schema": 7, "records": []}')
    with pytest.raises(ValueError, match="has schema 7, this version reads 2"):
        load_records(Record, path)


def test_unknown_and_missing_fields_are_refused(tmp_path):
    path = tmp_path / "results.json"
    fields = dataclasses.asdict(record())
    del fields["nll"]
    path.write_text(json.dumps({"schema": 2, "records": [fields]}))
    with pytest.raises(ValueError, match="record 0 must have exactly the fields method, variant"):
        load_records(Record, path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "rotary"}, "unknown position method 'rotary'"),
        ({"protocol": "strided"}, "protocol must be one of"),
        ({"stride": 32}, "nonoverlapping cannot have stride 32"),
        ({"protocol": "sliding_window"}, "sliding_window cannot have stride None"),
        ({"eval_length": 0}, "eval_length must be a whole number of at least 1, got 0"),
        ({"nll": math.inf}, "nll must be finite"),
        (
            {"protocol": "sliding_window", "stride": 2, "bands": [[1, 2.0]]},
            "sliding_window has no bands of context",
        ),
        ({"perplexity": 7.0}, r"perplexity 7\.0 is not exp\(nll\)"),
    ],
)
def test_a_record_that_cannot_be_true_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        record(**changes)


def test_scores_become_fields_that_agree_with_each_other():
    blocks = np.array([2.0, 2.5, 3.25])
    fields = score_fields(Score(nll=2.123456789, tokens_scored=10, bytes_scored=20), blocks)
    assert record(**fields).block_losses.tolist() == [2.0, 2.5, 3.25]
    assert fields["nll"] == 2.1234568
    assert record(**fields).perplexity == pytest.approx(math.exp(2.1234568), rel=1e-8)
    assert fields["bits_per_byte"] == pytest.approx(2.1234568 / 2 / math.log(2), rel=1e-6)


def test_a_corpus_is_told_in_one_line():
    about = {"name": "python-stdlib", "version": "3.11.7", "fingerprint": "ab"}
    assert describe_corpus(about) == "python-stdlib 3.11.7 sha256:ab"
    assert describe_corpus({**about, "version": ""}) == "python-stdlib sha256:ab"
