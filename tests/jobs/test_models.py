import json

import pytest

from alibi_viz.jobs.models import damaged_models, own_models, trained_models
from alibi_viz.jobs.train_request import TrainRequest, own_model_folder


def make(jobs, name, request, *, is_complete=True):
    folder = jobs / name
    own_model_folder(folder).mkdir(parents=True)
    content = {"kind": request.kind, "parameters": request.to_json()}
    (folder / "request.json").write_text(json.dumps(content))
    if is_complete:
        (own_model_folder(folder) / "config.json").write_text("{}")


def test_own_models_are_those_whose_training_is_complete(tmp_path):
    make(tmp_path, "aaaa", TrainRequest(position="rope", train_length=64))
    make(tmp_path, "bbbb", TrainRequest(), is_complete=False)
    (model,) = own_models(tmp_path)
    assert (model.name, model.origin) == ("own:aaaa", "own")
    assert model.folder == own_model_folder(tmp_path / "aaaa")
    assert (model.position, model.train_length) == ("rope", 64)
    assert model.label == "RoPE, own, trained on 64 tokens, 1 M tokens, seed 0"


def test_a_model_of_another_version_is_passed_over(tmp_path):
    make(tmp_path, "aaaa", TrainRequest())
    (tmp_path / "aaaa" / "request.json").write_text('{"kind": "train", "parameters": {"x": 1}}')
    assert own_models(tmp_path) == []


T5 = json.dumps({"model": {"position": "t5", "train_length": 128}, "seed": 4})


def bundle(tmp_path, name, content):
    folder = tmp_path / "checkpoints" / name
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(content)


def test_bundled_models_come_first(tmp_path):
    bundle(tmp_path, "t5-L128-s4", T5)
    make(tmp_path / "jobs", "aaaa", TrainRequest())
    models = trained_models(tmp_path / "jobs", tmp_path / "checkpoints")
    assert [model.name for model in models] == ["bundled:t5-L128-s4", "own:aaaa"]
    assert models[0].label == "T5 bias, trained on 128 tokens, seed 4"
    assert damaged_models(tmp_path / "checkpoints") == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"model": {"posi', "is not JSON"),
        ("{}", "describes no model of this version: 'model'"),
        ("[1]", "describes no model of this version"),
        (T5.replace("t5", "t9"), "t9"),
    ],
)
def test_a_damaged_model_is_left_out_and_the_reason_told(content, reason, tmp_path):
    bundle(tmp_path, "alibi-L128-s0", content)
    bundle(tmp_path, "t5-L128-s4", T5)
    (model,) = trained_models(tmp_path / "jobs", tmp_path / "checkpoints")
    assert model.name == "bundled:t5-L128-s4"
    (told,) = damaged_models(tmp_path / "checkpoints")
    assert told.startswith("alibi-L128-s0/config.json")
    assert reason in told
