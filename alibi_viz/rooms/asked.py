"""What can be asked in a room: the questions of the lessons, and lines to draw.

A question is named by a key: lesson and question, as in "ladder/third", or "sketch/" and a method.
"""

import math
from functools import cache
from typing import Any, TypeAlias

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.markup import block, inline
from alibi_viz.lessons.questions import ChoiceQuestion, NumberQuestion, Question, Verdict
from alibi_viz.positions import METHODS, find_method
from alibi_viz.rooms.sketch import HIGHEST, LOWEST, MULTIPLES, SketchQuestion

SKETCH = "sketch"

# The place of an option or a line of code, a number, or a line drawn: nothing that reads as text.
Answer: TypeAlias = int | float | list[float]


@cache
def question_keys() -> tuple[str, ...]:
    """Returns the keys of all that can be asked, in the order of the course, lines to draw last."""
    of_lessons = (f"{one.slug}/{question.key}" for one in lessons() for question in one.questions)
    drawn = (f"{SKETCH}/{method}" for method in METHODS if SketchQuestion(method).is_measured())
    return (*of_lessons, *drawn)


def find_question(key: str) -> Question | SketchQuestion:
    """Returns the question of that key.

    Raises:
        ValueError: None has it.
    """
    lesson, _, name = key.partition("/")
    if lesson == SKETCH:
        return SketchQuestion(find_method(name).key)
    for question in find_lesson(lesson).questions:
        if question.key == name:
            return question
    known = ", ".join(question.key for question in find_lesson(lesson).questions)
    raise ValueError(f"a question of {lesson} must be one of {known}, got {name!r}")


@cache
def question_for_phone(key: str) -> dict[str, Any]:
    """Returns what a phone needs to ask a question, as JSON can hold it; not the answer.

    Args:
        key: The question.
    """
    question = find_question(key)
    said = {"key": key, "prompt": block(question.prompt)}
    if isinstance(question, NumberQuestion):
        return {**said, "kind": "number", "unit": question.unit}
    if isinstance(question, ChoiceQuestion):
        return {**said, "kind": "choice", "options": [inline(o.text) for o in question.options]}
    if isinstance(question, SketchQuestion):
        axis = {"multiples": MULTIPLES, "lowest": LOWEST, "highest": HIGHEST}
        return {**said, "kind": "sketch", **axis}
    return {**said, "kind": "line", "lines": list(question.lines)}


def read_answer(question: Question | SketchQuestion, given: object) -> Answer:
    """Returns an answer as it is kept.

    Args:
        question: The question.
        given: What a phone sent: a place, a number as it was typed, or heights.

    Raises:
        ValueError: No answer to this question; the message is for whoever gave it.
    """
    if isinstance(question, NumberQuestion):
        if not isinstance(given, str):
            raise ValueError("Type a number.")
        return question.read(given)
    if isinstance(question, SketchQuestion):
        heights = given if isinstance(given, list) else []
        numbers = [h for h in heights if type(h) in (int, float) and math.isfinite(h)]
        if len(numbers) != len(heights) or len(numbers) != len(MULTIPLES):
            raise ValueError(f"A line has {len(MULTIPLES)} heights.")
        return [round(min(max(height, LOWEST), HIGHEST), 2) for height in numbers]
    count = len(choices(question))
    if type(given) is not int or not 0 <= given < count:
        raise ValueError(f"Choose one of the {count}.")
    return given


def choices(question: Question) -> tuple[str, ...]:
    """Returns what there is to choose from, as Markdown; nothing where numbers are asked for."""
    if isinstance(question, ChoiceQuestion):
        return tuple(option.text for option in question.options)
    if isinstance(question, NumberQuestion):
        return ()
    return tuple(f"Line {place}: `{line.strip()}`" for place, line in enumerate(question.lines, 1))


def verdict(question: Question | SketchQuestion, answer: Answer) -> Verdict:
    """Returns what is to be said of an answer that was kept."""
    if isinstance(question, NumberQuestion):
        return question.check(repr(answer))
    if isinstance(question, SketchQuestion):
        assert isinstance(answer, list), "as `read_answer` made it"
        return question.check(tuple(answer))
    assert isinstance(answer, int), "as `read_answer` made it"
    return question.check(answer)
