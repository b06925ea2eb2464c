import pytest
import torch

from alibi_viz.__main__ import main
from alibi_viz.training import gpucheck
from alibi_viz.training.sizes import Size

QUICK = ["gpucheck", "--device", "cpu", "--lengths", "67", "--tokens", "256", "--steps", "1"]


@pytest.fixture(autouse=True)
def _small_full_size(monkeypatch):
    """Training speed is measured on a model that a test has the time for."""
    size = Size(layers=1, heads=2, width=16, train_length=32, tokens=64, batch_size=2)
    monkeypatch.setitem(gpucheck.SIZES, "full", size)


def test_every_check_is_made_and_agrees_on_a_cpu(capsys):
    assert main(QUICK) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("cpu, torch 2.")
    assert [line.split()[0] for line in lines[1:-1]] == [
        *("attention", "attention", "perplexity", "training", "training", "training"),
    ]
    assert lines[-1] == "all agree"


def test_a_wrong_kernel_is_found(monkeypatch, capsys):
    right = gpucheck.alibi_attention
    monkeypatch.setattr(gpucheck, "alibi_attention", lambda *args: right(*args) + 2e-5)
    assert main(QUICK) == 1
    out = capsys.readouterr().out
    assert "e-05  WRONG" in out
    assert "1 of the checks failed" in out


@pytest.mark.skipif(torch.cuda.is_available(), reason="has a CUDA device")
def test_a_machine_without_a_gpu_is_told_so(capsys):
    assert main(["gpucheck"]) == 1
    assert "this machine has no cuda device that torch can use" in capsys.readouterr().err


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_all_agrees_on_cuda(capsys):
    assert main(["gpucheck", "--lengths", "211", "1024", "--steps", "3"]) == 0
