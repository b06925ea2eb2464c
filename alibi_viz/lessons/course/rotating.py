"""A lesson: rotating queries and keys, so that the logit depends on distance alone."""

import math

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.positions.rope import rotary_angles, rotate_pairs
from alibi_viz.positions.turns import WIDTHS, pairs_with_a_full_turn, unseen_pairs

_TRAIN_LENGTH = 128
_QUERY, _KEY = 10, 7


def _logit(query_pos: int, key_pos: int) -> float:
    """Returns q.k of two equal unit vectors in two channels, turned by one radian a token."""
    length = max(query_pos, key_pos) + 1
    turned = rotate_pairs(np.tile([1.0, 0.0], (length, 1)), rotary_angles(length, np.ones(1)))
    return float(turned[query_pos] @ turned[key_pos])


def _shifted() -> str:
    before, after = _logit(_QUERY, _KEY), _logit(_QUERY + 1000, _KEY + 1000)
    if math.isclose(before, after, abs_tol=1e-9):
        return "same"
    return "smaller" if abs(after) < abs(before) else "other"


def _shortest_for_three_quarters(state: State) -> bool:
    quarter = WIDTHS["rope"] // 2 // 4
    trained = state["trained"]
    return unseen_pairs("rope", trained) <= quarter < unseen_pairs("rope", trained // 2)


LESSON = Lesson(
    slug="rotating",
    title="Rotate",
    minutes=7,
    goal="Work out a rotary logit by hand, and say what RoPE shares with the added vector past "
    "the training length.",
    opening="""
An added vector is about *places*; language cares more about *distances*. RoPE leaves the embedding
alone. In every layer it takes the channels of each query and key in pairs and turns each pair by
an angle proportional to its position: $\\theta_k\\, i$ for the query, $\\theta_k\\, j$ for the key.

The scalar product of two turned vectors depends on the difference of their angles. So the logit
depends on the two contents and on $i - j$, and on nothing else.
""",
    look="How far each of a head's 8 pairs turns within the training length. It is the picture "
    "from *Add a vector*, for a narrower vector: the same clock hands in another place.",
    view=View("phases", "methods", ("trained",), {"position": "rope", "trained": _TRAIN_LENGTH}),
    questions=(
        NumberQuestion(
            key="cosine",
            prompt="One pair that turns by 1 radian a token; query and key both $(1, 0)$ before "
            f"turning. The query stands at position {_QUERY}, the key at {_KEY}. What is their "
            "scalar product after turning?",
            answer=lambda: _logit(_QUERY, _KEY),
            tolerance=0.02,
            reveal="{answer}, which is $\\cos(10 - 7)$. Equal content, and yet the logit is nearly "
            "as negative as it can get: a single pair is a poor ruler. A head has many pairs, fast "
            "and slow, and their sum tells distances apart.",
            hint="The query points along the angle 10 radians, the key along 7. What is the "
            "scalar product of two unit vectors with that angle between them?",
            mistakes=(
                Mistake(
                    "takes radians for degrees",
                    lambda: math.cos(math.radians(_QUERY - _KEY)),
                    "That is the cosine of 3 *degrees*. The angles are radians.",
                ),
                Mistake(
                    "adds the angles",
                    lambda: math.cos(_QUERY + _KEY),
                    "You added the angles. A scalar product sees the angle *between* the vectors.",
                ),
                Mistake(
                    "multiplies the two cosines only",
                    lambda: math.cos(_QUERY) * math.cos(_KEY),
                    "That is the product of the first channels. The second channels, the sines, "
                    "belong to the scalar product too.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="shift",
            prompt="Put 1,000 tokens in front of the text, so that both positions grow by 1,000. "
            "What happens to that logit?",
            options=(
                Option(
                    "It shrinks: both are further from the start.",
                    "smaller",
                    "The start of the text is not in the formula; the difference of the two "
                    "positions is.",
                    "thinks that RoPE decays with the position",
                ),
                Option("It stays the same.", "same", ""),
                Option(
                    "It becomes another number, as both angles are other angles.",
                    "other",
                    "Both angles are new, their difference is not.",
                    "confuses angles with their difference",
                ),
            ),
            answer=_shifted,
            reveal="Both vectors turn on by the same angle, so the angle between them stays. We "
            "computed both: the logits agree to nine digits.",
        ),
        NumberQuestion(
            key="turns",
            prompt="Our models have heads of 16 channels: 8 pairs. Trained on 128 tokens, how "
            "many pairs have **not** gone around once?",
            answer=lambda: float(unseen_pairs("rope", _TRAIN_LENGTH)),
            tolerance=0,
            reveal="{answer} of 8. Past 128 tokens these meet differences of angles that no "
            "training text contained. RoPE is relative and still not safe: even a *relative* "
            "method can meet new distances.",
            hint="As before: pair $k$ needs $2\\pi \\cdot 10000^{2k/16}$ tokens for a turn, "
            "$k = 0 \\ldots 7$.",
            mistakes=(
                Mistake(
                    "counts the pairs that have turned",
                    lambda: float(pairs_with_a_full_turn("rope", _TRAIN_LENGTH)),
                    "That many have turned. The question asks for those that have not.",
                ),
                Mistake(
                    "takes half a turn for a whole one",
                    lambda: float(unseen_pairs("rope", _TRAIN_LENGTH, radians=math.pi)),
                    "You took $\\pi$ radians for a turn, which is half of one. It takes $2\\pi$.",
                ),
            ),
        ),
    ),
    action=Action(
        task="Find the shortest training length on the slider within which at least 6 of the 8 "
        "pairs complete a turn.",
        hint="Only two pairs may be left of the line. Go up from 128 tokens and stop at the first "
        "length where that is so.",
        done=_shortest_for_three_quarters,
        praise="That is the length at which only a quarter of the pairs still meets new angles. "
        "Methods that *stretch* a trained RoPE model, such as position interpolation and YaRN, "
        "go the other way: they slow the hands down so that a longer text stays within the "
        "angles that were seen.",
        solution={"trained": 2048},
    ),
    explanation=f"""
Rotating buys a great deal: the logit is relative, nothing is learned, keys can be cached. What it
does not buy is a preference. At equal content the logit of one pair is $\\cos(\\theta\\, d)$: it
goes down and comes up again. With 1 radian a token it is {np.cos(3):.2f} at distance 3 and
{np.cos(6):.2f} at distance 6. Nothing says that far should count less than near, and past the
training length nothing says what the new angles mean.

ALiBi says just that, and almost nothing else.
""",
    teaching="Two clock hands on the board, both advanced by an hour, make the shift question "
    "obvious. Insist on radians.",
)
