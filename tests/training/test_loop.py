import dataclasses

import numpy as np
import pytest
import torch

from alibi_viz.files import lock
from alibi_viz.training.loop import train

CPU = torch.device("cpu")


def stop_after(steps):
    """Returns a `should_stop` that says yes once it was asked that often."""
    asked = []

    def should_stop():
        asked.append(1)
        return len(asked) == steps

    return should_stop


def parameters(run):
    return dict(run.model.named_parameters())


@pytest.mark.parametrize("position", ["alibi", "t5", "learned"])
def test_a_stopped_run_ends_like_an_unbroken_one(position, tiny, prepared, tmp_path):
    config = tiny(position, position_learning_rate_factor=3.0)
    unbroken = train(config, prepared, tmp_path / "unbroken", device=CPU)
    for steps in (1, 10, 12):
        broken = train(
            config, prepared, tmp_path / "broken", device=CPU, should_stop=stop_after(steps)
        )
        assert not broken.is_finished
    resumed = train(config, prepared, tmp_path / "broken", device=CPU)
    assert resumed.is_finished
    for name, parameter in parameters(unbroken).items():
        assert torch.equal(parameter, parameters(resumed)[name]), name
    assert resumed.progress.train_curve == unbroken.progress.train_curve
    assert resumed.progress.validation_curve == unbroken.progress.validation_curve


def test_counting_is_learned(tiny, prepared, tmp_path):
    run = train(tiny(tokens=150 * 35, learning_rate=0.03), prepared, tmp_path, device=CPU)
    first, last = run.progress.train_curve[0][1], run.progress.validation_curve[-1][1]
    assert first > 1.0
    assert last < 0.1


def test_curves_end_at_the_last_step_and_reports_count_tokens(tiny, prepared, tmp_path):
    reports = []
    config = tiny(validation_points=3)
    run = train(config, prepared, tmp_path, device=CPU, on_report=reports.append)
    assert [step for step, _ in run.progress.train_curve] == [20, 30]
    assert [step for step, _ in run.progress.validation_curve] == [10, 20, 30]
    assert [report.tokens for report in reports] == [700, 1050]
    assert reports[-1].seconds_left == 0
    assert reports[-1].validation_loss == run.progress.validation_curve[-1][1]


def test_only_the_position_learns_faster_by_its_factor(tiny, prepared, tmp_path):
    moved = {}
    for factor in (1.0, 10.0):
        config = tiny("t5", tokens=35, weight_decay=0.0, position_learning_rate_factor=factor)
        run = train(config, prepared, tmp_path / str(factor), device=CPU)
        start = train(
            dataclasses.replace(config, learning_rate=1e-30),
            prepared,
            tmp_path / f"start{factor}",
            device=CPU,
        )
        moved[factor] = {
            name: (parameter - parameters(start)[name]).abs().max().item()
            for name, parameter in parameters(run).items()
        }
    for name in moved[1.0]:
        ratio = 10 if name == "position.table" else 1
        assert moved[10.0][name] == pytest.approx(ratio * moved[1.0][name], rel=1e-3), name


def test_a_run_with_another_recipe_is_not_resumed(tiny, prepared, tmp_path):
    train(tiny(), prepared, tmp_path, device=CPU, should_stop=stop_after(1))
    with pytest.raises(ValueError, match="another recipe or corpus"):
        train(tiny(seed=1), prepared, tmp_path, device=CPU)


def test_a_damaged_state_is_said(tiny, prepared, tmp_path):
    train(tiny(), prepared, tmp_path, device=CPU, should_stop=stop_after(1))
    state = tmp_path / "state.safetensors"
    state.write_bytes(state.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"state\.safetensors is damaged"):
        train(tiny(), prepared, tmp_path, device=CPU)


def test_a_failed_save_leaves_the_state_before(tiny, prepared, tmp_path, monkeypatch):
    train(tiny(), prepared, tmp_path, device=CPU, should_stop=stop_after(4))
    before = (tmp_path / "state.safetensors").read_bytes()

    def full(source, target):
        raise OSError("no space left on device")

    monkeypatch.setattr("alibi_viz.files.os.replace", full)
    with pytest.raises(OSError, match="no space left"):
        train(tiny(), prepared, tmp_path, device=CPU, should_stop=stop_after(4))
    assert (tmp_path / "state.safetensors").read_bytes() == before


def test_two_processes_do_not_train_one_run(tiny, prepared, tmp_path):
    with (
        lock(tmp_path / ".lock"),
        pytest.raises(ValueError, match="another process is training in"),
    ):
        train(tiny(), prepared, tmp_path, device=CPU)


def test_another_vocabulary_is_refused(tiny, prepared, tmp_path):
    other = dataclasses.replace(prepared, bytes_per_token=np.ones(11, np.int64))
    with pytest.raises(ValueError, match="the tokenizer has 11 tokens, the model 13"):
        train(tiny(), other, tmp_path, device=CPU)


def test_too_little_validation_text_is_refused(tiny, prepared, tmp_path):
    short = dataclasses.replace(prepared, validation=prepared.validation[:7])
    with pytest.raises(ValueError, match="has 7 tokens: less than one window of 7"):
        train(tiny(), short, tmp_path, device=CPU)
