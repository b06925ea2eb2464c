"""What a class answered: how many gave which answer, with the known errors by their names."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from alibi_viz.lessons.answers import spell_number
from alibi_viz.lessons.questions import NumberQuestion
from alibi_viz.rooms.asked import Answer, choices, find_question, verdict
from alibi_viz.rooms.sketch import SketchQuestion

OTHER_NUMBER = "another number"


@dataclass(frozen=True)
class Vote:
    """One answer."""

    question: str
    """Key of the question."""
    round: int
    """Counted from 1 for each question."""
    seat: int
    """Who answered: students by the order in which they joined."""
    answer: Answer
    """A place, a number or heights."""


@dataclass(frozen=True)
class Group:
    """Answers that are one."""

    label: str
    """What was answered, or the error behind it, as Markdown."""
    count: int
    """How many gave it."""
    is_right: bool
    """Whether it is the library's answer."""
    error: str = ""
    """The known error behind it; empty where there is none."""


@dataclass(frozen=True)
class RoundResult:
    """One round of one question."""

    question: str
    """Key of the question."""
    round: int
    """Counted from 1."""
    answered: int
    """How many answered."""
    groups: tuple[Group, ...]
    """Choices and lines in the order shown; numbers with the right one first, then by count. Empty
    for sketches."""
    lines: tuple[tuple[float, ...], ...]
    """(student, multiple) heights of sketches; empty for all else."""
    typed: tuple[tuple[str, int], ...] = ()
    """Numbers as they were typed, with how many gave each, the most frequent first; empty for all
    else."""


def round_result(question: str, number: int, votes: Sequence[Vote]) -> RoundResult:
    """Returns a round from its votes.

    Args:
        question: Key of the question.
        number: The round.
        votes: Its votes.
    """
    asked = find_question(question)
    if isinstance(asked, SketchQuestion):
        lines = tuple(tuple(v.answer) for v in votes if isinstance(v.answer, list))
        return RoundResult(question, number, len(votes), (), lines)
    if isinstance(asked, NumberQuestion):
        numbers = [vote.answer for vote in votes]
        typed = tuple(Counter(map(_spelled, numbers)).most_common())
        groups = _number_groups(asked, numbers)
        return RoundResult(question, number, len(votes), groups, (), typed)
    counts = Counter(vote.answer for vote in votes if isinstance(vote.answer, int))
    judged = [verdict(asked, place) for place in range(len(choices(asked)))]
    groups = tuple(
        Group(text, counts[place], judged[place].right, judged[place].error)
        for place, text in enumerate(choices(asked))
    )
    return RoundResult(question, number, len(votes), groups, ())


def as_csv(votes: Sequence[Vote]) -> str:
    """Returns all votes as a table: question, round, seat, answer, right, error."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["question", "round", "student", "answer", "right", "error"])
    for vote in votes:
        asked = find_question(vote.question)
        judged = verdict(asked, vote.answer)
        row = [vote.question, vote.round, vote.seat, _spelled(vote.answer)]
        table.writerow([*row, int(judged.right), judged.error])
    return file.getvalue()


def _number_groups(question: NumberQuestion, answers: Sequence[Answer]) -> tuple[Group, ...]:
    judged = [verdict(question, answer) for answer in answers]
    right = sum(one.right for one in judged)
    wrong = Counter(one.error or OTHER_NUMBER for one in judged if not one.right)
    others = (
        Group(label, count, False, "" if label == OTHER_NUMBER else label)
        for label, count in wrong.most_common()
    )
    return (Group(question.answer_text(), right, True), *others)


def _spelled(answer: Answer) -> str:
    if isinstance(answer, list):
        return " ".join(f"{height:g}" for height in answer)
    # Options and lines are counted from 1, as they are read.
    return str(answer + 1) if isinstance(answer, int) else spell_number(answer)
