"""Every lesson: its state, its answers, the feedback for every known error, its links."""

import math
import re

import numpy as np
import pytest

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.questions import ChoiceQuestion, NumberQuestion, SpotQuestion

QUESTIONS = [(lesson, question) for lesson in lessons() for question in lesson.questions]
NUMBERS = [pair for pair in QUESTIONS if isinstance(pair[1], NumberQuestion)]
CHOICES = [pair for pair in QUESTIONS if isinstance(pair[1], ChoiceQuestion)]
SPOTS = [pair for pair in QUESTIONS if isinstance(pair[1], SpotQuestion)]


def name(part):
    return getattr(part, "slug", getattr(part, "key", None))


def every(pairs):
    return pytest.mark.parametrize(("lesson", "question"), pairs, ids=name)


def question_of(slug, key):
    return next(q for q in find_lesson(slug).questions if q.key == key)


def test_the_course_has_ten_lessons_or_more_and_questions_of_each_kind():
    assert len(lessons()) >= 10
    assert len(QUESTIONS) >= 25
    assert min(len(NUMBERS), len(CHOICES), len(SPOTS)) >= 4


def test_names_are_unique_and_fit_for_a_link():
    slugs = [lesson.slug for lesson in lessons()]
    assert len(set(slugs)) == len(slugs)
    for lesson in lessons():
        assert len(set(lesson.steps)) == len(lesson.steps)
        for text in (lesson.slug, *lesson.steps):
            assert text.replace("-", "").isalnum(), text
            assert text.islower(), text


@pytest.mark.parametrize("lesson", lessons(), ids=name)
def test_a_lesson_is_short_and_complete(lesson):
    assert 5 <= lesson.minutes <= 10
    assert len(lesson.questions) >= 2
    for text in (lesson.goal, lesson.opening, lesson.look, lesson.explanation, lesson.teaching):
        assert text.strip()
        assert text.count("$") % 2 == 0
        assert text.count("**") % 2 == 0


@pytest.mark.parametrize("lesson", lessons(), ids=name)
def test_lessons_are_named_by_their_titles_and_never_by_a_number(lesson):
    action = lesson.action
    said = [lesson.goal, lesson.opening, lesson.look, lesson.explanation, lesson.teaching]
    said += [action.task, action.hint, action.praise]
    for question in lesson.questions:
        said += [question.prompt, question.in_full(), getattr(question, "hint", "")]
        said += [option.feedback for option in getattr(question, "options", ())]
    assert action.hint.strip()
    assert not re.search(r"(?i)lessons? \d", " ".join(said))
    for text in said:
        for title in re.findall(r"[Ll]esson \*([^*]+)\*", text):
            assert title in {lesson.title for lesson in lessons()}


@pytest.mark.parametrize("lesson", lessons(), ids=name)
def test_the_action_is_not_done_before_it_is_done(lesson):
    prepared = dict(lesson.view.state)
    assert not lesson.action.done(prepared)
    assert lesson.action.done(prepared | dict(lesson.action.solution))


@pytest.mark.parametrize("lesson", lessons(), ids=name)
def test_the_action_can_be_done_with_the_controls_that_are_shown(lesson):
    assert set(lesson.action.solution) <= {*lesson.view.controls, *lesson.view.readings}
    assert set(lesson.action.solution) & set(lesson.view.controls)
    assert set(lesson.view.controls) <= set(lesson.view.state)


@pytest.mark.parametrize(
    "reading",
    [
        {"cost": 2.9, "weight": 0.2, "own_weight": 0.1},
        {"cost": 3.0, "weight": 0.1, "own_weight": 0.1},
        {},
    ],
)
def test_a_look_back_is_paid_for_only_where_it_is_dear_and_outweighs_the_own_key(reading):
    lesson = find_lesson("trained-heads")
    assert not lesson.action.done({**lesson.view.state, **reading})


def test_an_unknown_lesson_is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match=r"lesson must be one of equal-words, .*, got 'algebra'"):
        find_lesson("algebra")


# Derived by hand, from the paper or from the tables of the papers quoted.
BY_HAND = {
    # e / (2 e + 2 e^2 + 2)
    ("equal-words", "share"): 100 * math.e / (2 * math.e + 2 * math.e**2 + 2),
    ("adding", "terms"): 3,
    ("adding", "norm"): 64,
    # 2 pi 10000^(k/64) <= 127: k <= 64 log(20.2) / log(10^4) = 20.9, so 21 pairs turn.
    ("adding", "turns"): 43,
    ("rotating", "cosine"): math.cos(3),
    # 2 pi 10000^(k/8) <= 127: k <= 2.6, so 3 pairs turn.
    ("rotating", "turns"): 5,
    ("penalty", "bias"): -2,
    ("penalty", "first-row"): 1,
    ("ladder", "third"): 1 / 8,
    ("ladder", "first-of-16"): 1 / math.sqrt(2),
    ("ladder", "ninth-of-12"): 1 / math.sqrt(2),
    ("softmax", "factor"): math.exp(-0.5),
    ("softmax", "itself"): 1 - math.exp(-0.5),
    # Geometric series: (1 - r) r^512 / (1 - r^1024) with r = e^(-1/256)
    ("softmax", "far-weight"): (1 - math.exp(-1 / 256)) * math.exp(-2) / (1 - math.exp(-4)),
    ("softmax", "advantage"): 8,
    ("windows", "steep"): 6,
    ("windows", "flat"): 767,
    ("windows", "short-text"): 442,
    ("windows", "which-head"): 8,
    ("short-long", "sinusoidal"): 50.36 / 20.05,
    ("short-long", "nats"): math.log(19.73 / 18.31),
    ("early-tokens", "mean-context"): 513 / 2,
    ("early-tokens", "little"): 100 * 100 / 512,
    ("early-tokens", "saved"): 19.73 - 17.98,
    ("trained-heads", "read-back"): 0.5,
    ("trained-heads", "price"): 20,
    ("failures", "price"): 32,
    ("failures", "bfloat16"): 769,
    ("failures", "encoder"): 1 / (1 + 2 * math.exp(-0.5) + math.exp(-1)),
    ("failures", "interpolate"): 1 / 8,
    ("look-back", "price"): 2,
    ("look-back", "rivals"): math.log(1023),
    # Geometric series without its term at 512: (1 - r^1024) / (1 - r) - r^512, r = e^(-1/256).
    ("look-back", "both"): 2
    + math.log((1 - math.exp(-4)) / (1 - math.exp(-1 / 256)) - math.exp(-2)),
    ("look-back", "reach"): 256 * (8 + math.log(1 - math.exp(-1 / 256))),
    ("stretching", "neighbours"): 128 / 512,
    # Pairs k >= 3 have not been around within 128 tokens (2 pi 10^(k/2) > 128); k = 7 is divided by
    # all of 4 = 512 / 128 and stays within what it saw, k = 3 .. 6 by less.
    ("stretching", "middle"): 4,
    ("stretching", "temperature"): (0.1 * math.log(4) + 1) ** 2,
    ("stretching", "slopes"): 1,
    ("choosing", "cost"): 32 * 12,
}


@every(NUMBERS)
def test_every_number_is_the_one_derived_by_hand(lesson, question):
    assert question.answer() == pytest.approx(BY_HAND[lesson.slug, question.key], rel=1e-6)


RIGHT_WORDS = {
    ("equal-words", "swap"): "No, not in the last digit",
    ("equal-words", "mask"): "*bit* and the second",
    ("adding", "table"): "there is no such row",
    ("rotating", "shift"): "stays the same",
    ("penalty", "contest"): "B, the nearer one",
    ("ladder", "rules"): "powers of two",
    ("softmax", "shift"): "All of them",
    ("windows", "halve"): "doubles",
    ("short-long", "twice"): "T5 bias",
    ("early-tokens", "sliding"): "stays about level",
    ("trained-heads", "silent"): "No position method acts",
    ("failures", "retrieval"): "Flattening the flat heads",
    # Price and rivals of an endless text: 16 + 4.2, 1 + 6.9 and 0.1 + 9.7 nats.
    ("look-back", "slope"): "one over the distance",
    ("stretching", "ntk"): "The fastest, and only that",
    ("choosing", "updates"): "Sinusoidal",
    ("choosing", "hours"): "ALiBi",
    ("choosing", "far"): "KERPLE",
    ("choosing", "tasks"): "NoPE",
}


@every(CHOICES)
def test_every_choice_has_the_answer_known_from_the_sources(lesson, question):
    assert RIGHT_WORDS[lesson.slug, question.key] in question.answer_text()


@every(NUMBERS)
def test_the_right_number_is_accepted_as_a_student_would_type_it(lesson, question):
    verdict = question.check(f"{question.answer():.12g}")
    assert verdict.right
    assert "{answer}" not in verdict.feedback


# Two digits, or a unit, as a student would round and write the values above.
FAIR = {
    ("equal-words", "share"): ("12 %", "0.122", "12,2"),
    ("adding", "turns"): ("43 pairs",),
    ("rotating", "cosine"): ("-0.99", "−0,99"),
    ("penalty", "bias"): ("-2 nats", "−2.0"),
    ("penalty", "first-row"): ("100 %",),
    ("ladder", "third"): ("1/8", "0.13", "12.5 %", "2⁻³"),
    ("ladder", "first-of-16"): ("0.71", "1/√2", "2^(-1/2)"),
    ("softmax", "factor"): ("0.61", "60.7 %", "e^-0.5"),
    ("softmax", "itself"): ("0.39", "39 %"),
    ("softmax", "far-weight"): ("0.00054", "5.4e-4", "0.054 %", "5.4 x 10^-4"),
    ("softmax", "advantage"): ("8 nats", "about 8"),
    ("windows", "steep"): ("6 tokens",),
    ("windows", "flat"): ("767 tokens", "768", "770"),
    ("windows", "short-text"): ("442 tokens", "440"),
    ("short-long", "sinusoidal"): ("2.5", "2.5x", "2.5 times"),
    ("short-long", "nats"): ("0.075", "0.075 nats", "0.108 bits"),
    ("early-tokens", "mean-context"): ("256.5", "257", "256 tokens"),
    ("early-tokens", "little"): ("20", "20 %", "0.195", "19.5"),
    ("early-tokens", "saved"): ("1.75", "1.8"),
    ("trained-heads", "read-back"): ("1/2", "0.50"),
    ("failures", "price"): ("32 nats",),
    ("failures", "encoder"): ("0.39", "0.387", "39 %"),
    ("look-back", "rivals"): ("6.9", "6.93 nats", "7.0"),
    ("look-back", "both"): ("7.5", "7.53", "7.6 nats"),
    ("look-back", "reach"): ("628", "630 tokens", "628.3"),
    ("stretching", "neighbours"): ("0.25", "1/4", "1/4 radians"),
    ("stretching", "temperature"): ("1.3", "1.30", "1.3 times"),
    ("stretching", "slopes"): ("1 nat", "1"),
    ("choosing", "cost"): ("384 parameters",),
}


@pytest.mark.parametrize(("place", "given"), FAIR.items(), ids=str)
def test_fair_roundings_and_units_are_right(place, given):
    question = question_of(*place)
    assert [text for text in given if not question.check(text).right] == []


@every(NUMBERS)
def test_every_known_error_in_a_number_gets_its_feedback(lesson, question):
    assert question.mistakes
    for mistake in question.mistakes:
        verdict = question.check(f"{mistake.value():.12g}")
        assert not verdict.right
        assert (verdict.feedback, verdict.error) == (mistake.feedback, mistake.error)


@every(NUMBERS)
def test_other_wrong_numbers_get_the_hint(lesson, question):
    largest = max([question.answer(), *(mistake.value() for mistake in question.mistakes)], key=abs)
    assert question.check(f"{abs(largest) * 3 + 17:.12g}").feedback == question.hint


@every(CHOICES)
def test_every_wrong_choice_gets_feedback_and_names_its_error(lesson, question):
    for place, option in enumerate(question.options):
        verdict = question.check(place)
        assert verdict.right == (place == question.right)
        assert verdict.feedback
        assert bool(option.error) == (not verdict.right)


@every(CHOICES)
def test_the_options_of_a_choice_differ(lesson, question):
    assert len({str(option.value) for option in question.options}) == len(question.options)


@every(SPOTS)
def test_a_snippet_is_wrong_and_one_line_puts_it_right(lesson, question):
    assert not question.agrees(question.buggy)
    assert question.agrees(question.fixed)
    assert question.check(question.right).right


@every(SPOTS)
def test_every_innocent_line_of_a_snippet_is_answered(lesson, question):
    for line in range(len(question.lines)):
        verdict = question.check(line)
        assert verdict.right == (line == question.right)
        assert verdict.feedback
    assert all(any(part in line for line in question.lines) for part in question.innocent)


def test_the_leaking_snippet_gives_the_published_wrong_row():
    question = question_of("penalty", "leak")
    assert question.buggy(np.zeros((4, 4)), 0.5)[0].tolist() == [0.25] * 4
    assert question.fixed(np.zeros((4, 4)), 0.5)[0].tolist() == [1, 0, 0, 0]


def test_the_trap_of_a_bias_for_a_weight_is_recognised():
    verdict = question_of("softmax", "far-weight").check("e^-2")
    assert verdict.error == "takes e^-2 for a weight"


def test_counting_heads_from_0_is_recognised():
    assert question_of("ladder", "third").check("1/4").error == "counts heads from 0"
    assert question_of("windows", "which-head").check("7").error == "counts heads from 0"


def test_the_geometric_rule_for_12_heads_is_recognised():
    verdict = question_of("ladder", "ninth-of-12").check("1/64")
    assert verdict.error == "geometric instead of interleaved"
