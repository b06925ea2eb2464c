import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from alibi_viz.__main__ import main
from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.training.loop import train
from alibi_viz.training.team import Team, joined

ROOT = Path(__file__).parents[2]
SIZES = "--train-length 8 --layers 1 --heads 2 --width 8 --batch-size 6 --device cpu --threads 1"
RECIPE = f"train --position alibi --learned-slopes {SIZES} --tokens 1920 --learning-rate 0.01"


def test_processes_share_a_batch_without_overlap():
    batch = torch.arange(6 * 5).view(6, 5)
    shares = [Team(rank, 3).share(batch) for rank in range(3)]
    assert [share.tolist() for share in shares] == [
        [batch[0].tolist(), batch[3].tolist()],
        [batch[1].tolist(), batch[4].tolist()],
        [batch[2].tolist(), batch[5].tolist()],
    ]


def test_alone_nothing_is_joined_or_wrapped(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    model, loss = torch.nn.Linear(2, 3), torch.tensor(1.5)
    with joined(torch.device("cpu")) as (team, device):
        assert team == Team()
        assert device.type == "cpu"
        assert team.wrap(model) is model
        assert team.mean(loss) is loss
        assert team.any(True, device)
    assert not torch.distributed.is_initialized()


def test_a_batch_that_cannot_be_shared_evenly_is_refused(tiny, prepared, tmp_path):
    with pytest.raises(ValueError, match="multiple of the 3 processes that share it, got 5"):
        train(tiny(), prepared, tmp_path, device=torch.device("cpu"), team=Team(0, 3))


def arguments(folder, name):
    # torchrun takes --run for an option of its own.
    places = ["--run-folder", str(folder / name), "--text", str(folder / "text.txt")]
    return [*RECIPE.split(), *places]


def curves(folder, name):
    stored = json.loads((folder / name / "checkpoint" / "curve.json").read_text())
    return [loss for _, loss in [*stored["train"], *stored["validation"]]]


def test_two_processes_have_the_loss_curve_of_one_with_the_same_batch(tmp_path):
    (tmp_path / "text.txt").write_text("def f(x):\n    return x + 1\n\n" * 60)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command = [*torchrun, "-m", "alibi_viz", *arguments(tmp_path, "two")]
    shared = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert shared.returncode == 0, shared.stderr
    assert main(arguments(tmp_path, "one")) == 0
    one, two = curves(tmp_path, "one"), curves(tmp_path, "two")
    # 40 steps: two reports and sixteen validations.
    assert len(one) > 10
    # Sums of gradients in another order, in float32, over 40 steps.
    assert two == pytest.approx(one, abs=2e-4)
    assert one[0] - one[1] > 0.1, "the model learns, or the comparison says little"
    ours, theirs = (load_checkpoint(tmp_path / n / "checkpoint")[0] for n in ("one", "two"))
    # Stored in float16.
    for name, parameter in ours.named_parameters():
        assert torch.allclose(parameter, theirs.get_parameter(name), atol=2e-3), name
