import json
from types import SimpleNamespace

import pytest

from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.ui.show import jobs
from alibi_viz.ui.show.jobs import clock
from alibi_viz.ui.train import progress as training_view
from alibi_viz.ui.train.progress import compared


def test_the_bundled_model_of_the_method_is_the_measure(tmp_path, monkeypatch):
    monkeypatch.setattr(training_view, "CHECKPOINTS", tmp_path)
    assert compared(TrainRequest(position="t5")) == ""
    folder = tmp_path / "t5-L128-s0"
    folder.mkdir()
    about = {"model": {"n_layer": 4, "d_model": 128}, "tokens": 8_192_000}
    text = json.dumps({**about, "final_validation_loss": 2.4375})
    (folder / "config.json").write_text(text)
    assert compared(TrainRequest(position="t5")) == (
        "The bundled T5 bias model (4 layers, width 128, 8.2 M tokens) reached 2.44."
    )
    # Another text has another loss.
    assert compared(TrainRequest(position="t5", text="0123456789abcdef")) == ""


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (59.6, "1:00"), (3661, "61:01")])
def test_time_is_told_in_minutes_and_seconds(seconds, text):
    assert clock(seconds) == text


@pytest.mark.parametrize(
    ("state", "message", "line"),
    [
        ("stopped", "It was cut off.", "**Stopped** at 40%. It was cut off."),
        ("cancelled", "", "**Cancelled** at 40%"),
        ("failed", "ValueError: `x`", "**Failed** at 40%: `ValueError: 'x'`"),
    ],
)
def test_a_job_that_ended_early_says_how_far_it_came_and_why(monkeypatch, state, message, line):
    monkeypatch.setattr(jobs, "_progress", lambda job: (0.4, None, ""))
    job = SimpleNamespace(state=state, status=SimpleNamespace(message=message))
    assert jobs.status_line(job) == line
