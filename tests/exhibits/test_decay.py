import numpy as np
import pytest

from alibi_viz.exhibits.decay import (
    MASSES,
    decay_alt,
    decay_sentence,
    decay_summary,
    decay_table,
    windows_alt,
)

# A quarter and a half: head 1 halves its weight every ln 2 / 0.5 = 1.386 tokens.
SLOPES = np.array([0.5, 0.25])
EQUAL = np.zeros((7, 1))


@pytest.fixture
def summary():
    return decay_summary(SLOPES, EQUAL, train_length=3, even=False)


def test_at_equal_content_every_share_is_that_of_a_geometric_series(summary):
    weights = np.exp(-np.outer(SLOPES, np.arange(7)))
    weights /= weights.sum(1, keepdims=True)
    assert summary.n_key == 7
    assert summary.weights.median == pytest.approx(weights[:, summary.distances])
    assert summary.held_within(3) == pytest.approx(weights[:, :3].sum(1))
    least = [np.argmax(weights.cumsum(1) >= mass, axis=1) + 1 for mass in MASSES]
    assert summary.windows.median.tolist() == np.array(least).tolist()


def test_the_sentence_names_the_steepest_head_the_flattest_and_what_training_never_had(summary):
    said = decay_sentence(SLOPES, summary, 0.0, 3)
    assert said.startswith("head 1 halves its weight every 1.4 tokens and holds 95 % of its ")
    assert "; head 2 halves it every 2.8 tokens" in said
    assert "2 of 2 heads put 1 % or more of the attention on distances that training on 3" in said
    within = decay_summary(SLOPES, EQUAL, train_length=7, even=False)
    assert decay_sentence(SLOPES, within, 0.0, 7).endswith(
        "Every distance of this query occurs in training on 7 tokens."
    )


def test_the_table_has_a_row_a_head_and_the_words_name_its_numbers(summary):
    table = decay_table(SLOPES, summary)
    assert table["head"].tolist() == [1, 2]
    windows = table["95% window here, tokens"]
    assert f"runs from {windows.min()} to {windows.max()} of 7 keys" in windows_alt(summary)
    assert "2 heads with slopes from 0.5 to 0.25 nats per token" in decay_alt(SLOPES, 7)
