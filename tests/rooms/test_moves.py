import pytest

from alibi_viz.charts.answers import SketchesChart, VotesChart
from alibi_viz.rooms.asked import question_keys
from alibi_viz.rooms.charted import as_chart
from alibi_viz.rooms.moves import after, make, moves

RULES, THIRD = "ladder/rules", "ladder/third"


def usual(room, chosen):
    """Makes the move that a presenter makes as a rule, and returns it with what comes next."""
    move = moves(room.state())[0]
    return move, make(move, room, chosen)


def test_the_usual_way_is_vote_discuss_vote_again_reveal_and_on(room):
    made, chosen = [], THIRD
    for _ in range(7):
        move, chosen = usual(room, chosen)
        made.append(move)
    assert made == ["ask", "close", "again", "close", "reveal", "next", "close"]
    assert room.state().question == after(THIRD) == "ladder/first-of-16"
    assert chosen == RULES


def test_a_line_is_drawn_once(room):
    made, chosen = [], "sketch/alibi"
    for _ in range(3):
        move, chosen = usual(room, chosen)
        made.append(move)
    assert made == ["ask", "close", "reveal"]
    assert room.state().phase == "revealed"


def test_the_last_question_is_followed_by_itself():
    assert after(question_keys()[-1]) == question_keys()[-1]


def test_only_lines_that_were_measured_can_be_asked_for():
    drawn = [key for key in question_keys() if key.startswith("sketch/")]
    assert "sketch/rope" in drawn
    # It has no position past the training length.
    assert "sketch/learned" not in drawn


@pytest.fixture
def two_rounds(room, student):
    """Three students, of whom one learns from the others."""
    ann, ben, cyd = student("ann"), student("ben"), student("cyd")
    room.start_round(THIRD)
    for one, given in ((ann, "1/8"), (ben, "1/4"), (cyd, "17")):
        one.answers(given)
    room.start_round(THIRD)
    for one, given in ((ann, "1/8"), (ben, "0.125"), (cyd, "1/4")):
        one.answers(given, 2)
    return room.results(THIRD)


def test_before_the_reveal_numbers_stand_as_they_were_typed(two_rounds):
    chart = as_chart(THIRD, two_rounds, is_revealed=False)
    assert isinstance(chart, VotesChart)
    assert [text for text, _, _ in chart.answers] == ["0.125", "0.25", "another number"]
    assert chart.rounds == ((1, 1, 1), (2, 1, 0))
    assert not any(error or right for _, error, right in chart.answers)


def test_after_it_both_votes_stand_beside_the_answer_and_errors_have_names(two_rounds):
    chart = as_chart(THIRD, two_rounds, is_revealed=True)
    assert chart.answers == (
        ("0.125", "", True),
        ("counts heads from 0", "counts heads from 0", False),
        ("another number", "", False),
    )
    assert chart.rounds == ((1, 1, 1), (2, 1, 0))
    assert chart.sentence() == (
        "**2 of 3** answered right; before the discussion, 1 of 3. "
        "Errors: *counts heads from 0* (1)."
    )


def test_choices_do_not_say_which_is_right_before_the_reveal(room, student):
    room.start_round(RULES)
    student("ann").answers(2)
    hidden = as_chart(RULES, room.results(), is_revealed=False)
    assert not any(error or right for _, error, right in hidden.answers)
    shown = as_chart(RULES, room.results(), is_revealed=True)
    assert [right for _, _, right in shown.answers] == [False, True, False]
    assert shown.rounds == ((0, 0, 1),)


def test_the_measured_line_comes_with_the_reveal(room, student):
    room.start_round("sketch/rope")
    student("ann").answers([0.5] * 10)
    hidden, shown = (
        as_chart("sketch/rope", room.results(), is_revealed=is_revealed)
        for is_revealed in (False, True)
    )
    assert isinstance(hidden, SketchesChart)
    assert hidden.lines == shown.lines == ((0.5,) * 10,)
    assert hidden.measured == ()
    # In doublings of perplexity; None at the multiples that were not measured.
    heights = [height for height in shown.measured if height is not None]
    assert heights[-1] > 1
    assert len(heights) == 5
    assert "the class's middle line says 1.4 times" in shown.sentence()
