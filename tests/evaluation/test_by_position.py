import numpy as np
import pytest

from alibi_viz.evaluation.by_position import bands_of, bands_up_to, losses_by_context
from alibi_viz.evaluation.perplexity import target_losses
from alibi_viz.evaluation.records import Record
from tests.made_up_records import by_context, made_up


@pytest.mark.parametrize("longest", [1, 2, 4, 16, 128, 4096])
def test_bands_hold_every_context_once(longest):
    held = [n for first, last in bands_up_to(longest) for n in range(first, last + 1)]
    assert held == list(range(1, longest + 1))


@pytest.mark.parametrize("longest", [3, 7, 100, 192])
def test_bands_of_a_shorter_window_are_the_first_of_a_longer_one(longest):
    bands = bands_up_to(longest)
    assert bands == bands_up_to(4096)[: len(bands)]
    assert bands[-1][1] <= longest < bands_up_to(4096)[len(bands)][1]


def test_a_band_is_the_mean_over_the_targets_with_that_much_context(stretch):
    # Windows of 5: 31 .. 35 have contexts 1 .. 5. 47 targets are nine windows and two more.
    losses = ((stretch.targets - 31) % 5).astype(np.float32)
    assert losses_by_context(losses, stretch, 5) == [
        (1, 1, 10, 0),
        (2, 2, 10, 1),
        (3, 3, 9, 2),
        (4, 4, 9, 3),
    ]
    # Contexts 7 and 8 of windows of 8: 6, 14 .. 46 and 7, 15 .. 39 behind 31.
    assert losses_by_context(losses, stretch, 8)[-1] == (7, 8, 11, pytest.approx(21 / 11, abs=1e-5))


def test_targets_left_out_leave_their_context_alone(gappy):
    # Of windows of 8 from 31 on, 37 to 42 are contexts 7, 8 and 1 to 4.
    bands = losses_by_context(np.zeros(41, np.float32), gappy, 8)
    assert [band.tokens for band in bands] == [5, 5, 5, 5, 12, 9]


def test_the_mean_over_all_bands_is_the_mean_of_the_window(make_model, stretch):
    losses = target_losses(make_model(), stretch, eval_length=16)
    bands = losses_by_context(losses, stretch, 16)
    assert sum(band.tokens for band in bands) == 47
    mean = sum(band.tokens * band.nll for band in bands) / 47
    assert mean == pytest.approx(losses.mean(), abs=1e-5)


def test_each_band_is_from_the_shortest_windows_that_hold_it():
    long = made_up("alibi", 8, 11.0, bands=by_context(8, lambda last: 9.0))
    # No target was there with three tokens of context in the short windows.
    short = made_up("alibi", 3, 11.0, bands=by_context(3, lambda last: 1.0)[:2])
    bands = bands_of(Record(**row) for row in (long, short))
    assert [(b.last, b.nll) for b in bands] == [*((1, 1), (2, 1)), *((n, 9) for n in (3, 4, 6, 8))]
