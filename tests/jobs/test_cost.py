import time

import numpy as np
import pytest

from alibi_viz.jobs import cost, limits
from alibi_viz.jobs.cost import features, fixed_work, probe_seconds, run_probes, step_probes
from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.positions import METHODS


@pytest.fixture
def lines(monkeypatch):
    lines = {"alibi": [2.0, 0, 0, 0, 0, 0, 0, 0], "t5": [0, 0, 0, 0, 5.0, 0, 0, 1.0]}
    monkeypatch.setattr(cost, "_lines", lambda: lines)


def test_a_step_is_a_line_in_the_sizes(lines):
    assert step_probes("alibi", 3, 5, 7, 11) == 2.0
    # 5 layers x 3 heads x 11 tokens in thousands, and 7 channels in hundreds.
    assert step_probes("t5", 3, 5, 7, 11) == pytest.approx(5 * 0.165 + 0.07)


def test_a_method_that_was_not_measured_costs_what_the_dearest_one_does(lines):
    assert step_probes("new", 2, 2, 64, 128) == max(2.0, 5 * 0.512 + 0.64)


def test_a_run_is_its_start_its_steps_and_sixteen_validations():
    # 4,096 tokens are 2 steps; 16 validations of 8 batches each, a third of a step a batch.
    assert run_probes(4096, 3.0) == pytest.approx(cost._START + 3 * (2 + 16 * 8 / 3))


def test_every_bundled_kind_of_model_was_measured():
    for method in [*METHODS, "alibi learned"]:
        line = cost._lines().get(method)
        assert line is None or (len(line) == len(features(1, 1, 1, 1)) and min(line) >= 0), method
    assert {"alibi", "alibi learned", "sinusoidal", "learned", "rope", "t5", "nope"} <= set(
        cost._lines()
    )


def test_the_usual_run_is_well_within_the_limit_and_the_largest_is_not():
    assert TrainRequest().probes < limits.MAX_PROBES / 3
    with pytest.raises(ValueError, match=r"about \d+ minutes on one core; the limit here is \d+"):
        TrainRequest("t5", heads=16, layers=6, width=256, train_length=512, tokens=4_000_000)


def test_seconds_are_probes_on_this_machine():
    request = TrainRequest()
    assert request.seconds == request.probes * probe_seconds()
    assert 1e-4 < probe_seconds() < 1


def test_a_probe_is_the_work_of_one_thread_however_busy_the_machine():
    fixed_work()
    alone, all_threads = time.thread_time(), time.process_time()
    for _ in range(20):
        fixed_work()
    alone, all_threads = time.thread_time() - alone, time.process_time() - all_threads
    assert all_threads < 1.2 * alone


@pytest.mark.slow
@pytest.mark.parametrize("method", ["alibi", "t5", "rope"])
@pytest.mark.parametrize("size", [(8, 4, 128, 128), (16, 6, 32, 512), (2, 2, 192, 256)])
def test_an_estimate_is_within_a_factor_of_two(method, size):
    # Imported here: it sets how many threads torch has.
    from benchmarks.steps import step_probes as measured

    ratio = step_probes(method, *size) / np.median([measured(method, size) for _ in range(3)])
    assert 0.5 < ratio < 2
