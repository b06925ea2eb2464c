import pytest

from alibi_viz.lessons.questions import (
    ChoiceQuestion,
    Mistake,
    NumberQuestion,
    Option,
    SpotQuestion,
)

HALF_PI = NumberQuestion(
    key="half-pi",
    prompt="?",
    answer=lambda: 1.5708,
    reveal="{answer}, a quarter turn",
    hint="think of a circle",
    mistakes=(Mistake("takes the whole", lambda: 3.1416, "That is half a turn."),),
    unit="radians",
)


def _double(number: float) -> float:
    twice = number + number
    return twice + 1


def _double_right(number: float) -> float:
    twice = number + number
    return twice


def spot(buggy=_double, fixed=_double_right):
    return SpotQuestion(
        key="double",
        prompt="?",
        buggy=buggy,
        fixed=fixed,
        agrees=lambda function: function(3) == 6,
        reveal="one too much: `{fix}`",
        innocent={"twice = ": "A number twice is its double."},
        error="adds one",
    )


@pytest.mark.parametrize("given", ["1.5708", "1.58", "1.556", "pi/2", "157.08/100"])
def test_a_number_within_the_tolerance_is_right_and_reveals_why(given):
    verdict = HALF_PI.check(given)
    assert verdict.right
    assert verdict.feedback == "**1.57 radians**, a quarter turn"


@pytest.mark.parametrize("given", ["1.60", "1.54", "≈ 1,62"])
def test_a_number_that_is_nearly_right_is_called_close(given):
    verdict = HALF_PI.check(given)
    assert (verdict.right, verdict.close, verdict.error) == (False, True, "")


def asked(answer, unit="", tolerance=0.001, mistakes=()):
    return NumberQuestion("key", "?", lambda: answer, "{answer}", "no", mistakes, unit, tolerance)


def test_a_fair_rounding_is_right_and_a_single_digit_is_close():
    # 1 - e^(-1/2) = 0.39347
    question = asked(0.39347)
    assert all(question.check(text).right for text in ("0.39", "0.393", "39 %", "39.3%", "≈ 0,39"))
    assert not any(question.check(text).right for text in ("0.4", "0.40", "0.38", "39", "0.392"))
    assert question.check("0.4").feedback == "Right as far as it goes. Give one more digit."
    assert "write `39.35 %`" in question.check("39.35").feedback


def test_a_percentage_may_be_a_fraction_and_a_unit_is_taken_for_what_it_is():
    # e / (2 e + 2 e^2 + 2) = 12.2 %
    share = asked(12.236, "%")
    assert all(share.check(text).right for text in ("12.2", "12 %", "0.122", "0.12", "12 percent"))
    # ln 2 nats are one bit.
    nats = asked(1.3863, "nats")
    assert all(nats.check(text).right for text in ("1.39 nats", "2 bits", "ln 4", "1.386"))
    verdict = nats.check("1.39 tokens")
    assert (verdict.right, verdict.close) == (False, True)
    assert verdict.feedback == "You gave tokens; the question asks for nats."
    assert nats.read("2 bits") == pytest.approx(1.386294)


def test_a_known_error_is_told_even_where_it_is_close_or_rounds_to_the_answer():
    error = Mistake("rounds", lambda: 2.5, "That is 2.5.")
    assert asked(2.512, mistakes=(error,)).check("2.5").feedback == "That is 2.5."
    assert asked(2.512).check("2.5").right


@pytest.mark.parametrize("given", ["16", "0.2", "-1.5708"])
def test_a_number_outside_the_tolerance_gets_the_hint(given):
    verdict = HALF_PI.check(given)
    assert (verdict.right, verdict.feedback, verdict.error) == (False, "think of a circle", "")


def test_a_known_error_gets_its_own_feedback():
    verdict = HALF_PI.check("pi")
    assert (verdict.right, verdict.feedback) == (False, "That is half a turn.")
    assert verdict.error == "takes the whole"


def test_what_is_no_number_is_told_how_to_write_one():
    assert "Type a number" in HALF_PI.check("a quarter").feedback


def test_a_tolerance_of_zero_accepts_the_exact_number_only():
    exact = NumberQuestion("six", "?", lambda: 6.0, "{answer}", "no", tolerance=0)
    assert exact.check("6").right
    assert exact.check("6.0").right
    assert not exact.check("6.01").right
    assert exact.check("≈ 6").right
    many = NumberQuestion("many", "?", lambda: 43.0, "{answer}", "no", tolerance=0)
    assert "whole number" in many.check("42").feedback


def test_a_choice_is_right_by_its_value_not_by_its_place():
    question = ChoiceQuestion(
        "choice", "?", (Option("a", 2, "not two"), Option("b", 3, "")), lambda: 3, "three"
    )
    assert question.right == 1
    assert question.check(1).right
    assert question.check(0).feedback == "not two"


def test_a_choice_without_the_right_answer_is_an_error():
    question = ChoiceQuestion("choice", "?", (Option("a", 2, ""),), lambda: 3, "three")
    with pytest.raises(ValueError, match="not in"):
        _ = question.right


def test_the_wrong_line_is_where_the_sources_differ():
    question = spot()
    assert question.lines[0] == "def double(number: float) -> float:"
    assert question.right == 2
    assert question.check(2).right
    assert question.check(2).feedback == "one too much: `return twice`"


def test_an_innocent_line_has_its_own_feedback_if_there_is_one():
    assert spot().check(1).feedback == "A number twice is its double."
    assert "does what it should" in spot().check(0).feedback


def test_two_functions_that_do_not_differ_are_an_error():
    with pytest.raises(ValueError, match="one line should"):
        _ = spot(fixed=_double).right
