import pytest

from alibi_viz.__main__ import main
from alibi_viz.data.prepared import describe_tokenizer, load_validation, tokenizer_file
from alibi_viz.data.tokenizer import load_tokenizer
from alibi_viz.evaluation.store import load_records
from alibi_viz.model.checkpoint import load_checkpoint, save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.positions.stretch import parse_stretching
from alibi_viz.retrieval import copying_cli
from alibi_viz.retrieval.copying import copy_losses, copy_trials
from alibi_viz.retrieval.records import CopyRecord


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(copying_cli, "DISTANCES", {"real": (24, 97, 98), "random": (30,)})
    monkeypatch.setattr(copying_cli, "STRETCHED_DISTANCES", (140,))


@pytest.fixture
def measured(tmp_path):
    """Runs the command on an untrained model; returns its folder and the records."""

    def run(position, **settings):
        folder = tmp_path / f"{position}-L128-s2"
        model = Transformer(ModelConfig(position, **settings))
        initialise(model, 1)
        own = describe_tokenizer(load_tokenizer(tokenizer_file("code")))
        save_checkpoint(folder, model, {"seed": 2, "tokenizer": own})
        words = ["--output", str(tmp_path / "x.json"), "--trials", "2", "--device", "cpu"]
        assert main(["copying", str(folder), *words]) == 0
        return folder, load_records(CopyRecord, tmp_path / "x.json")

    return run


def test_a_model_is_asked_as_trained_and_stretched_and_only_once(measured, capsys):
    folder, records = measured("alibi")
    assert {(r.stretching, r.kind, r.distance) for r in records} == {
        *(("as-trained", "real", distance) for distance in (24, 97, 98)),
        ("as-trained", "random", 30),
        *(
            (name, "real", 140)
            for name in ("slopes-pi", "slopes-ntk", "flattest-freed", "log-length")
        ),
    }
    record = next(r for r in records if r.stretching == "slopes-pi")
    twin = stretched(load_checkpoint(folder)[0], parse_stretching("slopes-pi"))
    tokens = load_validation("code").tokens
    trials = copy_trials(tokens, 140, kind="real", count=2, vocab_size=1024)
    losses = copy_losses(twin, trials)
    assert record.same == pytest.approx(losses.same, abs=1e-4)
    assert record.other == pytest.approx(losses.other, abs=1e-4)
    assert (record.model, record.text, record.seed) == ("alibi-L128", "code", 2)
    capsys.readouterr()
    measured("alibi")
    assert not capsys.readouterr().out


def test_learned_positions_are_asked_as_far_as_they_go(measured):
    _, records = measured("learned")
    # 8 + 97 + 24 - 1 are 128 positions; 98 would need one more.
    assert {(r.kind, r.distance) for r in records} == {
        ("real", 24),
        ("real", 97),
        ("random", 30),
    }


def test_a_model_unlike_the_bundled_ones_is_asked_as_trained_only(measured):
    _, records = measured("alibi", n_layer=1)
    assert {r.stretching for r in records} == {"as-trained"}
