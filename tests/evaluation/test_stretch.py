import dataclasses

import numpy as np
import pytest

from alibi_viz.data.prepared import load_validation
from alibi_viz.data.tokenizer import load_tokenizer
from alibi_viz.evaluation import stretch as module
from alibi_viz.evaluation.stretch import (
    FIRST_TARGET,
    SAMPLE_TOKENS,
    cut_in_blocks,
    file_stretch,
    named_stretch,
)
from alibi_viz.training.config import TrainingConfig
from tests.evaluation.conftest import build_stretch


@pytest.fixture
def blocks_of_five(monkeypatch):
    monkeypatch.setattr(module, "BLOCK_TOKENS", 5)


def test_blocks_are_targets_in_a_row_of_one_file(blocks_of_five):
    # Files of 13, 7 and 20 tokens, of which no target is in the second.
    targets = [*range(2, 13), *range(20, 27)]
    stretch = build_stretch(targets, starts=(0, 13, 20))
    assert stretch.block_of.tolist() == [0] * 5 + [1] * 5 + [2] + [3] * 5 + [4] * 2
    assert stretch.file_of.tolist() == [0, 0, 0, 2, 2]
    assert stretch.block_tokens.tolist() == [5, 5, 1, 5, 2]
    assert stretch.shares() == {"file0": 11, "file2": 7}


def test_block_means_are_of_the_targets_of_each_block(blocks_of_five):
    stretch = build_stretch([*range(2, 9), *range(20, 23)], starts=(0, 20))
    losses = np.array([1, 2, 3, 4, 5, 10, 20, 7, 7, 10], np.float32)
    assert stretch.block_means(losses).tolist() == [3, 15, 8]


def test_a_sample_keeps_whole_blocks_of_every_file(blocks_of_five):
    # 60 targets in twelve blocks of one file, and one block of another.
    stretch = build_stretch([*range(1, 61), *range(70, 73)], starts=(0, 65))
    sample = stretch.sampled(21)
    assert sample.blocks.tolist() == [1, 4, 7, 10, 12]
    assert sample.block_tokens.tolist() == [5, 5, 5, 5, 3]
    assert sample.first == stretch.first
    assert sample.shares() == {"file0": 20, "file1": 3}
    assert stretch.sampled(1).blocks.tolist() == [6, 12]
    assert stretch.sampled(10_000).targets.tolist() == stretch.targets.tolist()
    assert len({s.fingerprint for s in (stretch, sample, stretch.sampled(1))}) == 3


def test_a_sample_of_nothing_is_refused(stretch):
    with pytest.raises(ValueError, match="at least 1 token, got 0"):
        stretch.sampled(0)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([], "targets at least one, got 1 and 0"),
        ([0, 1], "first must be at least 1 and targets at least one, got 0 and 2"),
        ([90, 97], "must lie between 90 and 96, got 90 to 97"),
    ],
)
def test_targets_must_be_there(targets, message):
    with pytest.raises(ValueError, match=message):
        build_stretch(np.array(targets, int))


@pytest.mark.parametrize("text", ["code", "prose"])
def test_what_is_scored_was_neither_trained_on_nor_chosen_on(text):
    known, stretch = load_validation(text), named_stretch(text)
    assert stretch.first >= FIRST_TARGET > TrainingConfig().validation_tokens
    assert not known.seen[stretch.targets].any()
    assert 200_000 < len(stretch.targets) <= 204_800
    assert len(stretch.shares()) >= 16
    assert stretch.corpus.endswith(known.corpus["fingerprint"])


@pytest.mark.parametrize("text", ["code", "prose"])
def test_the_sample_has_every_file_and_enough_of_it(text):
    whole, sample = named_stretch(text), named_stretch(text, SAMPLE_TOKENS)
    assert sample.shares().keys() == whole.shares().keys()
    assert SAMPLE_TOKENS <= len(sample.targets) < 1.2 * SAMPLE_TOKENS
    assert set(sample.targets.tolist()) <= set(whole.targets.tolist())


def test_the_beginning_is_the_first_targets(stretch):
    assert stretch.beginning(5).targets.tolist() == [31, 32, 33, 34, 35]


def test_a_text_file_is_scored_as_far_as_it_goes(tmp_path):
    path, tokenizer = tmp_path / "poem.txt", load_tokenizer()
    path.write_text("the quick brown fox\n" * 6)
    count = len(tokenizer.encode(path.read_text()).ids)
    stretch = file_stretch(path, tokenizer, first=3, count=1000)
    assert stretch.targets.tolist() == list(range(3, count))
    assert stretch.names == ("poem.txt",)
    assert len(file_stretch(path, tokenizer, first=1, count=4).targets) == 4
    with pytest.raises(ValueError, match=r"poem.txt has .* none to score after 1000 of context"):
        file_stretch(path, tokenizer, first=1000, count=1)


def test_another_text_is_another_choice_of_targets(stretch):
    other = dataclasses.replace(stretch, corpus="text sha256:1")
    assert other.fingerprint != stretch.fingerprint
    again = cut_in_blocks(stretch.tokens, stretch.targets, np.zeros(1), ("f",), stretch.corpus)
    assert again.fingerprint == stretch.fingerprint
