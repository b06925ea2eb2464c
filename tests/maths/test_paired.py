import math

import numpy as np
import pytest

from alibi_viz.maths import paired
from alibi_viz.maths.paired import (
    Comparison,
    bootstrap_interval,
    compare,
    mean_perplexity,
    published_word,
)


def compared(difference, tokens=None, files=None):
    """A comparison of (seed, block) differences with an even second side."""
    difference = np.array(difference, float)
    second = np.linspace(2, 3, difference.shape[1])[None].repeat(len(difference), 0)
    count = difference.shape[1]
    tokens = np.full(count, 512.0) if tokens is None else np.array(tokens, float)
    files = np.arange(count) if files is None else np.array(files)
    return compare(second + difference, second, tokens, files)


def reference_interval(values, weights, resamples=20_000):
    """Draws units one by one, and takes the sorted means' 2.5th and 97.5th percentiles."""
    random, count, means = np.random.default_rng(7), len(values), []
    for _ in range(resamples):
        chosen = random.choice(count, count)
        means.append(sum(values[i] * weights[i] for i in chosen) / sum(weights[i] for i in chosen))
    means.sort()
    centre = sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)
    # t of n - 1 degrees over z, from a table: n = 11.
    wider = math.sqrt(count / (count - 1)) * 2.228 / 1.960
    ends = (means[round(0.025 * resamples)], means[round(0.975 * resamples)])
    return [centre + wider * (end - centre) for end in ends]


def test_seeds_are_averaged_as_losses():
    assert mean_perplexity([math.log(8), math.log(18)]) == pytest.approx(12)
    assert mean_perplexity([math.log(5)]) == pytest.approx(5)


def test_blocks_count_by_their_tokens():
    # Two seeds of three blocks: (300 * -0.1 + 100 * 0.1 + 100 * 0.1) / 500 = -0.02, and 0.06.
    result = compared([[-0.1, 0.1, 0.1], [-0.1, 0.3, 0.3]], tokens=[300, 100, 100])
    assert result.by_seed == pytest.approx((-0.02, 0.06))
    assert result.difference == pytest.approx(0.02)
    assert result.agreeing == 1


def test_what_blocks_share_cancels():
    result = compared([[-0.03] * 7])
    assert (result.low, result.high) == pytest.approx((-0.03, -0.03))


def test_interval_agrees_with_drawing_units_one_by_one():
    random = np.random.default_rng(3)
    values, weights = random.normal(0, 1, 11), random.uniform(100, 512, 11)
    ours = bootstrap_interval(values, weights)
    # 4,000 and 20,000 resamples: each end of each is uncertain by some hundredths.
    assert ours == pytest.approx(reference_interval(values, weights), abs=0.06)


def test_interval_is_the_same_at_every_call():
    values, weights = np.arange(13.0), np.full(13, 512.0)
    assert bootstrap_interval(values, weights) == bootstrap_interval(values, weights)
    assert bootstrap_interval(values, weights) == pytest.approx(
        bootstrap_interval(values, 2 * weights)
    )


def test_the_wider_of_blocks_and_files_is_taken():
    random = np.random.default_rng(5)
    of_file = random.normal(0, 1, 7)
    blocks = of_file.repeat(11) + random.normal(0, 0.1, 77)
    files = np.arange(7).repeat(11)
    clustered = compared([blocks], files=files)
    apart = compared([blocks], files=np.zeros(77))
    by_file = bootstrap_interval(blocks.reshape(7, 11).mean(1), np.ones(7))
    assert (clustered.low, clustered.high) == pytest.approx(by_file)
    assert (apart.low, apart.high) == pytest.approx(bootstrap_interval(blocks, np.ones(77)))
    assert clustered.high - clustered.low > 2 * (apart.high - apart.low)


def test_one_block_decides_nothing():
    result = compared([[-0.5]])
    assert (result.low, result.high) == (-math.inf, math.inf)
    assert result.word == "undecided"
    assert "inf" in result.sentence("A", "b")


def test_intervals_hold_the_truth_about_as_often_as_they_say(monkeypatch):
    monkeypatch.setattr(paired, "RESAMPLES", 500)
    paired._draws.cache_clear()
    random, held, trials = np.random.default_rng(11), 0, 300
    for _ in range(trials):
        blocks = random.integers(3, 17, 29)
        files = np.arange(29).repeat(blocks)
        values = random.normal(0, 0.5, 29).repeat(blocks) + random.normal(0, 1, len(files))
        result = compared([values], files=files)
        held += result.low <= 0 <= result.high
    paired._draws.cache_clear()
    # 95 %; 300 trials are within 3 % of it nearly always, files of unequal size cost some more.
    assert 0.90 < held / trials < 0.98


@pytest.mark.parametrize(
    ("low", "high", "seeds", "word"),
    [
        (-0.05, -0.02, (-0.04, -0.03), "ahead"),
        (-0.05, -0.02, (-0.08, 0.01), "undecided"),
        (0.02, 0.05, (0.04, 0.03), "behind"),
        (0.02, 0.05, (0.08, -0.01), "undecided"),
        (-0.05, 0.01, (-0.02, -0.02), "undecided"),
        # exp(0.00995) is 1.01: the interval's ends are percents of perplexity.
        (-0.01005, 0.00994, (0.001, -0.001), "level"),
        (-0.01006, 0.0, (-0.001, -0.001), "undecided"),
        (0.0, 0.00996, (0.001, 0.001), "undecided"),
        # Sure and small is level.
        (-0.009, -0.001, (-0.005, -0.005), "level"),
    ],
)
def test_words_follow_the_interval_and_the_seeds(low, high, seeds, word):
    assert Comparison((low + high) / 2, low, high, seeds).word == word


def test_percents_are_of_the_seconds_perplexity():
    result = Comparison(math.log(1.03), math.log(0.98), math.log(1.08), (0.03, 0.02, -0.01))
    assert result.percent == pytest.approx((3, -2, 8))
    assert result.sentence("T5 bias", "ALiBi") == (
        "T5 bias against ALiBi is undecided: +3.0 % perplexity "
        "(95 % interval -2.0 to +8.0 %, 2 of 3 seeds)"
    )


def test_published_single_runs_must_differ_by_more_than_their_spread():
    assert published_word(19.65, 19.73) == published_word(19.73, 19.65) == "level"
    assert published_word(18.0, 18.25) == "ahead"
    assert published_word(18.26, 18.0) == "behind"


def test_sides_must_match():
    tokens, files = np.ones(3), np.arange(3)
    with pytest.raises(ValueError, match=r"same seeds and blocks, got \(2, 3\) and \(1, 3\)"):
        compare(np.ones((2, 3)), np.ones((1, 3)), tokens, files)
    with pytest.raises(ValueError, match="same seeds and blocks"):
        compare(np.ones((0, 3)), np.ones((0, 3)), tokens, files)
