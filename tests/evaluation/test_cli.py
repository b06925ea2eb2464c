import json

import numpy as np
import pytest
import torch

from alibi_viz.__main__ import main
from alibi_viz.data.prepared import describe_tokenizer, load_validation
from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation.perplexity import evaluate
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import load_records
from alibi_viz.evaluation.stretch import read_stretch
from alibi_viz.model.checkpoint import load_checkpoint, save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.training.config import TrainingConfig


@pytest.fixture
def checkpoint(tmp_path):
    """Builds an untrained checkpoint that knows the committed tokenizer."""

    def build(position="alibi", tokenizer=None):
        config = ModelConfig(position=position, n_layer=1, n_head=2, d_model=8, train_length=16)
        model = Transformer(config)
        initialise(model, 1)
        about = {"seed": 4, "tokenizer": tokenizer or describe_tokenizer(load_tokenizer())}
        folder = tmp_path / f"{position}-L16-s4"
        save_checkpoint(folder, model, about)
        return folder

    return build


def run(checkpoint, *more):
    results = checkpoint.parent / "results.json"
    words = ["evaluate", str(checkpoint), "--output", str(results), "--device", "cpu"]
    status = main([*words, "--tokens", "200", *more])
    return status, load_records(Record, results) if results.is_file() else []


def test_records_say_what_was_measured_and_on_what(checkpoint):
    folder = checkpoint()
    status, records = run(folder, "--lengths", "16", "50")
    assert status == 0
    assert [(r.eval_length, r.tokens_scored, r.stride) for r in records] == [
        (16, 200, None),
        (50, 200, None),
    ]
    first = records[0]
    assert (first.method, first.seed, first.train_length) == ("alibi", 4, 16)
    assert first.corpus.startswith("python-stdlib 3.")
    model, _ = load_checkpoint(folder)
    stretch, _ = read_stretch(None, 200, [16], "nonoverlapping")
    exact = evaluate(model, stretch, token_bytes(load_tokenizer()), eval_length=16)
    assert first.nll == pytest.approx(exact.nll, abs=1e-6)


def test_points_that_are_there_are_not_measured_again(checkpoint, capsys):
    folder = checkpoint()
    run(folder, "--lengths", "16")
    capsys.readouterr()
    _, records = run(folder, "--lengths", "16", "50")
    printed = capsys.readouterr().out
    assert len(records) == 2
    assert "16 tokens" not in printed
    assert "50 tokens" in printed


def test_both_protocols_score_the_same_targets(checkpoint):
    nonoverlapping, _ = read_stretch(None, 200, [64], "nonoverlapping")
    sliding, _ = read_stretch(None, 200, [64, 2048], "sliding_window")
    assert np.array_equal(nonoverlapping.targets, sliding.targets)
    _, records = run(
        checkpoint(), "--lengths", "32", "--protocol", "sliding_window", "--stride", "8"
    )
    assert (records[0].protocol, records[0].stride) == ("sliding_window", 8)


def test_a_sliding_window_moves_by_a_quarter_of_the_training_length(checkpoint):
    _, records = run(checkpoint(), "--lengths", "6", "32", "--protocol", "sliding_window")
    assert [record.stride for record in records] == [3, 4]


def test_learned_is_measured_to_its_length_and_the_rest_is_said(checkpoint, capsys):
    _, records = run(checkpoint("learned"), "--lengths", "8", "16", "32", "64")
    assert [record.eval_length for record in records] == [8, 16]
    assert "learned positions end at 16 tokens, left out: 32, 64" in capsys.readouterr().out


def test_another_text_is_scored_as_far_as_it_goes(checkpoint, tmp_path):
    (tmp_path / "poem.txt").write_text("the quick brown fox\n" * 6)
    count = len(load_tokenizer().encode("the quick brown fox\n" * 6).ids)
    _, records = run(checkpoint(), "--lengths", "16", "--text", str(tmp_path / "poem.txt"))
    assert records[0].tokens_scored == min(200, count - 1)
    assert records[0].corpus.startswith("poem.txt sha256:")


def test_progress_is_written_as_json_lines(checkpoint, tmp_path):
    run(checkpoint(), "--lengths", "16", "50", "--progress", str(tmp_path / "progress.jsonl"))
    lines = [json.loads(x) for x in (tmp_path / "progress.jsonl").read_text().splitlines()]
    fractions = [line["fraction"] for line in lines]
    assert fractions[0] <= 0.5
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert lines[-1]["point"] == "alibi-L16-s4, 50 tokens"


def test_another_tokenizer_is_refused(checkpoint, capsys):
    folder = checkpoint(tokenizer={"fingerprint": "f" * 64})
    assert run(folder)[0] == 1
    assert "was trained with another tokenizer (ffffffffffff, here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"short", "a window of 64 needs 65"), (b"\xff\xfe", "is not UTF-8 text")],
)
def test_texts_that_cannot_be_measured_are_explained(
    checkpoint, tmp_path, capsys, content, message
):
    (tmp_path / "upload.txt").write_bytes(content)
    folder = checkpoint()
    assert run(folder, "--lengths", "64", "--text", str(tmp_path / "upload.txt"))[0] == 1
    assert message in capsys.readouterr().err


def test_committed_validation_text_has_room_for_every_record():
    stretch, corpus = read_stretch(None, 65_536, [2048], "sliding_window")
    # Behind the tokens that learning rates were chosen on.
    assert stretch.first_target > TrainingConfig().validation_tokens
    assert corpus.endswith(load_validation()[1]["fingerprint"])
    assert torch.from_numpy(stretch.targets.astype(int)).max() < 1024
