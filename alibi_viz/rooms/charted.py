"""The rounds of a question as a chart."""

import re

from alibi_viz.charts.answers import SketchesChart, VotesChart
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.rooms.asked import find_question
from alibi_viz.rooms.results import OTHER_NUMBER, RoundResult
from alibi_viz.rooms.sketch import MULTIPLES, SketchQuestion

MAX_TYPED = 5


def as_chart(
    question: str, rounds: tuple[RoundResult, ...], *, is_revealed: bool
) -> VotesChart | SketchesChart:
    """Returns what a class answered, and, once it is revealed, what is right.

    Args:
        question: Key of the question.
        rounds: Its rounds in order, at least one.
        is_revealed: Whether the right answer, the errors and the measured line may be seen.
    """
    asked = find_question(question)
    if isinstance(asked, SketchQuestion):
        measured = tuple(None if h != h else h for h in asked.answer()) if is_revealed else ()
        lines = tuple(rounds[-1].lines)
        return SketchesChart(asked.key, TRAIN_LENGTH, MULTIPLES, lines, measured)
    if rounds[-1].typed and not is_revealed:
        # By what was typed: the groups are called by what is right and wrong.
        kinds = list(dict(rounds[-1].typed[:MAX_TYPED]))
        given = [dict(one.typed) for one in rounds]
        seen = tuple(tuple(one.get(kind, 0) for kind in kinds) for one in given)
        others = tuple(one.answered - sum(row) for one, row in zip(rounds, seen, strict=True))
        rows = tuple((*row, rest) for row, rest in zip(seen, others, strict=True))
        texts = tuple((text, "", False) for text in (*kinds, OTHER_NUMBER))
        return VotesChart(question, texts, rows)
    # Groups of numbers differ from round to round: all of them, the right one first.
    groups = {group.label: group for one in rounds for group in one.groups}
    order = sorted(groups, key=lambda label: label == OTHER_NUMBER)
    answers = tuple(
        (
            plain(label),
            groups[label].error if is_revealed else "",
            groups[label].is_right and is_revealed,
        )
        for label in order
    )
    counts = tuple(
        tuple(sum(g.count for g in one.groups if g.label == label) for label in order)
        for one in rounds
    )
    return VotesChart(question, answers, counts)


def plain(markdown: str) -> str:
    r"""Returns Markdown without its marks, as figures write it.

    >>> plain("Line 3: `a * b`"), plain("*bit* and **the**"), plain(r"$p_i \cdot p_i$")
    ('Line 3: a * b', 'bit and the', 'p_i · p_i')
    """
    markdown = re.sub(r"\$\$?(.+?)\$\$?", lambda match: _in_signs(match[1]), markdown)
    parts = re.split(r"`([^`]*)`", markdown)
    parts[::2] = [re.sub(r"\*+", "", part) for part in parts[::2]]
    return "".join(parts)


def _in_signs(formula: str) -> str:
    """Returns a short formula without LaTeX's commands."""
    for command, sign in ((r"\cdot", "·"), (r"\,", " "), (r"\top", "T"), (r"\sqrt", "√")):
        formula = formula.replace(command, sign)
    return re.sub(r"[\\{}]", "", formula)
