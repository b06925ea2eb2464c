import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors import safe_open

from alibi_viz.__main__ import main
from alibi_viz.data.prepared import tokenizer_file
from alibi_viz.data.tokenizer import load_tokenizer, tokenizer_fingerprint
from alibi_viz.inspection.loading import load_model
from alibi_viz.model.checkpoint import load_checkpoint

ROOT = Path(__file__).parents[2]
SIZES = "--train-length 8 --layers 1 --heads 2 --width 8 --batch-size 2 --threads 1 --device cpu"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("def f(x):\n    return x + 1\n\n" * 40)
    return path


def arguments(text, steps, *more):
    sizes = [*SIZES.split(), "--tokens", str(16 * steps), "--learning-rate", "0.01"]
    run = ["--run", str(text.parent / "run"), "--text", str(text)]
    return ["train", "--position", "alibi", *sizes, *run, *more]


def test_train_leaves_a_checkpoint_with_its_provenance_and_curve(text, capsys):
    assert main(arguments(text, 25, "--seed", "3", "--max-exponent", "4")) == 0
    folder = text.parent / "run" / "checkpoint"
    model, about = load_checkpoint(folder)
    assert model.config.max_exponent == 4.0
    assert (about["seed"], about["steps"], about["tokens"]) == (3, 25, 400)
    assert about["data"]["name"] == "text.txt"
    assert len(about["tokenizer"]["fingerprint"]) == 64
    curve = json.loads((folder / "curve.json").read_text())
    assert [tokens for tokens, _ in curve["train"]] == [320, 400]
    assert curve["validation"][-1][1] == pytest.approx(about["final_validation_loss"], abs=1e-5)
    assert "step 25/25" in capsys.readouterr().out


def test_prose_is_trained_on_by_its_name_and_read_with_its_own_tokenizer(tmp_path):
    sizes = [*SIZES.split(), "--tokens", "32", "--learning-rate", "0.01", "--text", "prose"]
    assert main(["train", *sizes, "--run", str(tmp_path / "run")]) == 0
    folder = tmp_path / "run" / "checkpoint"
    about = json.loads((folder / "config.json").read_text())
    prose = load_tokenizer(tokenizer_file("prose"))
    assert (about["steps"], about["data"]["name"]) == (2, "state-of-the-union")
    assert about["tokenizer"]["fingerprint"] == tokenizer_fingerprint(prose)
    text = "my fellow citizens"
    assert load_model(folder).tokenizer.encode(text).ids == prose.encode(text).ids


def test_progress_is_one_json_object_a_line(text):
    main(arguments(text, 45))
    lines = (text.parent / "run" / "progress.jsonl").read_text().splitlines()
    reports = [json.loads(line) for line in lines]
    assert [report["step"] for report in reports] == [20, 40, 45]
    assert set(reports[0]) >= {"steps", "tokens", "loss", "tokens_per_second", "seconds_left"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_the_state_and_says_how_to_go_on(text, number):
    command = [sys.executable, "-m", "alibi_viz", *arguments(text, 100_000)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        os.kill(process.pid, number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 75
    assert "the same command goes on" in errors
    with safe_open(text.parent / "run" / "state.safetensors", framework="pt") as state:
        assert json.loads(state.metadata()["progress"])["step"] >= 20


@pytest.mark.parametrize(
    ("option", "known"), [("--position", "rope"), ("--slope-rule", "geometric")]
)
def test_methods_and_rules_are_those_there_are(text, capsys, option, known):
    with pytest.raises(SystemExit):
        main(arguments(text, 5, option, "rotary"))
    error = capsys.readouterr().err
    assert "invalid choice: 'rotary'" in error
    assert known in error


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--heads", "3"], "d_model must be a multiple of n_head"),
        (["--position-factor", "0"], "position_learning_rate_factor must be positive, got 0"),
        (
            ["--position", "sinusoidal", "--sinusoid-amplitude", "0"],
            "sinusoid_amplitude must be positive, got 0",
        ),
        (["--sinusoid-amplitude", "2"], "ALiBi has no sinusoid_amplitude: it must be 1.0, got 2"),
        (["--text", "absent.txt"], "no file at absent.txt"),
        (["--train-length", "5000"], "less than one window of 5000"),
    ],
)
def test_mistakes_are_one_line_and_status_1(text, capsys, more, message):
    assert main(arguments(text, 5, "--batch-size", "1", "--tokens", "20000", *more)) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1


def test_a_method_without_a_trial_takes_a_middle_rate_and_says_so(text, capsys, monkeypatch):
    monkeypatch.setattr("alibi_viz.training.cli.is_tried", lambda method: False)
    at = arguments(text, 1).index("--learning-rate")
    assert main(arguments(text, 1)[:at] + arguments(text, 1)[at + 2 :]) == 0
    assert "no trial of alibi: learning rate 0.004" in capsys.readouterr().err
    about = json.loads((text.parent / "run" / "checkpoint" / "config.json").read_text())
    assert about["training"]["learning_rate"] == 0.004
