"""A lesson: how many tokens a head sees."""

import math

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.maths.windows import WINDOW_MASS, closed_form_window, effective_window, half_life

_STEEP, _FLAT = 1 / 2, 1 / 256
_LENGTH = 512
_BACK = 500


def _unlimited(slope: float) -> float:
    return float(closed_form_window([slope], WINDOW_MASS)[0])


def _here(slope: float, length: int = _LENGTH) -> float:
    return float(effective_window(attention_by_distance([slope], length), WINDOW_MASS)[0])


def _steepest_that_reaches() -> float:
    """Returns the number, from 1, of the steepest of 8 heads whose window holds a key so far."""
    reach = closed_form_window(alibi_slopes(8), WINDOW_MASS) >= _BACK + 1
    return float(np.argmax(reach) + 1)


def _when_the_slope_halves() -> str:
    half, whole = closed_form_window([_FLAT / 2, _FLAT], WINDOW_MASS)
    return {2: "doubles", 1: "stays", 4: "quadruples"}[round(float(half / whole))]


def _flattest_sees_ten_thousand(state: State) -> bool:
    slopes = alibi_slopes(state["heads"], state["exponent"], state["rule"])
    weights = attention_by_distance(slopes, state["length"])
    return int(effective_window(weights, WINDOW_MASS).max()) >= 10_000


LESSON = Lesson(
    slug="windows",
    title="Windows",
    minutes=7,
    goal="Say for any slope and length how many tokens hold 95 % of a head's attention.",
    opening="""
A geometric sequence never reaches zero, so every head sees everything, in principle. What counts is
how many of the nearest keys hold nearly all of the attention. We call the smallest number that
holds a given share the **effective window**; the query's own key is the first of them.

At equal content the nearest $w$ keys of an unlimited context hold $1 - e^{-m w}$.
""",
    look="One column per head, steepest first, with four shares one above the other. Where the "
    "text is too short for a window, the points bend below the dotted line. An open square shows "
    "where 95 % would lie if the text went on.",
    view=View(
        "windows",
        "decay",
        ("length", "exponent", "head"),
        {"heads": 8, "exponent": 8.0, "length": _LENGTH, "rule": "geometric", "head": 8},
    ),
    questions=(
        NumberQuestion(
            key="steep",
            prompt="Slope 1/2, equal content, unlimited context. How many tokens hold 95 % of the "
            "attention?",
            unit="tokens",
            answer=lambda: _unlimited(_STEEP),
            tolerance=0,
            reveal="{answer}: the smallest whole $w$ with $1 - e^{-w/2} \\ge 0.95$, and "
            f"$-\\ln 0.05 / 0.5 = {-math.log(1 - WINDOW_MASS) / _STEEP:.2f}$.",
            hint="Solve $1 - e^{-m w} = 0.95$ for $w$, and round so that *at least* 95 % is held.",
            mistakes=(
                Mistake(
                    "rounds down",
                    lambda: float(math.floor(-math.log1p(-WINDOW_MASS) / _STEEP)),
                    f"Five tokens hold {-100 * math.expm1(-5 * _STEEP):.1f} %. The window must "
                    "hold at least 95 %, so round up.",
                ),
                Mistake(
                    "takes the half-life",
                    lambda: float(math.ceil(half_life([_STEEP])[0])),
                    "After that many the weight has halved. Much attention lies beyond.",
                ),
                Mistake(
                    "counts distances instead of tokens",
                    lambda: _unlimited(_STEEP) + 1,
                    "One too many: the query's own key, at distance 0, is the first of the six.",
                ),
            ),
        ),
        NumberQuestion(
            key="flat",
            prompt="Slope 1/256, the flattest of 8 heads. And how many for this one?",
            unit="tokens",
            answer=lambda: _unlimited(_FLAT),
            # 3 * 256 = 768, as the hint has it, is fair.
            tolerance=0.002,
            reveal="{answer}: the window is $-\\ln 0.05 / m$, about three times $1/m$. Between "
            "steepest and flattest head lies a factor of 128, as between their slopes.",
            hint="The same formula, with $m = 1/256$; $-\\ln 0.05$ is very nearly 3.",
            mistakes=(
                Mistake(
                    "takes the half-life",
                    lambda: round(float(half_life([_FLAT])[0])),
                    f"{half_life([_FLAT])[0]:.0f} tokens is the half-life. 95 % is more than four "
                    "of those.",
                ),
                Mistake(
                    "takes one over the slope",
                    lambda: 1 / _FLAT,
                    "Within $1/m$ tokens lie 63 % of the attention, $1 - 1/e$.",
                ),
            ),
        ),
        NumberQuestion(
            key="short-text",
            prompt="The same head, but the text has 512 tokens and the query is the last of them. "
            "How many tokens hold 95 % now? The view knows.",
            unit="tokens",
            answer=lambda: _here(_FLAT),
            tolerance=0.005,
            reveal="{answer} of 512. The softmax shares out 100 % among the keys that exist, so "
            "what lay beyond token 512 comes back to the near ones. In a short text "
            "the weights still sum to 1; they are shared among fewer keys.",
            hint="At most 512, surely. Point at the head's 95 % mark in the view.",
            mistakes=(
                Mistake(
                    "forgets that the text ends",
                    lambda: _unlimited(_FLAT),
                    "That was for unlimited context. This text has 512 tokens.",
                ),
                Mistake(
                    "spreads the attention evenly",
                    lambda: float(math.ceil(WINDOW_MASS * _LENGTH)),
                    "That is 95 % of 512: even attention. This head still favours near keys.",
                ),
                Mistake(
                    "takes all keys",
                    lambda: float(_LENGTH),
                    "All 512 hold 100 %.",
                ),
            ),
        ),
        NumberQuestion(
            key="which-head",
            prompt=f"8 heads, a long text. Which is the steepest head whose 95 % window still "
            f"contains a key {_BACK} tokens back? Give its number.",
            answer=_steepest_that_reaches,
            tolerance=0,
            reveal="Head {answer}, the last: its window is "
            f"{_unlimited(_FLAT):.0f} tokens, that of head 7 only {_unlimited(2 * _FLAT):.0f}. "
            "At equal content only one head in eight has what stood 500 tokens ago in its window.",
            hint=f"The window must hold {_BACK + 1} tokens or more: $3/m \\ge {_BACK + 1}$. Which "
            "slope is flat enough?",
            mistakes=(
                Mistake(
                    "counts heads from 0",
                    lambda: _steepest_that_reaches() - 1,
                    "Right slope, if you count heads from 0. Head 7 has slope 1/128 and sees "
                    f"{_unlimited(2 * _FLAT):.0f} tokens.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="halve",
            prompt="Halve a slope. What becomes of the head's window in unlimited context?",
            options=(
                Option("It doubles.", "doubles", ""),
                Option(
                    "It grows by a constant number of tokens.",
                    "stays",
                    "The window is a constant *divided* by the slope.",
                    "thinks that the window shifts with the slope",
                ),
                Option(
                    "It becomes four times as long.",
                    "quadruples",
                    "That would need the slope squared. The window is proportional to $1/m$.",
                    "squares the slope",
                ),
            ),
            answer=_when_the_slope_halves,
            reveal="Window times slope is $-\\ln(1 - \\text{share})$, whatever the slope. So on "
            "the logarithmic axis of the view the heads of a ladder stand evenly again.",
        ),
    ),
    action=Action(
        task="A short story of 16,384 tokens: set that length, then raise the exponent until the "
        "flattest head needs at least 10,000 tokens for 95 %.",
        hint="Each step of 1 in the exponent doubles the flattest window. With exponent 8 it is "
        "767 tokens; how many doublings lead past 10,000?",
        done=_flattest_sees_ten_thousand,
        praise="Each step of 1 in the exponent doubles the flattest head's reach, until the text "
        "itself is the limit. That is why a model for long stories is given a larger exponent "
        "than 8.",
        solution={"length": 16_384, "exponent": 12.0},
    ),
    explanation="""
A window is what the slope *allows* at equal content. Content can reach beyond it by paying, and
layers can relay: a token 40 back has itself seen tokens 40 before it. So windows
bound one head in one step, not the model.

They do explain where ALiBi can be cheap. Far enough beyond the window a key changes the output by
less than rounding does. An implementation may leave such keys out, stay exact, and cost no longer
grows with the square of the length.
""",
    teaching="Ask for the windows of all 8 heads at once: whoever sees that each is twice the one "
    "before has understood the ladder.",
)
