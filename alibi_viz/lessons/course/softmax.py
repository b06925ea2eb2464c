"""A lesson: the softmax turns the straight line into a geometric sequence of weights."""

import math

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.maths.bias import alibi_bias, bias_by_distance
from alibi_viz.maths.decay import attention_by_distance, softmax
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.maths.windows import half_life

_LENGTH = 1024
_FLAT, _STEEP, _MIDDLE = 1 / 256, 1 / 2, 1 / 8


def _weight(slope: float, distance: int, length: int = _LENGTH) -> float:
    return float(attention_by_distance([slope], length)[0, distance])


def _factor(slope: float) -> float:
    return _weight(slope, 1) / _weight(slope, 0)


def _against_own_key(slope: float, distance: int) -> float:
    """Returns the factor that a tired student takes for the weight: the ratio to the own key."""
    return _weight(slope, distance) / _weight(slope, 0)


def _whole_row_shift() -> str:
    """Returns what +m j, equal for all queries, does instead of -m (i - j)."""
    relative = alibi_bias([_STEEP], 5)[0]
    by_key = np.where(np.isfinite(relative), _STEEP * np.arange(5), -np.inf)
    same = [np.allclose(a, b) for a, b in zip(softmax(relative), softmax(by_key), strict=True)]
    return "all rows" if all(same) else "last row" if same[-1] else "none"


def _head_of_eleven_tokens(state: State) -> bool:
    slopes = alibi_slopes(state["heads"], state["exponent"], state["rule"])
    if state["head"] > len(slopes):
        return False
    return round(float(half_life(slopes)[state["head"] - 1])) == 11


LESSON = Lesson(
    slug="softmax",
    title="What the softmax makes of it",
    minutes=9,
    goal="Turn a slope into attention weights, and never again take $e^{-md}$ for a weight.",
    opening="""
The bias is a straight line. The softmax raises $e$ to it and divides by the sum, so at equal
content the weights form a geometric sequence: every token further away costs the same *factor*.

On a logarithmic axis that is a straight line again, and the head's slope is how steep it is.
""",
    look="Weight against distance for all heads, on logarithmic axes, and below it the share of "
    "the attention on everything up to that distance. Set the distance axis to linear: the curves "
    "become the straight lines. Choose a head to bring it forward.",
    view=View(
        "decay",
        "decay",
        ("head", "weight", "distance"),
        {
            "heads": 8,
            "exponent": 8.0,
            "length": _LENGTH,
            "rule": "geometric",
            "head": 1,
            "weight": "log",
            "distance": "log",
        },
    ),
    questions=(
        NumberQuestion(
            key="factor",
            prompt="Slope 1/2, equal content. One token further back, by what factor does the "
            "weight change?",
            answer=lambda: _factor(_STEEP),
            tolerance=0.01,
            reveal="{answer}, which is $e^{-1/2}$. The slope is in nats a token, so it stands in "
            "the exponent.",
            hint="The logit falls by the slope. What does the softmax make of a difference of "
            "logits?",
            mistakes=(
                Mistake(
                    "takes the slope for the factor",
                    lambda: _STEEP,
                    "1/2 is the slope, a difference of logits. The weight falls by *e to the "
                    "minus* slope.",
                ),
                Mistake(
                    "turns the factor around",
                    lambda: 1 / _factor(_STEEP),
                    "That is how it grows towards the query. Further back it shrinks.",
                ),
            ),
        ),
        NumberQuestion(
            key="itself",
            prompt="Slope 1/2, equal content, a thousand tokens of context. What weight does the "
            "query put on **its own** key?",
            answer=lambda: _weight(_STEEP, 0),
            tolerance=0.01,
            reveal="{answer}. The sum $1 + e^{-m} + e^{-2m} + \\dots$ is $1 / (1 - e^{-m})$, so "
            "the weight on distance 0 is $1 - e^{-m}$. Two fifths of this head's attention never "
            "leave the token.",
            hint="Its logit is 0, so it is 1 over the sum of the geometric sequence.",
            mistakes=(
                Mistake(
                    "forgets to divide by the sum",
                    lambda: math.exp(bias_by_distance([_STEEP], 1)[0, 0]),
                    "$e^0 = 1$ before the division. Then nothing would be left for the other keys.",
                ),
                Mistake(
                    "takes the factor for the weight",
                    lambda: _factor(_STEEP),
                    "That is the factor from one key to the next. The weight on the own key is 1 "
                    "minus it.",
                ),
                Mistake(
                    "takes the slope for the weight",
                    lambda: _STEEP,
                    "1/2 is the slope. Add up the geometric sequence.",
                ),
            ),
        ),
        NumberQuestion(
            key="far-weight",
            prompt="Slope 1/256, 1,024 tokens, equal content. The key 512 tokens back has a bias "
            "of −2. What is its attention **weight** for the last query?",
            answer=lambda: _weight(_FLAT, 512),
            tolerance=0.03,
            reveal="{answer}. $e^{-2} = 0.135$ compares it with the query's own key, and that has "
            f"{_weight(_FLAT, 0):.4f} only: a flat head spreads itself over hundreds of keys. More "
            "than one explanation quotes 0.135 as a weight; now you know better.",
            hint="Divide $e^{-2}$ by the sum over all 1,024 keys: a geometric sequence with factor "
            f"$e^{{-1/256}}$, in all {1 / _weight(_FLAT, 0):.0f}.",
            mistakes=(
                Mistake(
                    "takes e^-2 for a weight",
                    lambda: _against_own_key(_FLAT, 512),
                    "That is $e^{-2}$: how it compares with the query's own key. As a *weight* it "
                    "would mean that eight such keys use up all attention there is. Divide by the "
                    "sum.",
                ),
                Mistake(
                    "spreads the attention evenly",
                    lambda: 1 / _LENGTH,
                    "That is even attention, as without a bias. This key pays 2 nats.",
                ),
                Mistake(
                    "takes the weight of the own key",
                    lambda: _weight(_FLAT, 0),
                    "That is the weight on distance 0. Now multiply by $e^{-2}$.",
                ),
            ),
        ),
        NumberQuestion(
            key="advantage",
            prompt="Slope 1/8. By how many nats must the content of a key 64 tokens back beat that "
            "of the query's own key, to get the same weight?",
            unit="nats",
            answer=lambda: -float(bias_by_distance([_MIDDLE], 65)[0, 64]),
            tolerance=0.01,
            reveal="{answer}: exactly what its distance costs, 64/8. Whether a head can look far "
            "is a question of content *against* slope; how large content logits get in a trained "
            "model is the subject of *What trained heads do*.",
            hint="Equal weights are equal logits: content minus slope times distance, on both.",
            mistakes=(
                Mistake(
                    "takes the logarithm of the distance",
                    lambda: math.log(64),
                    "You took the logarithm of 64. The penalty is *linear* in the distance.",
                ),
                Mistake(
                    "counts half-lives",
                    lambda: 64 / float(half_life([_MIDDLE])[0]),
                    "That is the number of halvings over 64 tokens. In nats each is worth "
                    "$\\ln 2$.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="shift",
            prompt="Some code adds $+m\\,j$ to the logits, one row for all queries, instead of "
            "$-m\\,(i - j)$. Under the causal mask, which queries get the right weights?",
            options=(
                Option(
                    "None: the sign is wrong.",
                    "none",
                    "For one query, $i$ is a constant. What does a constant do in a softmax?",
                    "takes the key form for a sign error",
                ),
                Option(
                    "The last one only.",
                    "last row",
                    "For the last one you see it. The others differ by another constant each.",
                    "thinks that the shift works for one row only",
                ),
                Option("All of them.", "all rows", ""),
            ),
            answer=_whole_row_shift,
            reveal="$-m(i-j) = m j - m i$, and $-mi$ is one constant for each row, which the "
            "softmax divides out. Two warnings: without the causal mask it is no longer ALiBi, and "
            "in half precision the large $m j$ loses digits that $-m(i-j)$ keeps.",
        ),
    ),
    action=Action(
        task="Choose the head whose weight halves about every 11 tokens.",
        hint="The half-life is $\\ln 2 / m$, and $\\ln 2$ is 0.693. Which slope gives 11?",
        done=_head_of_eleven_tokens,
        praise="Head 4, slope 1/16: the half-life is $\\ln 2 / m$, here "
        f"{half_life([1 / 16])[0]:.1f} tokens. From head to head it doubles.",
        solution={"head": 4},
    ),
    explanation="""
Three numbers to remember for a slope $m$, at equal content and with enough context: the weight
falls by $e^{-m}$ a token, halves every $\\ln 2 / m$ tokens, and starts at $1 - e^{-m}$ on the
query's own key (close to $m$ for flat heads).

All are ratios of exponentials. Add a constant to a row and nothing happens; that is why a bias may
be written in several ways, and why a bias alone is never a weight.
""",
    teaching="The question on the far weight is the heart of it: ask for a show of hands for 0.135 "
    "before the reveal.",
)
