import pytest

from alibi_viz.lessons.course import lessons
from alibi_viz.lessons.progress import all_items, from_text, to_text

ITEMS = all_items(lessons())


def test_nothing_done_is_an_empty_text():
    assert to_text([], lessons()) == ""
    assert from_text("", lessons()) == frozenset()


def test_the_first_question_is_the_lowest_bit():
    assert to_text([ITEMS[0]], lessons()) == "1"
    assert to_text([ITEMS[4]], lessons()) == "10"
    assert from_text("3", lessons()) == {ITEMS[0], ITEMS[1]}


@pytest.mark.parametrize("step", [2, 3, 7])
def test_progress_survives_the_link(step):
    done = frozenset(ITEMS[::step])
    assert from_text(to_text(done, lessons()), lessons()) == done


def test_all_progress_fits_into_a_short_link():
    assert len(to_text(ITEMS, lessons())) <= 16
    assert from_text(to_text(ITEMS, lessons()), lessons()) == set(ITEMS)


@pytest.mark.parametrize("text", ["-1", "0x1", "1_0", "zz", " 1", "f" * 1000, "½"])
def test_a_link_that_says_no_progress_is_read_as_none(text):
    assert from_text(text, lessons()) == frozenset()


def test_bits_beyond_the_course_mean_nothing():
    assert from_text("f" * 20, lessons()) == set(ITEMS)
