"""What lies in a folder of jobs may be anything: one bad entry hides no other."""

import json
import os

import pytest

from alibi_viz.jobs.models import own_models
from alibi_viz.jobs.store import Status
from alibi_viz.jobs.train_request import TrainRequest
from tests.jobs.scenario import let_go, start, until

TRAINED = {"kind": "train", "parameters": TrainRequest().to_json()}
FINISHED = {"state": "finished", "submitted": 1.0}
MEASURED = {"checkpoints": ["bundled:a"], "lengths": [64], "text": 5}


def entry(status=FINISHED, request=TRAINED):
    return {"status.json": json.dumps(status), "request.json": json.dumps(request)}


def evaluation(**given):
    return entry(request={"kind": "evaluate", "parameters": {**MEASURED, **given}})


DAMAGED = {
    "no_text": {**entry(), "status.json": b"\xff\xfe"},
    "empty": {**entry(), "status.json": ""},
    "a list": entry(status=[1]),
    "deep": {**entry(), "status.json": "[" * 100_000},
    "long": {**entry(), "status.json": '{"state": "queued", "submitted": ' + "9" * 5000 + "}"},
    "time_is_text": entry(status={**FINISHED, "submitted": "yesterday"}),
    "time_is_none": entry(status={**FINISHED, "submitted": None}),
    "time_is_no_number": {**entry(), "status.json": '{"state": "queued", "submitted": NaN}'},
    "time_is_endless": entry(status={**FINISHED, "submitted": 10**400}),
    "state_is_a_list": entry(status={**FINISHED, "state": []}),
    "words_are_none": entry(status={**FINISHED, "message": None}),
    "more": entry(status={**FINISHED, "more": 1}),
    "request_is_a_list": entry(request=[]),
    "kind_is_a_list": entry(request={"kind": ["train"], "parameters": {}}),
    "parameters_are_text": entry(request={"kind": "train", "parameters": "all"}),
    "heads_are_text": entry(request={"kind": "train", "parameters": {"heads": "8"}}),
    "method_is_a_list": entry(request={"kind": "train", "parameters": {"position": [1]}}),
    "text_is_a_number": entry(request={"kind": "train", "parameters": {"text": 5}}),
    "measured_text_is_a_number": evaluation(),
    "checkpoint_is_a_number": evaluation(checkpoints=[5], text="library"),
    "length_is_a_list": evaluation(lengths=[[64]], text="library"),
}


@pytest.fixture
def folder(registry):
    """The registry's folder, with an entry of each damage, and some that are no files at all."""
    root = registry.root
    for name, files in DAMAGED.items():
        (root / name).mkdir(parents=True)
        for file, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (root / name / file).write_bytes(data)
    (root / "status_is_a_folder" / "status.json").mkdir(parents=True)
    locked = root / "lock_is_a_folder"
    (locked / ".lock").mkdir(parents=True)
    for file, content in entry(status={"state": "running", "submitted": 1.0}).items():
        (locked / file).write_text(content)
    return root


def test_one_bad_entry_hides_no_other_job_and_keeps_none_from_running(registry, folder):
    job = start(registry)
    # A lock that cannot be held is a job that nobody works on; all others are left out.
    assert {found.id for found in registry.jobs()} == {job.id, "lock_is_a_folder"}
    assert registry.jobs_before(job) == 0
    let_go(registry)
    until(lambda: registry.job(job.id).state == "finished")


def test_a_model_under_a_name_that_is_no_text_hides_no_other(tmp_path):
    for name in (b"caf\xe9", b"good"):
        job = tmp_path / os.fsdecode(name)
        (job / f"own-{job.name}").mkdir(parents=True)
        (job / f"own-{job.name}" / "config.json").write_text("{}")
        (job / "request.json").write_text(json.dumps(TRAINED))
    assert [model.name for model in own_models(tmp_path)] == ["own:good"]


@pytest.mark.parametrize("when", ["now", None, float("nan"), float("inf"), -1, True, 10**400])
def test_a_status_says_when_in_seconds(when):
    with pytest.raises(ValueError, match=r"times are seconds|lacks when"):
        Status("queued", when)
