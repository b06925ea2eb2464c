import subprocess
import sys

from alibi_viz.evaluation.store import add_records
from alibi_viz.paths import PROJECT
from alibi_viz.ui.show import results
from tests.made_up_trials import trial


def test_a_file_that_cannot_be_read_is_explained_without_the_machine_s_folders(monkeypatch):
    def damaged():
        raise ValueError(f"{PROJECT}/assets/results/extrapolation.json is not JSON")

    errors = []
    monkeypatch.setattr(results.st, "error", errors.append)
    assert results.explained(damaged) == ()
    assert errors == ["assets/results/extrapolation.json is not JSON"]
    assert results.explained(lambda: [1, 2]) == (1, 2)


def test_the_sweep_is_read_and_may_be_missing(tmp_path):
    path = tmp_path / "sweep.json"
    assert results.sweep_trials(path) == ()
    add_records([trial("t5")], path)
    assert results.sweep_trials(path) == (trial("t5"),)


def test_drawing_records_imports_no_torch():
    code = (
        "import sys; from alibi_viz.charts.measured import findings; "
        "from alibi_viz.ui.extrapolation import provenance, shown; "
        "from alibi_viz.ui.show import results; "
        "print('torch' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=PROJECT, capture_output=True, text=True
    )
    assert run.stdout.strip() == "False", run.stderr


def test_the_device_is_asked_of_torch_in_another_process():
    said = results.device_here.__wrapped__()
    assert said.startswith(("CPU, ", "CUDA ", "MPS"))


def test_a_torch_that_cannot_be_asked_is_said(monkeypatch):
    class Failed:
        returncode = 1
        stderr = "Traceback\nModuleNotFoundError: No module named 'torch'"

    monkeypatch.setattr(results.subprocess, "run", lambda *args, **options: Failed)
    assert results.device_here.__wrapped__() == (
        "torch could not be asked: ModuleNotFoundError: No module named 'torch'"
    )
