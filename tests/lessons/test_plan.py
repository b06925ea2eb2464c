import pytest

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.plan import PRESETS, Plan, preset, read_plan


@pytest.mark.parametrize("minutes", PRESETS)
def test_a_preset_fits_and_leaves_time_for_questions(minutes):
    plan = preset(minutes)
    assert 0.8 * minutes <= plan.minutes <= minutes - 4
    # In the order of the course: later lessons build on earlier ones.
    assert list(plan.lessons) == [lesson for lesson in lessons() if lesson in plan.lessons]


def test_a_plan_survives_its_link():
    plan = preset(45).with_lesson("penalty", 15)
    assert read_plan(plan.text) == plan
    assert "penalty.15" in plan.text


def test_lessons_start_one_after_the_other():
    plan = read_plan("penalty.10,equal-words.5,windows.7")
    assert plan.starts == (0, 10, 15)
    assert plan.minutes == 22


def test_lessons_are_moved_added_and_taken_out():
    plan = read_plan("penalty.10,equal-words.5,windows.7")
    assert plan.moved("windows", -1).text == "penalty.10,windows.7,equal-words.5"
    assert plan.moved("penalty", -1) == plan
    assert plan.moved("penalty", 1).text == "equal-words.5,penalty.10,windows.7"
    assert plan.without("penalty").text == "equal-words.5,windows.7"
    assert plan.with_lesson("ladder").text == plan.text + ",ladder.8"


def test_the_next_lesson_is_the_plans():
    plan = read_plan("windows,penalty")
    assert plan.after(find_lesson("windows")) == find_lesson("penalty")
    assert plan.after(find_lesson("penalty")) is None
    assert plan.after(find_lesson("ladder")) is None


@pytest.mark.parametrize("text", ["", "algebra.3", ".", ",,,", "penalty..", "penalty.-3"])
def test_what_says_no_lesson_or_minutes_is_passed_over(text):
    plan = read_plan(text)
    assert plan in (Plan(), read_plan("penalty"))


def test_no_lesson_takes_a_day():
    assert read_plan("penalty.999").text == "penalty.240"
