"""A lesson: ALiBi's whole idea, a penalty on the logit that grows with distance."""

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import (
    ChoiceQuestion,
    Mistake,
    NumberQuestion,
    Option,
    SpotQuestion,
)
from alibi_viz.maths.arrays import Array, Floats
from alibi_viz.maths.bias import alibi_bias, bias_by_distance
from alibi_viz.maths.decay import attention_by_distance, softmax
from alibi_viz.maths.slopes import alibi_slopes

_SLOPE, _DISTANCE = 0.5, 4
_D_HEAD = 64
_TRAINED, _GIVEN = 128, 384
# Content logit and distance of two keys, for a head of slope 1/4.
_FAR, _NEAR = (3.0, 10), (1.2, 2)


def _bias(slope: float, distance: int) -> float:
    return float(bias_by_distance([slope], distance + 1)[0, distance])


def _winner() -> str:
    far, near = (content + _bias(0.25, distance) for content, distance in (_FAR, _NEAR))
    return "tie" if abs(far - near) < 1e-9 else "far" if far > near else "near"


def _attention(content: Array, slope: float) -> Array:
    position = np.arange(len(content))
    distance = np.maximum(position[:, None] - position, 0)
    attn_logits = content - slope * distance
    attn_weights = np.exp(attn_logits)
    return attn_weights / attn_weights.sum(axis=1, keepdims=True)


def _attention_masked(content: Array, slope: float) -> Array:
    position = np.arange(len(content))
    distance = np.where(position[:, None] >= position, position[:, None] - position, np.inf)
    attn_logits = content - slope * distance
    attn_weights = np.exp(attn_logits)
    return attn_weights / attn_weights.sum(axis=1, keepdims=True)


def _first_row_weight(bias: Floats) -> float:
    return float(softmax(bias)[0, 0])


def _beyond(head: int) -> str:
    weights = attention_by_distance(alibi_slopes(8), _GIVEN)[head - 1]
    return f"{100 * weights[_TRAINED:].sum():.0f}"


def _one_nat_at_64(state: State) -> bool:
    slopes = alibi_slopes(state["heads"], state["exponent"], state["rule"])
    return bool(state["head"] <= len(slopes) and slopes[state["head"] - 1] * 64 == 1)


LESSON = Lesson(
    slug="penalty",
    title="A penalty on the logit",
    minutes=8,
    goal="Compute ALiBi's bias for any query and key, and recognise code that leaks the future.",
    opening="""
ALiBi adds no vector and turns nothing. It takes the logit of query $i$ and key $j$ and subtracts a
penalty that grows in a straight line with the distance:

$$\\frac{q_i \\cdot k_j}{\\sqrt{d}} \\;-\\; m\\,(i - j)$$

$m$ is a fixed number, the head's **slope**, in nats per token. It is neither learned nor divided by
$\\sqrt{d}$. Keys in the query's future are masked, as always.

A **nat** is the unit of a logit: a logit that is one nat lower divides the key's weight by
$e \\approx 2.718$ relative to the other keys.
""",
    look="The triangle: query down, key across. It is brightest on the diagonal, where distance "
    "and penalty are 0, and every diagonal has one colour, since only $i - j$ counts. Point at "
    "cells, or walk with the arrow keys, and read the bias.",
    view=View(
        "biases",
        "explore",
        ("length", "head"),
        {"heads": 8, "exponent": 8.0, "length": 128, "rule": "geometric", "head": 3},
    ),
    questions=(
        NumberQuestion(
            key="bias",
            prompt="A head of slope 1/2 with 64 channels. What does ALiBi add to the logit of "
            "query 9 and key 5?",
            unit="nats",
            answer=lambda: _bias(_SLOPE, _DISTANCE),
            tolerance=0.001,
            reveal="{answer}: minus the slope times the distance, $-\\tfrac12 (9 - 5)$. The 64 "
            "channels do not matter.",
            hint="Distance first: $i - j$. Then minus the slope times that.",
            mistakes=(
                Mistake(
                    "drops the sign",
                    lambda: -_bias(_SLOPE, _DISTANCE),
                    "The size is right. But distance is a *penalty*: it makes the logit smaller.",
                ),
                Mistake(
                    "divides the bias by the square root of the head's width",
                    lambda: _bias(_SLOPE, _DISTANCE) / _D_HEAD**0.5,
                    "You divided by $\\sqrt{64}$. Only $q \\cdot k$ is scaled; the bias is added "
                    "after that.",
                ),
                Mistake(
                    "counts the distance from 1",
                    lambda: _bias(_SLOPE, _DISTANCE + 1),
                    "You counted both ends. From key 5 to query 9 it is 4 tokens; a key's distance "
                    "to itself is 0.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="contest",
            prompt="Slope 1/4. Key A, 10 tokens back, has a content logit of 3. Key B, 2 tokens "
            "back, has 1.2. Which one gets more attention?",
            options=(
                Option(
                    "A, the better match.",
                    "far",
                    "A is the better match, but it pays 2.5 nats for its distance. Do the sums.",
                    "forgets the penalty",
                ),
                Option("B, the nearer one.", "near", ""),
                Option(
                    "Both the same.",
                    "tie",
                    "Close, but no tie: subtract 10/4 from one and 2/4 from the other.",
                    "miscalculates the penalty",
                ),
            ),
            answer=_winner,
            reveal=f"A has {_FAR[0] + _bias(0.25, _FAR[1]):.1f} left, B "
            f"{_NEAR[0] + _bias(0.25, _NEAR[1]):.1f}. With a content logit of 3.3 A would have "
            "won: a penalty is a price, not a wall.",
        ),
        SpotQuestion(
            key="leak",
            prompt="This is meant to be causal ALiBi attention for one head. Which line is wrong?",
            buggy=_attention,
            fixed=_attention_masked,
            agrees=lambda function: bool(
                np.allclose(
                    function(np.zeros((4, 4)), 0.5), softmax(alibi_bias([0.5], 4)[0]), atol=1e-12
                )
            ),
            reveal="A clamped distance gives every *future* key a penalty of 0, the best there is. "
            "Masked keys need minus infinity: `{fix}`. The last row comes out right either way, so "
            "a test that looks at the last row alone passes.",
            innocent={
                "slope * distance": "That line is right: minus slope times distance. Ask what the "
                "distance of a future key is.",
                "np.exp": "The exponential is right, provided that every hidden key has a logit of "
                "minus infinity. Has it?",
                "keepdims": "The sum over each row is right. Which keys are in it?",
                "np.arange": "Positions 0, 1, 2 ... are right.",
                "def ": "Nothing wrong with the arguments.",
            },
            error="clamps the distance at 0 and forgets the mask",
        ),
        NumberQuestion(
            key="first-row",
            prompt="So, done right: 4 tokens, slope 1/2, equal content. What weight does the "
            "**first** token put on itself?",
            answer=lambda: _first_row_weight(alibi_bias([0.5], 4)[0]),
            tolerance=0.001,
            reveal="{answer}: it sees nothing but itself. In any implementation, check row 0 "
            "first.",
            hint="Which keys may the first token see?",
            mistakes=(
                Mistake(
                    "clamps the distance and forgets the mask",
                    lambda: float(_attention(np.zeros((4, 4)), 0.5)[0, 0]),
                    "That is what the snippet gives: four keys, none of them masked.",
                ),
                Mistake(
                    "penalises the future instead of masking it",
                    lambda: _first_row_weight(alibi_bias([0.5], 4, direction="symmetric")[0]),
                    "That is $-m\\,|i - j|$ without a mask, or the last row for the first. In a "
                    "decoder the future is invisible, not expensive.",
                ),
            ),
        ),
    ),
    action=Action(
        task="Choose the head for which a key 64 tokens back costs exactly 1 nat.",
        hint="Divide 1 nat by 64 tokens: that is the slope. Each head's slope stands above its "
        "triangle.",
        done=_one_nat_at_64,
        praise="Slope 1/64: one nat in 64 tokens. A head of half that slope pays the same for "
        "twice the distance.",
        solution={"head": 6},
    ),
    explanation=f"""
The bias depends on the distance alone, so the matrix has equal diagonals: one row of numbers tells
all of it. And it says what the sines and rotations left open: **near counts more than far**, by a
fixed exchange rate between content and distance.

Now the question of the course: past the training length, what is new? Penalties larger than any
before, on the same line. Steep heads give such distances next to nothing. Flat ones do look there:
trained on {_TRAINED} tokens and given {_GIVEN}, heads 6, 7 and 8 of eight put {_beyond(6)},
{_beyond(7)} and {_beyond(8)} % of their attention on distances that training never had, at equal
content. So whether a trained model is unharmed by them has to be measured; later lessons do.
""",
    teaching="Draw the triangle for 4 tokens on the board and fill it in together before the code. "
    "The sign and the off-by-one are the usual errors.",
)
