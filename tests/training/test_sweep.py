import threading
from dataclasses import replace

import pytest

from alibi_viz.evaluation.store import add_records, load_records, write_rows
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.sweep import TRIAL_TOKENS, trial_config, trial_name
from alibi_viz.training.trials import Trial, best_trial_of
from tests.made_up_trials import trial


def add_to(path, made):
    add_records([made], path)


def rates(path, method):
    best = best_trial_of(method, path=path)
    return best.learning_rate, best.position_learning_rate_factor


def test_the_lowest_validation_loss_wins_within_the_method(tmp_path):
    path = tmp_path / "sweep.json"
    for rate, factor, loss in ((1e-3, 1.0, 4.2), (2e-3, 10.0, 4.0), (4e-3, 1.0, 4.1)):
        add_to(path, trial("t5", rate, loss, factor=factor))
    add_to(path, trial("nope", 8e-3, 1.0))
    add_to(path, trial("t5", 9e-3, 1.0, train_length=64))
    assert rates(path, "t5") == (2e-3, 10.0)


def test_of_trials_that_tie_the_lowest_rate_wins(tmp_path):
    path = tmp_path / "sweep.json"
    for rate, loss in ((2e-3, 4.02), (4e-3, 4.009), (8e-3, 4.0)):
        add_to(path, trial(rate=rate, loss=loss))
    assert rates(path, "alibi") == (4e-3, 1.0)


def test_a_short_trial_is_not_compared_with_longer_ones(tmp_path):
    path = tmp_path / "sweep.json"
    add_to(path, trial(rate=1e-3, loss=3.0))
    add_to(path, trial(rate=4e-3, loss=2.0, tokens=500))
    assert rates(path, "alibi") == (1e-3, 1.0)


def test_a_repeated_trial_replaces_the_one_before(tmp_path):
    path = tmp_path / "sweep.json"
    add_to(path, trial(loss=4.0))
    add_to(path, trial(loss=3.0))
    assert [known.validation_loss for known in load_records(Trial, path)] == [3.0]


def test_writers_at_the_same_time_lose_nothing(tmp_path):
    path = tmp_path / "sweep.json"
    writers = [
        threading.Thread(target=add_to, args=(path, trial(rate=n / 1000))) for n in range(1, 12)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(load_records(Trial, path)) == 11


def test_a_method_without_a_trial_is_named(tmp_path):
    add_to(tmp_path / "sweep.json", trial())
    with pytest.raises(ValueError, match="no trial of rope at 128 tokens"):
        best_trial_of("rope", path=tmp_path / "sweep.json")


def test_a_trial_changes_method_rates_and_warm_up_only(tiny):
    config = trial_config(tiny(), "rope", 0.5, 2.0)
    assert config == tiny(
        "rope", learning_rate=0.5, position_learning_rate_factor=2.0, warmup_fraction=0.25
    )
    assert trial_name(config) == "rope-h2-d12-l1-L7-s0-lr0.5-x2-a1"
    assert trial_config(tiny(), "sinusoidal", 1.0, 1.0, 3.0).model.sinusoid_amplitude == 3.0


@pytest.mark.parametrize(
    ("schema", "row", "message"),
    [
        (1, {}, "has schema 1, this version reads 2"),
        (2, {"method": "t5"}, "record 0 must have exactly the fields method, learning_rate"),
    ],
)
def test_a_file_that_holds_no_trials_is_refused(tmp_path, schema, row, message):
    write_rows(tmp_path / "sweep.json", schema, [row])
    with pytest.raises(ValueError, match=message):
        load_records(Trial, tmp_path / "sweep.json")


def test_a_trial_warms_up_for_about_as_many_steps_as_a_whole_run(tiny):
    whole = TrainingConfig()
    short = trial_config(replace(whole, tokens=TRIAL_TOKENS), "alibi", 1.0, 1.0)
    assert whole.warmup_fraction * whole.steps == 200
    assert short.warmup_fraction * short.steps == 150
