import re
from html.parser import HTMLParser

import pytest

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.markup import block, inline
from alibi_viz.lessons.plan import read_plan
from alibi_viz.lessons.sheet import Handout, answers, common_errors, notes, plan_sheet, sheets

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


LINK = "http://lab.example/lessons?lesson=penalty"


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_students_get_the_questions_and_the_teacher_the_answers(lesson):
    asked, given = sheets([lesson], [Handout()]), answers([lesson])
    assert asked.count('class="question"') == given.count('class="question"')
    assert asked.count('class="question"') == len(lesson.questions)
    for question in lesson.questions:
        assert inline(question.explained()[:40]) not in asked
    assert block(lesson.explanation) in given
    assert block(lesson.explanation) not in asked


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_sheet_is_whole_html_that_fetches_nothing(lesson):
    for text in (sheets([lesson], [Handout()]), answers([lesson])):
        parser = Balance()
        parser.feed(text)
        assert (parser.open, parser.wrong) == ([], [])
        assert not re.search(r"<(script|link|img)|src=|url\(", text)
        # Neither Markdown, formulas nor places of formulas are left over outside of code.
        prose = re.sub(r"<(pre|code|style)>.*?</\1>", "", text, flags=re.DOTALL)
        assert not re.search(r"\$|\*\*|\ue000|\\[a-z]", prose)


def test_one_file_has_all_sheets_and_another_all_answers():
    text = sheets(lessons(), [Handout()] * len(lessons()))
    assert text.count("<article>") == answers(lessons()).count("<article>") == len(lessons())
    assert text.count("<!doctype html>") == 1
    assert "article + article { break-before: page }" in text


def test_formulas_become_mathml():
    assert "<msqrt>" in sheets([find_lesson("penalty")], [Handout()])


def test_answers_stand_on_their_own_sheet():
    assert "<strong>−2 nats</strong>" in answers([find_lesson("penalty")])
    assert "−2 nats" not in sheets([find_lesson("penalty")], [Handout()])


def test_address_code_and_figure_stand_on_the_sheet_if_there_are_any():
    text = sheets([find_lesson("penalty")], [Handout(LINK, "<svg>here</svg>", "<div>map</div>")])
    assert "<svg>here</svg><figcaption>http://lab.example/lessons?lesson=penalty<" in text
    assert "<figure><div>map</div></figure>" in text
    assert "<figure" not in sheets([find_lesson("penalty")], [Handout()])


def test_the_plan_gives_the_minutes_of_each_lesson():
    text = plan_sheet(read_plan("penalty.10,windows.7"), LINK, "<svg></svg>")
    assert '<td class="time">0 to 10</td><td><strong>A penalty on the logit.' in text
    assert '<td class="time">10 to 17</td><td><strong>Windows.' in text
    assert "2 lessons, 17 minutes" in text
    assert LINK in text


def test_the_notes_give_time_goal_and_errors_of_every_lesson():
    text = notes(lessons())
    for lesson in lessons():
        assert f"<td>{lesson.minutes}</td>" in text
        assert lesson.title in text
        assert common_errors(lesson)[0] in text


def test_an_error_is_listed_once():
    errors = common_errors(find_lesson("ladder"))
    assert errors.count("counts heads from 0") == 1
