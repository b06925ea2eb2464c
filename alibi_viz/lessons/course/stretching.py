"""A lesson: a trained model made to read longer windows, by other numbers for position."""

import math

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.positions.stretch import RULES, Stretching
from alibi_viz.positions.turns import WIDTHS

_LENGTH, _TIMES = 128, 4
_BACK = 8


def _stretched(rule: str, times: int = _TIMES) -> tuple[Floats, Floats]:
    """Returns RoPE's frequencies as trained and stretched, in radians per token."""
    own = pair_frequencies(WIDTHS["rope"])
    return own, Stretching(RULES[rule]).numbers(own, times * _LENGTH, _LENGTH)


def _new_angles(rule: str, times: int = _TIMES) -> int:
    """Returns how many pairs turn to angles that training never had."""
    own, stretched = _stretched(rule, times)
    seen = own * _LENGTH
    farther = stretched * times * _LENGTH > seen * (1 + 1e-9)
    return int((farther & (seen < 2 * math.pi)).sum())


def _kept_by_ntk() -> str:
    own, stretched = _stretched("ntk")
    kept = np.flatnonzero(stretched == own).tolist()
    return {"[0]": "fastest", f"[{len(own) - 1}]": "slowest"}.get(str(kept), "other")


def _penalty(rule: str | None) -> float:
    """Returns what the steepest of 8 heads takes off a near key, in nats."""
    slopes = alibi_slopes(8)
    if rule is not None:
        slopes = Stretching(RULES[rule]).numbers(slopes, _TIMES * _LENGTH, _LENGTH)
    return float(_BACK * slopes[0])


def _factor(rule: str = "yarn") -> float:
    return Stretching(RULES[rule]).logit_factor(_TIMES * _LENGTH, _LENGTH)


def _all_angles_known_and_neighbours_told_apart(state: State) -> bool:
    key = next(key for key, rule in RULES.items() if rule.label == state["stretched_by"])
    if RULES[key].method != "rope" or state["stretch"] < 16:
        return False
    own, stretched = _stretched(key, state["stretch"])
    return bool(stretched[0] == own[0]) and not _new_angles(key, state["stretch"])


LESSON = Lesson(
    slug="stretching",
    title="Stretch",
    minutes=8,
    goal="Say what each way of stretching a trained model keeps, and what it gives up.",
    opening="""
Past its training length a RoPE model meets angles that it never saw. So let nothing turn so far.
With a window of $T$ tokens in place of $L$, **position interpolation** divides every frequency by
$s = T / L$: the last position turns no farther than the last one of training. No weight changes.

It has a price. The fast pairs tell neighbours apart, and now they turn more slowly too. What came
after it pays less: **NTK-aware** scaling spreads the division from the slowest pair to the fastest,
**YaRN** leaves fast pairs alone, divides slow ones, and makes the logits larger.
""",
    look="A lane a pair, the fastest on top; its height is what the pair would reach unstretched. "
    "The shade is what training saw: a line above it is new to the model. Change the rule, then "
    "how far it stretches.",
    view=View(
        "stretching",
        "methods",
        ("stretched_by", "stretch"),
        {"stretched_by": RULES["pi"].label, "stretch": _TIMES, "window": _LENGTH},
    ),
    questions=(
        NumberQuestion(
            key="neighbours",
            prompt="Trained on 128 tokens, the fastest pair turns by 1 radian from a token to the "
            "next. A window of 512 comes, stretched by position interpolation. By how many "
            "radians does it turn now?",
            unit="radians",
            answer=lambda: float(_stretched("pi")[1][0]),
            reveal="{answer}: two neighbours stand as close as a quarter of a token did before. "
            "That is new to the model as well, in its own way.",
            hint="Every frequency is divided by $s = 512 / 128$.",
            mistakes=(
                Mistake(
                    "multiplies by the scale",
                    lambda: float(_TIMES),
                    "That would turn faster, and leave the angles of training sooner.",
                ),
                Mistake(
                    "thinks that interpolation spares fast pairs",
                    lambda: float(_stretched("ntk")[1][0]),
                    "So it is with NTK-aware scaling. Position interpolation divides all alike.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="ntk",
            prompt="Which pairs turn as fast as before with NTK-aware scaling?",
            options=(
                Option(
                    "The slowest: the base of the powers grows, and theirs is the largest power.",
                    "slowest",
                    "The largest power changes most: the slowest pair is divided by all of $s$.",
                    "takes the larger base for a larger frequency",
                ),
                Option("The fastest, and only that.", "fastest", ""),
                Option(
                    "All: what changes is the base.",
                    "other",
                    "The frequencies are powers of the base: all but the first change with it.",
                    "does not see frequencies as powers of the base",
                ),
            ),
            answer=_kept_by_ntk,
            reveal="Pair $k$ is divided by $s^{k/7}$, $k = 0 \\ldots 7$: the first by 1, the last "
            "by $s$. What tells neighbours apart stays, what tells far places apart is squeezed.",
        ),
        NumberQuestion(
            key="middle",
            prompt="And how many of the 8 pairs still turn to angles that training never had, with "
            "NTK-aware scaling to 512 tokens? A pair that has been all the way around knows every "
            "angle.",
            answer=lambda: float(_new_angles("ntk")),
            tolerance=0,
            reveal="{answer}: those in the middle, too slow to have been around and not divided by "
            "enough. YaRN's ramp is made for them: it divides by all of $s$ whatever has not been "
            "around once.",
            hint="Choose NTK-aware in the view, and count the lanes whose line leaves the shade.",
            mistakes=(
                Mistake(
                    "counts those of the model as trained",
                    lambda: float(_new_angles("pi", 1) + (pair_frequencies(16) * 128 < 6.28).sum()),
                    "So many would leave it unstretched. The slowest is divided by just enough.",
                ),
                Mistake(
                    "takes it for interpolation",
                    lambda: float(_new_angles("pi")),
                    "That is position interpolation, which divides every pair by all of $s$.",
                ),
            ),
        ),
        NumberQuestion(
            key="temperature",
            prompt="YaRN multiplies queries and keys by $0.1 \\ln s + 1$ each. By how much does a "
            "logit grow at $s = 4$?",
            unit="times",
            answer=_factor,
            reveal="{answer}: both factors stand in the product. A softmax over more keys spreads "
            "thinner; larger logits gather it again.",
            hint="A logit is a product of a query and a key.",
            mistakes=(
                Mistake(
                    "counts the factor once",
                    lambda: math.sqrt(_factor()),
                    "That is the factor of the query alone; the key has it too.",
                ),
                Mistake(
                    "takes the logarithm to base 10",
                    lambda: (0.1 * math.log10(_TIMES) + 1) ** 2,
                    "$\\ln$ is the natural logarithm.",
                ),
            ),
        ),
        NumberQuestion(
            key="slopes",
            prompt="ALiBi can be stretched too: divide every slope by $s$. The steepest of 8 heads "
            f"takes {_penalty(None):g} nats off a key {_BACK} tokens back. How many with $s = 4$?",
            unit="nats",
            answer=lambda: _penalty("slopes-pi"),
            reveal="{answer}: the head that kept to its nearest keys now looks at four times as "
            "many. Dividing only the flat slopes (“unevenly”) leaves it alone.",
            hint="The bias is slope times distance.",
            mistakes=(
                Mistake(
                    "thinks that the steepest head is spared",
                    lambda: _penalty("slopes-ntk"),
                    "Stretched unevenly it would be. Here every slope is divided.",
                ),
                Mistake(
                    "multiplies by the scale",
                    lambda: _TIMES * _penalty(None),
                    "Dividing the slope makes the penalty smaller.",
                ),
            ),
        ),
    ),
    action=Action(
        task="Find a rule by which, with a window **16 times** as long as in training, no pair "
        "turns to new angles *and* the fastest pair keeps its speed.",
        hint="Only YaRN's rules spare the fast pairs. One follows the paper, the other its "
        "authors' code: compare the top lane, and set the stretch to 16.",
        done=_all_angles_known_and_neighbours_told_apart,
        praise="That is the ramp of YaRN's authors' code. Their paper's ramp goes by rotations, "
        "and asks for 32 of them: in a head of 16 channels, trained on 128 tokens, even the "
        "fastest pair makes only 20, and is slowed down.",
        solution={"stretched_by": RULES["yarn-coded"].label, "stretch": 16},
    ),
    explanation="""
Two wishes pull against each other: far positions should look like those of training, and near ones
should stay as far apart as they were. With one number for all pairs, or for all heads, only one of
them can be had. Every later rule treats fast and slow apart.

It is measured on “Train short, test long”, under *stretched*. At four times the training length
YaRN comes first of RoPE's rules, then NTK-aware scaling, then interpolation, without any training;
200 more steps on longer windows change the picture again. ALiBi divided evenly loses much, unevenly
hardly anything.
""",
    teaching="Let the class predict which lanes leave the shade before the view shows it. Whoever "
    "says “YaRN” should say which of its two ramps.",
)
