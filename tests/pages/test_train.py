import json

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.jobs import texts
from alibi_viz.jobs.registry import Registry
from alibi_viz.jobs.train_request import TrainRequest, own_model_folder
from alibi_viz.paths import PROJECT
from alibi_viz.positions import METHODS
from alibi_viz.ui.train import controls as training
from tests.jobs.scenario import let_go, stand_in, until

PROSE = "Whoever reads this text reads it twice. " * 300


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Jobs of the page's own, whose command waits for a sign instead of training."""
    made = Registry(tmp_path / "jobs", program=stand_in(tmp_path))
    monkeypatch.setattr("alibi_viz.ui.show.jobs.registry", lambda: made)
    monkeypatch.setattr(texts, "TEXTS", tmp_path / "texts")
    yield made
    (tmp_path / "jobs").mkdir(exist_ok=True)
    let_go(made)
    made.close()


def page(**query):
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=30).run()
    for name, value in query.items():
        app.query_params[name] = str(value)
    return app.switch_page("pages/train.py").run()


def button(app, label):
    return next(button for button in app.button if button.label == label)


def status(app):
    return app.get("progress")[0].proto.text


def test_the_page_shows_the_command_and_what_it_costs(registry):
    app = page()
    assert not app.exception
    assert [title.value for title in app.title] == ["Train your own"]
    assert app.code[0].value == (
        "python -m alibi_viz train --position alibi --heads 8 --layers 4 --width 128 "
        "--train-length 128 --batch-size 16 --tokens 1000000 --seed 0 --max-exponent 8"
    )
    assert any("488 steps of 2,048 tokens" in caption.value for caption in app.caption)


@pytest.mark.parametrize("control", training.SIZES + training.BUDGET[:1], ids=lambda c: c.key)
def test_each_slider_works_at_both_ends(registry, control):
    # One head shares every width; few tokens keep every size within the limit of time.
    app = page(t_heads=1, t_tokens=0.1)
    for end in (control.options[0], control.options[-1]):
        app.select_slider(control.key).set_value(end).run()
        assert not app.exception
        assert app.code or "about" in app.error[0].value or "cannot share" in app.error[0].value


@pytest.mark.parametrize("exponent", [0.5, 16.0])
@pytest.mark.parametrize("slopes", ["fixed", "learned"])
def test_alibi_has_an_exponent_and_slopes(registry, exponent, slopes):
    app = page(t_exponent=exponent, t_slopes=slopes)
    assert not app.exception
    assert f"--max-exponent {exponent:g}" in app.code[0].value
    assert ("--learned-slopes" in app.code[0].value) == (slopes == "learned")


@pytest.mark.parametrize("seed", [0, 99])
def test_the_seed_goes_from_end_to_end(registry, seed):
    app = page()
    app.number_input("t_seed").set_value(seed).run()
    assert f"--seed {seed} " in app.code[0].value


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.key)
def test_only_alibi_has_controls_for_slopes(registry, method):
    app = page(method=method.label)
    assert not app.exception
    assert f"--position {method.key} " in app.code[0].value
    has_exponent = any(slider.key == "t_exponent" for slider in app.select_slider)
    assert has_exponent == (method.key == "alibi")


def test_a_size_that_cannot_be_built_says_which_can(registry):
    app = page(t_heads=12)
    assert "12 heads cannot share a width of 128" in app.error[0].value
    assert not app.code


def test_a_run_that_takes_too_long_is_refused_before_it_starts(registry):
    app = page(t_width=256, t_layers=6, t_tokens=4)
    assert "the limit here is" in app.error[0].value


def test_training_starts_can_be_cancelled_and_resumed(registry):
    app = page()
    button(app, "Train").click().run()
    job = registry.find(TrainRequest())
    until(lambda: (job.folder / "run" / "ready").exists())
    until(lambda: registry.job(job.id).state == "running")
    app.run()
    assert "Starting" in status(app)
    assert button(app, "Train").disabled
    button(app, "Cancel").click().run()
    until(lambda: registry.job(job.id).state == "cancelled")
    app.run()
    assert "Cancelled" in status(app)
    let_go(registry)
    button(app, "Resume").click().run()
    until(lambda: registry.job(job.id).state == "finished")
    app.run()
    assert "Finished" in status(app)
    assert "ready" in app.success[0].value


def test_another_visitor_who_asks_for_the_same_sees_the_same_job(registry):
    button(page(), "Train").click().run()
    other = page()
    assert button(other, "Train").disabled
    assert button(other, "Cancel")


def test_a_second_waiting_job_of_one_visitor_is_refused(registry):
    app = page()
    button(app, "Train").click().run()
    until(lambda: registry.find(TrainRequest()).state == "running")
    for seed in (1, 2):
        app.number_input("t_seed").set_value(seed).run()
        button(app, "Train").click().run()
    assert "already have a job waiting" in app.warning[0].value


def test_the_loss_curve_shows_what_was_reported(registry):
    app = page()
    button(app, "Train").click().run()
    job = registry.find(TrainRequest())
    until(lambda: (job.folder / "run" / "ready").exists())
    report = {"steps": 488, "tokens_per_second": 5000.0, "seconds_left": 61.0}
    lines = [
        {**report, "step": 20, "tokens": 40_960, "loss": 6.0, "validation_loss": None},
        {**report, "step": 40, "tokens": 81_920, "loss": 5.0, "validation_loss": 5.25},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (job.folder / "run" / "progress.jsonl").write_text(text)
    app.run()
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert [trace["name"] for trace in spec["data"]] == ["training", "validation"]
    assert "1:01 left · 5,000 tokens a second" in status(app)
    # exp(5.25) = 190.6
    assert any("5.25 nats per token, a perplexity of 190.6" in text.value for text in app.markdown)


def test_a_finished_model_is_listed_with_a_link_that_opens_it(registry):
    let_go_first = TrainRequest(position="t5", seed=3, tokens=250_000)
    registry.root.mkdir(exist_ok=True)
    let_go(registry)
    job = registry.submit(let_go_first, "someone")
    until(lambda: registry.job(job.id).state == "finished")
    own_model_folder(job.folder).mkdir()
    table = page().dataframe[0].value
    assert table["model"][0].startswith("T5 bias, own, trained on 128 tokens, 0.25 M tokens")
    query = dict(part.split("=") for part in table["open"][0].partition("?")[2].split("&"))
    opened = page(**{name: value.replace("+", " ") for name, value in query.items()})
    assert "Finished" in status(opened)


def test_a_pasted_text_is_trained_on(registry, tmp_path):
    app = page()
    app.segmented_control("train_text").set_value("your own").run()
    assert "Bring a text" in app.info[0].value
    app.text_area("train_paste").set_value("too short").run()
    assert "at least 10,000 are needed" in app.error[0].value
    app.text_area("train_paste").set_value(PROSE).run()
    assert not app.error
    (kept,) = (tmp_path / "texts").iterdir()
    assert kept.read_text() == PROSE
    assert f"--text {kept}" in app.code[0].value


def test_a_text_that_is_no_longer_chosen_leaves_the_link_and_is_found_again(registry):
    app = page()
    app.segmented_control("train_text").set_value("your own").run()
    app.text_area("train_paste").set_value(PROSE).run()
    linked, command = app.query_params["own_text"], app.code[0].value
    app.segmented_control("train_text").set_value("Python's library").run()
    assert "own_text" not in app.query_params
    assert "--text" not in app.code[0].value
    app.segmented_control("train_text").set_value("your own").run()
    assert app.query_params["own_text"] == linked
    assert app.code[0].value == command


def test_no_longer_text_than_is_kept_can_be_pasted(registry):
    app = page()
    app.segmented_control("train_text").set_value("your own").run()
    assert app.text_area("train_paste").proto.max_chars == texts.MAX_BYTES


def test_whoever_runs_the_app_can_switch_training_off(registry, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_TRAINING", "0")
    app = page()
    assert button(app, "Train").disabled
    assert "switched off on this server" in app.info[0].value
    assert app.code


def test_whoever_runs_the_app_can_switch_uploads_off(registry, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_UPLOADS", "0")
    app = page(own_text="0123456789abcdef")
    assert app.segmented_control("train_text").options == ["Python's library"]
    assert not app.get("file_uploader")
    assert app.code


def test_a_disk_that_cannot_be_written_is_said_and_breaks_nothing(registry, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("alibi_viz.jobs.registry.lock", full)
    app = page()
    assert not app.exception
    assert "cannot keep jobs: No space left on device" in app.warning[0].value
    button(app, "Train").click().run()
    assert "cannot write the job down" in app.warning[0].value + app.warning[1].value
    monkeypatch.undo()
