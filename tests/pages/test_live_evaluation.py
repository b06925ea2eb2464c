import json

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES
from alibi_viz.evaluation.score import PROTOCOLS
from alibi_viz.jobs import limits, texts
from alibi_viz.jobs.evaluate_request import EvaluateRequest
from alibi_viz.jobs.models import damaged_models, own_models
from alibi_viz.jobs.registry import Registry
from alibi_viz.jobs.requests import request_key
from alibi_viz.jobs.store import JobFolder, Status
from alibi_viz.jobs.train_request import TrainRequest, own_model_folder
from tests.jobs.scenario import stand_in
from tests.made_up_records import made_up

OWN = "own:aaaa"


def script():
    from alibi_viz.ui.extrapolation.live import live_evaluation

    live_evaluation()


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A server on which somebody trained one model; its commands end at once, with an error."""
    made = Registry(tmp_path / "jobs", program=stand_in(tmp_path))
    request = TrainRequest(train_length=64)
    model = own_model_folder(made.root / "aaaa")
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    content = {"kind": "train", "parameters": request.to_json()}
    (made.root / "aaaa" / "request.json").write_text(json.dumps(content))
    monkeypatch.setattr("alibi_viz.ui.show.jobs.registry", lambda: made)
    monkeypatch.setattr("alibi_viz.ui.extrapolation.live.trained_models", own_models)
    monkeypatch.setattr(texts, "TEXTS", tmp_path / "texts")
    yield made
    made.close()


def page():
    app = AppTest.from_function(script, default_timeout=30)
    app.session_state["command_open"] = True
    return app.run()


def button(app, label):
    return next(button for button in app.button if button.label == label)


def point(checkpoint, method, eval_length, perplexity, train_length=64):
    named = {"train_length": train_length, "checkpoint": checkpoint, "corpus": "prose"}
    return made_up(method, eval_length, perplexity, **named, bits_per_byte=1.25)


def finish(registry, request, records):
    """Writes down an evaluation that ended before this server began."""
    folder = JobFolder(registry.root / request_key(request))
    folder.path.mkdir(parents=True)
    content = {"kind": request.kind, "parameters": request.to_json()}
    folder.request.write_text(json.dumps(content))
    folder.write_status(Status("finished", submitted=1.0, started=2.0, ended=65.0))
    (folder.path / "records.json").write_text(json.dumps({"schema": 2, "records": records}))


def test_the_command_measures_the_chosen_model_at_the_chosen_lengths(registry):
    app = page()
    assert not app.exception
    command = app.code[0].value
    assert "own-aaaa --lengths 128 512 2048 --protocol nonoverlapping --tokens 32768" in command
    app.segmented_control("live_protocol").set_value("sliding window").run()
    assert "--protocol sliding_window --tokens 4096" in app.code[0].value


@pytest.mark.parametrize("length", [limits.EVAL_LENGTHS[0], limits.EVAL_LENGTHS[-1]])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_lengths_work_from_end_to_end(registry, length, protocol):
    app = page()
    app.segmented_control("live_protocol").set_value(PROTOCOL_NAMES[protocol])
    app.pills("live_lengths").set_value([str(length)]).run()
    assert not app.exception
    if protocol == "sliding_window" and length > limits.SLIDING_LENGTHS[-1]:
        assert app.info[0].value == "Choose a length of 2,048 tokens or less for a sliding window."
        assert not app.code
    else:
        assert f"--lengths {length} " in app.code[0].value


def test_the_command_is_made_when_it_is_asked_for(registry):
    """What colours code is half a megabyte that most visitors never need."""
    assert not AppTest.from_function(script, default_timeout=30).run().code


def test_nothing_chosen_says_what_is_missing(registry):
    app = page()
    app.multiselect("live_models").set_value([]).run()
    assert "at least one model" in app.info[0].value
    app = page()
    app.pills("live_lengths").set_value([]).run()
    assert "one length" in app.info[0].value


def test_lengths_that_a_sliding_window_leaves_out_are_named(registry):
    app = page()
    app.segmented_control("live_protocol").set_value("sliding window")
    app.pills("live_lengths").set_value(["128", "16384"]).run()
    assert "not measured at 16,384 tokens" in app.caption[-1].value
    assert "--lengths 128 " in app.code[0].value


def test_a_damaged_model_is_told_and_the_others_can_be_measured(registry, tmp_path, monkeypatch):
    (tmp_path / "checkpoints" / "rope").mkdir(parents=True)
    (tmp_path / "checkpoints" / "rope" / "config.json").write_text("{}")
    reasons = damaged_models(tmp_path / "checkpoints")
    monkeypatch.setattr("alibi_viz.ui.show.results.damaged_models", lambda: reasons)
    app = page()
    assert not app.exception
    assert "rope/config.json" in app.warning[0].value
    assert app.code


def test_results_of_an_earlier_server_are_there_at_once(registry):
    records = [point("x/own-aaaa", "alibi", 128, 20.0), point("x/own-aaaa", "alibi", 512, 19.0)]
    finish(registry, EvaluateRequest((OWN,), (128, 512, 2048)), records)
    app = page()
    assert "Finished** after 1:03" in app.get("progress")[0].proto.text
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    (line,) = [trace for trace in spec["data"] if trace["name"].startswith("ALiBi")]
    assert line["name"] == "ALiBi own aaa"
    app.session_state["live_open"] = True
    table = app.run().dataframe[0].value
    assert table["perplexity"].tolist() == pytest.approx([20.0, 19.0], rel=1e-6)
    assert any("at perplexity 19.0" in text.value for text in app.markdown)


def test_a_failed_evaluation_says_why_and_can_be_tried_again(registry):
    app = page()
    button(app, "Measure").click().run()
    job = registry.find(EvaluateRequest((OWN,), (128, 512, 2048)))
    while registry.job(job.id).is_active:
        app.run()
    app.run()
    assert "Failed" in app.get("progress")[0].proto.text
    assert button(app, "Try again")


def test_the_hub_is_offered_only_where_it_is_switched_on(registry, monkeypatch):
    monkeypatch.delenv("ALIBI_VIZ_HUB", raising=False)
    assert "a data set of the hub" not in page().segmented_control("live_text").options
    monkeypatch.setenv("ALIBI_VIZ_HUB", "1")
    app = page()
    app.segmented_control("live_text").set_value("a data set of the hub").run()
    assert "text.txt" in app.code[0].value
    app.text_input("live_hub").set_value("no such/../name").run()
    assert "no data set's name" in app.error[0].value
