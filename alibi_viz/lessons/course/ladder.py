"""A lesson: how the slopes are chosen, and the two rules for odd head counts."""

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import (
    ChoiceQuestion,
    Mistake,
    NumberQuestion,
    Option,
    SpotQuestion,
)
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, alibi_slopes, rules_differ
from alibi_viz.published.cited import cited_numbers

_CITED = cited_numbers()
_TRAINABLE_SPEED = f"{_CITED['trainable_speed']}".replace("-", "−")
_ODD = 12


def _slope(n_head: int, head: int, *, interleaved: bool = False) -> float:
    """Returns the slope of a head counted from 1."""
    slopes = alibi_slopes(n_head, rule="interleaved" if interleaved else "geometric")
    return float(slopes[head - 1])


def _counted_from_0(n_head: int, head: int) -> float:
    return float(2 ** (-MAX_SLOPE_EXPONENT * (head - 1) / n_head))


def _sorted_slope(n_head: int, head: int) -> float:
    return float(np.sort(alibi_slopes(n_head, rule="interleaved"))[::-1][head - 1])


def _equal_counts() -> str:
    differ = [rules_differ(n_head) for n_head in (8, 12, 16, 24, 32, 40)]
    known: dict[tuple[bool, ...], str] = {
        (False, True, False, True, False, True): "powers of two",
        (False,) * 6: "always",
        (False, True, False, False, False, False): "divisible by 8",
    }
    return known[tuple(differ)]


def _slopes(n_head: int, max_exponent: float) -> Floats:
    head = np.arange(n_head)
    exponent = max_exponent * head / n_head
    return 2.0**-exponent


def _slopes_from_1(n_head: int, max_exponent: float) -> Floats:
    head = np.arange(1, n_head + 1)
    exponent = max_exponent * head / n_head
    return 2.0**-exponent


def _shows_one_over_root_two(state: State) -> bool:
    slopes = alibi_slopes(state["heads"], state["exponent"], state["rule"])
    if state["heads"] != _ODD or state["head"] > len(slopes):
        return False
    return bool(np.isclose(slopes[state["head"] - 1], 2**-0.5))


LESSON = Lesson(
    slug="ladder",
    title="The slope ladder",
    minutes=8,
    goal="Write down the slopes for any number of heads, and know why a checkpoint with 12 heads "
    "has them in an odd order.",
    opening="""
One slope for all heads would give one idea of *near* to all of them. ALiBi gives each head its own,
in a geometric sequence from steep to flat:

$$m_h = 2^{-8h/H}, \\qquad h = 1 \\ldots H$$

Every step divides the slope by the same factor, so heads stand evenly spaced on a logarithmic axis:
a ladder.
""",
    look="The ladder below the map: one dot per head. Change the number of heads: its last rung "
    "stays at $2^{-8}$, and the first one climbs.",
    view=View(
        "biases",
        "explore",
        ("heads", "rule", "head"),
        {"heads": 8, "exponent": 8.0, "length": 128, "rule": "geometric", "head": 1},
    ),
    questions=(
        NumberQuestion(
            key="third",
            prompt="8 heads. What is the slope of head 3?",
            answer=lambda: _slope(8, 3),
            tolerance=0.001,
            reveal="{answer}, or 1/8: with 8 heads the exponent is just minus the head's number.",
            hint="Put $h = 3$ and $H = 8$ into $2^{-8h/H}$.",
            mistakes=(
                Mistake(
                    "counts heads from 0",
                    lambda: _counted_from_0(8, 3),
                    "You counted heads from 0, which gives head 1 a slope of 1. The paper counts "
                    "from 1: head 1 has 1/2.",
                ),
                Mistake(
                    "takes the index 3 for head 3",
                    lambda: _slope(8, 4),
                    "That is `slopes[3]` in Python: the *fourth* head.",
                ),
            ),
        ),
        NumberQuestion(
            key="first-of-16",
            prompt="16 heads. What is the slope of head 1?",
            answer=lambda: _slope(16, 1),
            tolerance=0.01,
            reveal="{answer}, which is $2^{-1/2}$. The ladder for 16 heads is the one for 8 with a "
            "rung between any two, and one more on top.",
            hint="The ratio between neighbours is $2^{-8/H}$, and head 1 has that as its slope.",
            mistakes=(
                Mistake(
                    "lets every ladder start at 1/2",
                    lambda: _slope(8, 1),
                    "1/2 is where the ladder of *8* heads starts. More heads, smaller steps.",
                ),
                Mistake(
                    "counts heads from 0",
                    lambda: _counted_from_0(16, 1),
                    "You counted heads from 0. A slope of 1 is on no ladder with exponent 8.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="rules",
            prompt="The authors' code does not use that formula for every $H$. For which head "
            "counts do code and formula agree?",
            options=(
                Option(
                    "For all of them.",
                    "always",
                    "Set the view to 12 heads: a control appears that lets you choose between the "
                    "two.",
                    "does not know of the second rule",
                ),
                Option("For powers of two.", "powers of two", ""),
                Option(
                    "For multiples of 8.",
                    "divisible by 8",
                    "Try 24 heads in the view: a multiple of 8, and the two rules differ.",
                    "takes multiples of 8 for powers of two",
                ),
            ),
            answer=_equal_counts,
            reveal="For other counts the code takes the ladder of the next smaller power of two "
            "and appends every second rung of the ladder with twice as many. We call that rule "
            "*interleaved*; nearly every trained checkpoint has it.",
        ),
        NumberQuestion(
            key="ninth-of-12",
            prompt="A checkpoint with 12 heads, slopes from the authors' code. What is the slope "
            "of head 9?",
            answer=lambda: _slope(_ODD, 9, interleaved=True),
            tolerance=0.01,
            reveal="{answer}: after the 8 rungs of the 8-head ladder come rungs 1, 3, 5 and 7 of "
            "the 16-head one. So head 9 is *steeper* than head 1. That jump is no bug, and "
            "whoever sorts it away gives trained heads each other's slopes.",
            hint="First 8 slopes as for 8 heads, then the 1st, 3rd, 5th and 7th of 16.",
            mistakes=(
                Mistake(
                    "geometric instead of interleaved",
                    lambda: _slope(_ODD, 9),
                    "That is the paper's formula with $H = 12$. The code does not use it here.",
                ),
                Mistake(
                    "sorts the slopes",
                    lambda: _sorted_slope(_ODD, 9),
                    "Right slopes, sorted. A checkpoint's heads have been trained in *their* "
                    "order.",
                ),
                Mistake(
                    "continues the ladder of 8 heads",
                    lambda: _slope(8, 8) / 2,
                    "You went on below 1/256. The extra heads fill gaps instead.",
                ),
            ),
        ),
        SpotQuestion(
            key="from-zero",
            prompt="A colleague writes the formula down. The model trains, a little worse than "
            "hoped. Which line is wrong?",
            buggy=_slopes,
            fixed=_slopes_from_1,
            agrees=lambda function: bool(np.array_equal(function(8, 8.0), alibi_slopes(8))),
            reveal="Heads count from 1: `{fix}`. Counted from 0 every slope is one rung too steep, "
            "and the flattest of 8 heads sees half as far as it should. Nothing crashes.",
            innocent={
                "max_exponent * head": "The exponent is the formula's, if `head` is what the "
                "formula calls $h$.",
                "2.0**": "Two to minus the exponent: right.",
                "def ": "Nothing wrong with the arguments.",
            },
            error="counts heads from 0",
        ),
    ),
    action=Action(
        task="Set the number of heads to 12, choose the authors' rule, and find the head with "
        "slope $1/\\sqrt2$.",
        hint="At 12 heads a control for the rule appears: choose *interleaved*. The slope is "
        "0.707, and it does not stand first.",
        done=_shows_one_over_root_two,
        praise="Head 9, after a jump from 1/256. Its colour says the same as its slope: colours "
        "follow the rank of the slope, not the number of the head.",
        solution={"heads": 12, "rule": "interleaved", "head": 9},
    ),
    explanation=f"""
Why geometric? Each head covers a constant *ratio* of scales, so a handful spans from a few tokens
to hundreds. The paper tried {_CITED["slope_sets"]} sets of slopes by hand. Trained slopes did not
extrapolate well (and changed the training speed by {_TRAINABLE_SPEED}), so they stayed fixed.

The 8 is a choice too. It puts the flattest head at 1/256, which suits texts of a few thousand
tokens. MPT-7B-StoryWriter, fine-tuned for 65,000, uses 16.
""",
    teaching="Give half the class the formula and half the code for 12 heads, and let them compare "
    "results before you explain.",
)
