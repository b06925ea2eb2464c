import json

import numpy as np
import pytest

from alibi_viz.__main__ import main
from alibi_viz.data.prepared import describe_tokenizer, load_validation, tokenizer_file
from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation import points
from alibi_viz.evaluation import stretch as stretch_module
from alibi_viz.evaluation.perplexity import evaluate, target_losses
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import load_records
from alibi_viz.evaluation.stretch import cut_in_blocks
from alibi_viz.model.checkpoint import load_checkpoint, save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """A few hundred tokens of four files in the place of each named text."""

    def stretch(text, sample=None):
        known = load_validation(text)
        starts = np.array([0, 100, 130, 250, 270])
        targets = np.array([*range(101, 180), *range(190, 400)])
        names = ("a", "b", "c", "d", "e")
        short = cut_in_blocks(known.tokens, targets, starts, names, f"{text} sha256:1")
        return short if sample is None else short.sampled(sample)

    monkeypatch.setattr(stretch_module, "BLOCK_TOKENS", 20)
    monkeypatch.setattr(points, "named_stretch", stretch)
    monkeypatch.setattr(points, "SAMPLE_TOKENS", 60)
    points._named.cache_clear()
    yield stretch
    points._named.cache_clear()


@pytest.fixture
def checkpoint(tmp_path):
    """Builds an untrained checkpoint that knows a committed tokenizer."""

    def build(position="alibi", tokenizer=None, text="code"):
        config = ModelConfig(position=position, n_layer=1, n_head=2, d_model=8, train_length=16)
        model = Transformer(config)
        initialise(model, 1)
        own = describe_tokenizer(load_tokenizer(tokenizer_file(text)))
        about = {"seed": 4, "tokenizer": tokenizer or own}
        folder = tmp_path / f"{position}-L16-s4"
        save_checkpoint(folder, model, about)
        return folder

    return build


def run(checkpoint, *more):
    results = checkpoint.parent / "results.json"
    words = ["evaluate", str(checkpoint), "--output", str(results), "--device", "cpu"]
    status = main([*words, *more])
    return status, load_records(Record, results) if results.is_file() else []


def test_records_say_what_was_measured_and_on_what(checkpoint, short):
    folder = checkpoint()
    status, records = run(folder, "--lengths", "16", "50")
    assert status == 0
    whole, sample = (
        sorted((r for r in records if r.sample == n), key=lambda r: r.eval_length)
        for n in (None, 60)
    )
    assert [(r.eval_length, r.tokens_scored, r.stride) for r in whole] == [
        (16, 289, None),
        (50, 289, None),
    ]
    first = whole[0]
    assert (first.method, first.variant, first.seed) == ("alibi", "h2-d8-l1", 4)
    assert (first.train_length, first.text, first.corpus) == (16, "code", "code sha256:1")
    assert first.targets == short("code").fingerprint
    model, _ = load_checkpoint(folder)
    exact = evaluate(model, short("code"), token_bytes(load_tokenizer()), eval_length=16)
    assert first.nll == pytest.approx(exact.nll, abs=1e-6)
    assert first.bits_per_byte == pytest.approx(exact.bits_per_byte, abs=1e-6)
    assert [len(r.bands) for r in whole] == [8, 11]
    assert [r.tokens_scored for r in sample] == [len(short("code", 60).targets)] * 2


def test_the_sample_of_both_protocols_is_the_same_tokens(checkpoint, short):
    folder = checkpoint()
    _, records = run(folder, "--lengths", "16")
    of_sample = next(r for r in records if r.sample)
    losses = target_losses(load_checkpoint(folder)[0], short("code", 60), eval_length=16)
    assert of_sample.nll == pytest.approx(losses.mean(), abs=1e-5)
    assert not of_sample.bands
    sliding = ["--lengths", "16", "--protocol", "sliding_window", "--stride", "4"]
    slid = next(r for r in run(folder, *sliding)[1] if r.protocol == "sliding_window")
    assert (slid.targets, slid.tokens_scored) == (of_sample.targets, of_sample.tokens_scored)
    assert slid.nll != of_sample.nll


def test_block_losses_average_to_the_loss(checkpoint, short):
    _, records = run(checkpoint(), "--lengths", "16")
    for record in records:
        stretch = short("code", record.sample)
        assert record.block_losses.shape == stretch.blocks.shape
        assert np.average(record.block_losses, weights=stretch.block_tokens) == pytest.approx(
            record.nll, abs=1e-6
        )


def test_points_that_are_there_are_not_measured_again(checkpoint, capsys):
    folder = checkpoint()
    run(folder, "--lengths", "16")
    capsys.readouterr()
    _, records = run(folder, "--lengths", "16", "50")
    printed = capsys.readouterr().out
    assert len(records) == 4
    assert "16 tokens" not in printed
    assert "50 tokens" in printed


def test_what_is_scored_is_told_with_the_overlap_that_is_left(checkpoint, capsys):
    run(checkpoint(), "--lengths", "16")
    told = capsys.readouterr().out.splitlines()[0]
    # Files b, c and e hold 29, 110 and 121 targets, d 20; file d's and c's are whole.
    assert told.startswith("code: 289 tokens of 4 files, 45% of them e; ")
    assert told.endswith(" in spans of 64 tokens found in training")


def test_a_model_is_measured_on_its_own_text(checkpoint):
    _, records = run(checkpoint(text="prose"), "--lengths", "16")
    assert {record.text for record in records} == {"prose"}


def test_another_named_text_has_other_token_ids(checkpoint, capsys):
    assert run(checkpoint(), "--text", "prose")[0] == 1
    assert "was trained with the tokenizer of code" in capsys.readouterr().err


def test_more_tokens_may_be_asked_for(checkpoint):
    _, records = run(checkpoint(), "--lengths", "16", "--tokens", "200")
    (record,) = records
    assert record.sample == 200
    assert 150 < record.tokens_scored < 250


def test_a_sliding_window_moves_by_a_quarter_of_its_length(checkpoint):
    _, records = run(checkpoint(), "--lengths", "3", "6", "32", "--protocol", "sliding_window")
    assert sorted((record.eval_length, record.stride) for record in records) == [
        *((3, 1), (6, 1), (32, 8))
    ]


def test_learned_is_measured_to_its_length_and_the_rest_is_said(checkpoint, capsys):
    _, records = run(checkpoint("learned"), "--lengths", "8", "16", "32", "64")
    assert {record.eval_length for record in records} == {8, 16}
    assert "learned positions end at 16 tokens, left out: 32, 64" in capsys.readouterr().out


def test_another_text_is_scored_as_far_as_it_goes(checkpoint, tmp_path):
    (tmp_path / "poem.txt").write_text("the quick brown fox\n" * 6)
    count = len(load_tokenizer().encode("the quick brown fox\n" * 6).ids)
    _, records = run(checkpoint(), "--lengths", "16", "--text", str(tmp_path / "poem.txt"))
    (record,) = records
    assert (record.tokens_scored, record.text, record.sample) == (count - 1, "", None)
    assert record.corpus.startswith("poem.txt sha256:")


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
    assert (
        "was trained with another tokenizer (ffffffffffff) than that of code or prose"
        in capsys.readouterr().err
    )


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
