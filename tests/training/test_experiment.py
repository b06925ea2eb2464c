import json
import subprocess
from dataclasses import replace

import pytest

from alibi_viz.__main__ import main
from alibi_viz.evaluation.store import add_records
from alibi_viz.model.config import ModelConfig
from alibi_viz.training import cli, experiment, plan
from alibi_viz.training.experiment import evaluation_commands, training_command
from alibi_viz.training.plan import PlannedRun, plan_runs
from alibi_viz.training.sizes import SIZES
from alibi_viz.training.trials import Trial
from tests.made_up_trials import trial

SMALL, FULL = SIZES["small"], SIZES["full"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder in the project's place, and a sweep that knows two methods."""
    monkeypatch.setattr(Trial, "file", tmp_path / "sweep.json")
    add_records([trial(method, 0.003, factor=5.0) for method in ("alibi", "t5")])
    monkeypatch.setattr(plan, "CHECKPOINTS", tmp_path / "checkpoints")
    monkeypatch.setattr(experiment, "RUNS", tmp_path / "runs")
    return tmp_path


def finish(run, tokens=None):
    run.checkpoint.mkdir(parents=True)
    about = {"schema": 1, "model": {}, "training": {"tokens": tokens or run.tokens}}
    (run.checkpoint / "config.json").write_text(json.dumps(about))


def planned(tokens=1000, seed=0, text="code", **settings):
    return PlannedRun(ModelConfig(**settings), seed, tokens, text)


def test_every_method_of_a_seed_comes_before_the_next_seed():
    runs = plan_runs(["alibi", "rope"], ["code"], FULL, [0, 1])
    assert [run.name for run in runs] == [
        "alibi-d256-l8-L512-s0",
        "rope-d256-l8-L512-s0",
        "alibi-d256-l8-L512-s1",
        "rope-d256-l8-L512-s1",
    ]
    assert {run.tokens for run in runs} == {FULL.tokens}
    assert not any(run.is_variant for run in runs)


def test_the_small_size_trains_a_pair_at_two_other_lengths():
    runs = plan_runs(["alibi", "sinusoidal", "nope"], ["code"], SMALL, [1])
    names = [run.name for run in runs if not run.is_variant]
    assert names[3:] == ["alibi-L64-s1", "sinusoidal-L64-s1", "alibi-L256-s1", "sinusoidal-L256-s1"]
    assert [run.name for run in plan_runs(["nope"], ["code"], SMALL, [0])] == ["nope-L128-s0"]


def test_slopes_are_varied_with_every_seed_and_heads_with_one():
    names = [run.name for run in plan_runs(["alibi"], ["code"], SMALL) if run.is_variant]
    kinds = ["e16", "e4", "e2", "e32", "free4", "learned"]
    assert names[:18] == [f"alibi-{kind}-L128-s{seed}" for seed in (0, 1, 2) for kind in kinds]
    heads = ["h1", "h2", "h4", "h16", "h12-geometric-d192", "h12-interleaved-d192"]
    assert names[18:] == [f"alibi-{kind}-L128-s0" for kind in heads]


def test_close_methods_have_five_seeds_on_both_texts_and_others_three():
    runs = plan_runs(["alibi", "t5", "rope"], ["code", "prose"], SMALL)
    seeds = {}
    for run in runs:
        if not run.is_variant and run.model.train_length == 128:
            seeds.setdefault((run.text, run.model.position), []).append(run.seed)
    assert seeds == {
        (text, method): [0, 1, 2] if method == "rope" else [0, 1, 2, 3, 4]
        for text in ("code", "prose")
        for method in ("alibi", "t5", "rope")
    }
    assert len({run.name for run in runs}) == len(runs)
    assert sum(run.text == "prose" for run in runs if run.is_variant) == 0


def test_batches_hold_as_many_tokens_at_every_training_length(project):
    for length, windows in ((64, 32), (128, 16), (256, 8)):
        command = training_command(planned(train_length=length), "small", "cpu", None)
        assert command[command.index("--batch-size") + 1] == str(windows)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"position": "t5"},
        {"max_exponent": 16.0},
        {"free_heads": 4},
        {"learned_slopes": True},
        {"n_head": 12, "d_model": 192, "slope_rule": "interleaved"},
    ],
)
def test_commands_train_what_is_planned(project, monkeypatch, settings):
    seen = []
    monkeypatch.setattr("alibi_viz.training.cli.run_train", lambda args: seen.append(args) or 0)
    run = planned(8000, 2, "prose", **settings)
    assert main(training_command(run, "small", "cpu", 1)[3:]) == 0
    (args,) = seen
    cli._fill_in(args)
    assert cli.asked_model(args) == run.model
    assert (args.text, args.seed, args.tokens) == ("prose", 2, 8000)
    factor = 10.0 if settings.get("learned_slopes") else 5.0
    assert (args.learning_rate, args.position_factor) == (0.003, factor)
    assert (args.device, args.threads) == ("cpu", 1)


def test_both_protocols_measure_what_is_finished(project, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "alibi_viz.evaluation.cli.run_evaluate", lambda args: seen.append(args) or 0
    )
    runs = [
        planned(),
        planned(train_length=64),
        replace(planned(max_exponent=16.0), is_variant=True),
        planned(seed=1),
    ]
    for run in runs[:3]:
        finish(run)
    for command in evaluation_commands(runs, "cpu", 1):
        assert main(command[3:]) == 0
    asked = [(a.protocol, max(a.lengths), [folder.name for folder in a.checkpoints]) for a in seen]
    names = ["alibi-L128-s0"], ["alibi-L64-s0"], ["alibi-e16-L128-s0"]
    assert asked == [
        *(("nonoverlapping", 4096, names[0]), ("sliding_window", 2048, names[0])),
        *(("nonoverlapping", 512, names[1]), ("sliding_window", 512, names[1])),
        *(("nonoverlapping", 4096, names[2]), ("sliding_window", 2048, names[2])),
    ]
    assert all(a.tokens is None and a.text is None for a in seen)


def test_a_run_is_done_when_its_whole_budget_is(project):
    run = planned()
    assert not run.is_done()
    finish(run, tokens=500)
    assert not run.is_done()
    assert planned(500).is_done()


def test_only_what_is_missing_is_trained_then_all_is_measured(project, monkeypatch, capsys):
    (alibi,) = plan_runs(["alibi"], ["code"], FULL, [0])
    finish(alibi)
    commands = []

    def record(command, **options):
        commands.append(command[1:])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(experiment.subprocess, "run", record)
    words = [
        "experiment",
        "--size",
        "full",
        "--texts",
        "code",
        "--methods",
        "alibi",
        "t5",
        "--seeds",
        "0",
    ]
    assert main(words) == 0
    assert [command[2] for command in commands] == ["train", *["evaluate"] * 2]
    assert "t5" in commands[0]
    assert "1 of 1: t5-d256-l8-L512-s0 done" in capsys.readouterr().out


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
    words = [
        "experiment",
        "--size",
        "full",
        "--texts",
        "code",
        "--methods",
        "alibi",
        "--seeds",
        "0",
    ]
    assert main(words) == 1
    assert "alibi-d256-l8-L512-s0 failed with status 7" in capsys.readouterr().out


def test_full_size_trains_on_a_cpu_for_a_few_steps(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("def f(x):\n    return x + 1\n\n" * 700)
    words = ["train", "--size", "full", "--position", "alibi", "--learning-rate", "1e-3"]
    small = ["--batch-size", "1", "--tokens", "1024", "--device", "cpu"]
    assert main([*words, *small, "--text", str(text), "--run", str(tmp_path / "run")]) == 0
    about = json.loads((tmp_path / "run/checkpoint/config.json").read_text())
    assert (about["model"]["n_layer"], about["model"]["d_model"]) == (8, 256)
    assert (about["model"]["train_length"], about["steps"]) == (512, 2)
