import numpy as np
import pytest

from alibi_viz.retrieval.needles import (
    CHANCE,
    COLOURS,
    FIRST_ANSWER,
    FIRST_NEEDLE,
    FIRST_QUESTION,
    N_DEPTH,
    N_FILLER,
    N_NUMBER,
    N_QUESTION,
    NO_ANSWER,
    VOCAB_SIZE,
    asked_window,
    depth_of,
    needle_windows,
    token_names,
    training_windows,
)

WINDOWS = {
    "training": training_windows(3, 5, count=29),
    "test": needle_windows(211, count=29),
}


@pytest.fixture(params=WINDOWS)
def windows(request):
    return WINDOWS[request.param]


def questions_of(windows):
    """What is asked, read from the tokens alone: (row, place, colour, answer, distance)."""
    for row, tokens in enumerate(windows.tokens.tolist()):
        for place, answer, distance in zip(
            windows.places[row], windows.answers[row], windows.distances[row], strict=True
        ):
            yield row, place, tokens[place] - FIRST_QUESTION, answer, distance


def test_every_colour_stands_in_a_window_exactly_once(windows):
    for tokens in windows.tokens:
        needles = tokens[(tokens >= FIRST_NEEDLE) & (tokens < FIRST_QUESTION)]
        assert sorted((needles - FIRST_NEEDLE) // N_NUMBER) == list(range(len(COLOURS)))


def test_every_needle_stands_before_its_question_and_answers_it(windows):
    asked = [q for q in questions_of(windows) if q[3] != NO_ANSWER]
    assert len(asked) > 29 * N_QUESTION / 2
    for row, place, colour, answer, distance in asked:
        assert distance > 0
        needle = windows.tokens[row, place - distance] - FIRST_NEEDLE
        assert divmod(needle, N_NUMBER) == (colour, answer - FIRST_ANSWER)


def test_where_nothing_can_be_asked_filler_stands_and_no_needle_came_before():
    windows = WINDOWS["training"]
    silent = [q for q in questions_of(windows) if q[3] == NO_ANSWER]
    assert silent
    for row, place, *_ in silent:
        assert windows.tokens[row, place] < N_FILLER
        assert not (windows.tokens[row, :place] >= FIRST_NEEDLE).any()


def test_answers_never_stand_in_a_window(windows):
    assert windows.tokens.max() < FIRST_ANSWER


def test_a_test_asks_in_the_last_places_about_needles_anywhere():
    windows = needle_windows(211, count=101)
    assert (windows.places == np.arange(211 - N_QUESTION, 211)).all()
    assert (windows.answers != NO_ANSWER).all()
    assert set(depth_of(windows.distances, 211).ravel()) == set(range(N_DEPTH))


def test_a_chosen_needle_stands_at_its_distance_and_the_rest_stays():
    windows = [
        asked_window(2, 5, distance=distance, length=307, seed=4) for distance in (1, 50, 306)
    ]
    for window, distance in zip(windows, (1, 50, 306), strict=True):
        tokens = window.tokens[0]
        needles = (tokens >= FIRST_NEEDLE) & (tokens < FIRST_QUESTION)
        assert tokens[306 - distance] == FIRST_NEEDLE + 2 * N_NUMBER + 5
        assert sorted((tokens[needles] - FIRST_NEEDLE) // N_NUMBER) == [0, 1, 2, 3]
        assert tokens[-1] == FIRST_QUESTION + 2
        assert (window.answers, window.distances) == (FIRST_ANSWER + 5, distance)
    for seed in range(30):
        tokens = asked_window(0, 0, distance=9, length=20, seed=seed).tokens
        assert ((tokens >= FIRST_NEEDLE) & (tokens < FIRST_QUESTION)).sum() == 4
    changed = (windows[1].tokens != windows[2].tokens).sum()
    assert changed <= 4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"distance": 0}, "distance must be from 1 to 127, got 0"),
        ({"colour": 4}, "colour must be from 0 to 3, got 4"),
        ({"number": 8}, "number must be from 0 to 7, got 8"),
        ({"length": 19}, "a window needs 20 tokens"),
    ],
)
def test_a_needle_that_cannot_stand_there_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        asked_window(**{"colour": 0, "number": 0, "distance": 5, "length": 128, **changed})


def test_whoever_always_gives_the_same_answer_is_right_by_chance():
    answers = needle_windows(128, count=499).answers
    for number in range(N_NUMBER):
        share = (answers == FIRST_ANSWER + number).mean()
        # Four numbers a window are drawn; their share has a standard error of 0.0074.
        assert share == pytest.approx(CHANCE, abs=0.03)


def test_windows_depend_on_their_arguments_only():
    again = needle_windows(211, count=29)
    assert np.array_equal(again.tokens, WINDOWS["test"].tokens)
    assert not np.array_equal(training_windows(3, 6).tokens, training_windows(3, 5).tokens)


def test_every_token_has_a_name_of_its_own():
    assert len(set(token_names())) == len(token_names()) == VOCAB_SIZE


def test_depths_are_eighths_nearest_first():
    assert depth_of(np.array([0, 12, 13, 52, 103]), 104).tolist() == [0, 0, 1, 4, 7]


def test_a_window_that_cannot_hold_everything_is_refused():
    with pytest.raises(ValueError, match=r"a window needs 20 tokens .*, got 19"):
        training_windows(0, 0, length=19)
    with pytest.raises(ValueError, match=r"a window needs 20 tokens .*, got 19"):
        needle_windows(19)
