import json
import subprocess

import pytest

from alibi_viz.__main__ import main
from alibi_viz.evaluation.store import add_records
from alibi_viz.training import experiment
from alibi_viz.training.experiment import (
    PlannedRun,
    evaluation_commands,
    plan_runs,
    training_command,
)
from alibi_viz.training.sizes import SIZES
from alibi_viz.training.trials import Trial
from tests.made_up_trials import trial

SMALL, FULL = SIZES["small"], SIZES["full"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder in the project's place, and a sweep that knows two methods."""
    monkeypatch.setattr(Trial, "file", tmp_path / "sweep.json")
    add_records([trial(method, 0.003, factor=5.0) for method in ("alibi", "t5")])
    monkeypatch.setattr(experiment, "CHECKPOINTS", tmp_path / "checkpoints")
    monkeypatch.setattr(experiment, "RUNS", tmp_path / "runs")
    return tmp_path


def finish(run, tokens=None):
    run.checkpoint.mkdir(parents=True)
    about = {"schema": 1, "model": {}, "training": {"tokens": tokens or run.tokens}}
    (run.checkpoint / "config.json").write_text(json.dumps(about))


def test_every_method_of_a_seed_comes_before_the_next_seed():
    runs = plan_runs(["alibi", "rope"], [0, 1], FULL)
    assert [run.name for run in runs] == [
        "alibi-L512-s0",
        "rope-L512-s0",
        "alibi-L512-s1",
        "rope-L512-s1",
    ]
    assert {run.tokens for run in runs} == {FULL.tokens}


def test_the_small_size_trains_a_pair_at_two_other_lengths():
    names = [run.name for run in plan_runs(["alibi", "sinusoidal", "nope"], [3], SMALL)]
    assert names[3:] == ["alibi-L64-s3", "sinusoidal-L64-s3", "alibi-L256-s3", "sinusoidal-L256-s3"]
    assert plan_runs(["nope"], [0], SMALL)[0].name == plan_runs(["nope"], [0], SMALL)[-1].name


def test_batches_hold_as_many_tokens_at_every_training_length(project):
    for length, windows in ((64, 32), (128, 16), (256, 8)):
        command = training_command(PlannedRun("alibi", length, 0, 1000), "small", "cpu", None)
        assert command[command.index("--batch-size") + 1] == str(windows)


def test_commands_are_ones_that_the_command_line_knows(project, monkeypatch):
    seen = []
    monkeypatch.setattr("alibi_viz.training.cli.run_train", lambda args: seen.append(args) or 0)
    command = training_command(PlannedRun("t5", 128, 2, 8000), "small", "cpu", 1)
    assert main(command[3:]) == 0
    (args,) = seen
    assert (args.position, args.train_length, args.seed, args.tokens) == ("t5", 128, 2, 8000)
    assert (args.learning_rate, args.position_factor) == (0.003, 5.0)
    assert (args.device, args.threads) == ("cpu", 1)


def test_both_protocols_and_loss_by_position_are_measured(monkeypatch):
    seen = []
    for run in ("cli.run_evaluate", "by_position_cli.run_by_position"):
        monkeypatch.setattr(f"alibi_viz.evaluation.{run}", lambda args: seen.append(args) or 0)
    for command in evaluation_commands("cpu", 1):
        assert main(command[3:]) == 0
    long, sliding, same_text, by_position = seen
    assert (long.protocol, sliding.protocol) == ("nonoverlapping", "sliding_window")
    assert long.tokens == by_position.tokens == 65_536
    assert max(long.lengths) == 16_384
    assert sliding.tokens >= 8192
    assert (same_text.protocol, same_text.tokens) == ("nonoverlapping", sliding.tokens)
    assert same_text.lengths == sliding.lengths
    assert max(by_position.windows) == 4096


def test_a_run_is_done_when_its_whole_budget_is(project):
    run = PlannedRun("alibi", 128, 0, 1000)
    assert not run.is_done()
    finish(run, tokens=500)
    assert not run.is_done()
    assert PlannedRun("alibi", 128, 0, 500).is_done()


def test_only_what_is_missing_is_trained_then_all_is_measured(project, monkeypatch, capsys):
    finish(PlannedRun("alibi", 512, 0, FULL.tokens))
    commands = []

    def record(command, **options):
        commands.append(command[1:])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(experiment.subprocess, "run", record)
    words = ["experiment", "--size", "full", "--methods", "alibi", "t5", "--seeds", "0"]
    assert main(words) == 0
    assert [command[2] for command in commands] == ["train", *["evaluate"] * 3, "by-position"]
    assert "t5" in commands[0]
    assert "1 of 1: t5-L512-s0 done" in capsys.readouterr().out


def test_rates_are_tried_first_for_methods_without_a_trial(project, monkeypatch):
    commands = []

    def record(command, **options):
        commands.append(command[1:])
        return subprocess.CompletedProcess(command, 5)

    monkeypatch.setattr(experiment.subprocess, "run", record)
    words = ["experiment", "--methods", "alibi", "rope", "nope", "--seeds", "0", "--threads", "1"]
    # A sweep that fails ends it: nothing can be trained without rates.
    assert main(words) == 5
    (command,) = commands
    assert command[:5] == ["-m", "alibi_viz", "sweep", "--methods", "rope"]
    assert command[5:] == ["nope", "--device", "auto", "--threads", "1"]


def test_a_run_that_fails_is_named_and_nothing_is_measured(project, monkeypatch, capsys):
    monkeypatch.setattr(
        experiment.subprocess,
        "run",
        lambda command, **options: subprocess.CompletedProcess(command, 7),
    )
    words = ["experiment", "--size", "full", "--methods", "alibi", "--seeds", "0"]
    assert main(words) == 1
    assert "alibi-L512-s0 failed with status 7" in capsys.readouterr().out


def test_full_size_trains_on_a_cpu_for_a_few_steps(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("def f(x):\n    return x + 1\n\n" * 700)
    words = ["train", "--size", "full", "--position", "alibi", "--learning-rate", "1e-3"]
    small = ["--batch-size", "1", "--tokens", "1024", "--device", "cpu"]
    assert main([*words, *small, "--text", str(text), "--run", str(tmp_path / "run")]) == 0
    about = json.loads((tmp_path / "run/checkpoint/config.json").read_text())
    assert (about["model"]["n_layer"], about["model"]["d_model"]) == (8, 256)
    assert (about["model"]["train_length"], about["steps"]) == (512, 2)
