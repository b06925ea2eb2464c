import re
from html.parser import HTMLParser

import pytest

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.sheet import common_errors, notes, sheet

VOID = {"meta", "br", "hr", "img", "link"}


class Balance(HTMLParser):
    """Notes tags that are closed without being open, or never."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_sheet_asks_everything_first_and_answers_on_another_page(lesson):
    text = sheet(lesson, 7)
    asked, answered = text.split('<section class="answers">')
    assert asked.count('class="question"') == len(lesson.questions)
    assert answered.count('class="question"') == len(lesson.questions)
    assert "break-before: page" in text


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_sheet_is_whole_html_that_fetches_nothing(lesson):
    text = sheet(lesson, 7)
    parser = Balance()
    parser.feed(text)
    assert (parser.open, parser.wrong) == ([], [])
    assert not re.search(r"<(script|link|img)|src=|url\(", text)
    # Neither Markdown, formulas nor places of formulas are left over outside of code.
    prose = re.sub(r"<(pre|code|style)>.*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"\$|\*\*|\ue000|\\[a-z]", prose)


def test_formulas_become_mathml():
    assert "<msqrt>" in sheet(find_lesson("penalty"), 4)


def test_answers_stand_on_the_sheet():
    assert "<strong>−2 nats</strong>" in sheet(find_lesson("penalty"), 4).split("answers")[-1]


def test_a_code_stands_on_the_sheet_if_there_is_one():
    assert "<svg>here</svg>" in sheet(find_lesson("penalty"), 4, "<svg>here</svg>")
    assert "<figure>" not in sheet(find_lesson("penalty"), 4)


def test_the_notes_give_time_goal_and_errors_of_every_lesson():
    text = notes(lessons())
    for lesson in lessons():
        assert f"<td>{lesson.minutes}</td>" in text
        assert lesson.title in text
        assert common_errors(lesson)[0] in text


def test_an_error_is_listed_once():
    errors = common_errors(find_lesson("ladder"))
    assert errors.count("counts heads from 0") == 1
