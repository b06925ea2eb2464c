from dataclasses import replace

import pytest

from alibi_viz.lessons.course import lessons
from alibi_viz.lessons.progress import MARK, all_items, code_of, from_text, to_text

ITEMS = all_items(lessons())


def test_nothing_done_is_an_empty_text():
    assert to_text([], lessons()) == ""
    assert from_text("", lessons()) == frozenset()


def test_no_two_items_share_a_code():
    assert len({code_of(item) for item in ITEMS}) == len(ITEMS)


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_progress_survives_the_link(step):
    done = frozenset(ITEMS[::step])
    assert from_text(to_text(done, lessons()), lessons()) == done


def test_a_question_that_is_inserted_in_the_middle_shifts_nobodys_ticks():
    first, second, *others = lessons()
    new = replace(second.questions[0], key="brand-new")
    longer = replace(second, questions=(second.questions[0], new, *second.questions[1:]))
    course = (others[0], first, longer, *others[1:])
    done = frozenset(ITEMS[::2])
    assert from_text(to_text(done, lessons()), course) == done


def test_an_item_that_is_gone_is_passed_over():
    shorter = lessons()[1:]
    kept = frozenset(item for item in ITEMS if item[0] != lessons()[0].slug)
    assert from_text(to_text(ITEMS, lessons()), shorter) == kept


def test_links_of_the_first_edition_are_still_read():
    # A bit an item: the first two of "equal-words", and the fifth item of the course.
    assert from_text("3", lessons()) == {ITEMS[0], ITEMS[1]}
    assert from_text("10", lessons()) == {ITEMS[4]}
    assert from_text("f" * 16, lessons()) <= set(ITEMS)


@pytest.mark.parametrize(
    "text", ["-1", "0x1", "1_0", "zz", " 1", "f" * 1000, "½", "~", "~???", "~" + "a" * 1000]
)
def test_a_link_that_says_no_progress_is_read_as_none(text):
    assert from_text(text, lessons()) == frozenset()


def test_all_progress_fits_into_a_link():
    text = to_text(ITEMS, lessons())
    assert text.startswith(MARK)
    assert len(text) <= 256
