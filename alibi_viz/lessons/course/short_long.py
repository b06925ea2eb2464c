"""A lesson: perplexity past the training length, as the paper reports it and as we measure it."""

import math

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.positions import METHODS
from alibi_viz.published.cited import CitedNumber, cited_numbers

_CITED = cited_numbers()
_AT_512, _AT_1112 = _CITED["sinusoidal_512_512"], _CITED["sinusoidal_512_1112"]
_AT_15512 = _CITED["sinusoidal_512_15512"]
_ALIBI_FIRST, _ALIBI_LAST = _CITED["alibi_512_512"], _CITED["alibi_512_last"]
_BEST = {name: _CITED[f"{name}_512_best"] for name in ("rope", "t5", "alibi")}


def _growth(later: CitedNumber) -> float:
    return later.number / _AT_512.number


def _best_near_twice() -> str:
    return min(_BEST, key=lambda name: abs(_BEST[name].ratio - 2))


def _nats_gained() -> float:
    return math.log(_ALIBI_FIRST.number / _ALIBI_LAST.number)


def _only_the_two(state: State) -> bool:
    return set(state["methods"]) == {"alibi", "sinusoidal"}


LESSON = Lesson(
    slug="short-long",
    title="Train short, test long",
    minutes=8,
    goal="Read an extrapolation chart with a cool head: logarithmic axes, ratios, nats.",
    opening="""
Train on texts of $L$ tokens, evaluate on longer ones. If the method says nothing sensible about
distances beyond $L$, perplexity climbs; if it does, it stays. Perplexity is $e^{\\text{loss}}$:
the number of equally likely tokens that the model is, in effect, choosing among.

The lines are the paper's: four methods, the same model of 247 million parameters, trained on 512
tokens of WikiText. Its authors trained no learned positions and no NoPE; our own small models, on
the full page, include both.
""",
    look="Where each line leaves its level. The shaded area begins at the training length; both "
    "axes are logarithmic.",
    view=View(
        "perplexity",
        "extrapolation",
        ("methods",),
        {
            "source": "paper",
            "protocol": "nonoverlapping",
            "methods": tuple(METHODS),
        },
    ),
    questions=(
        NumberQuestion(
            key="sinusoidal",
            prompt=f"In the paper's Table 2, trained on 512 tokens, sinusoidal has a perplexity of "
            f"{_AT_512} at 512 tokens and {_AT_1112} at 1,112. By what factor has it grown?",
            answer=lambda: _growth(_AT_1112),
            tolerance=0.02,
            reveal="{answer}, at little more than twice the length. By 15,512 tokens it is at "
            f"{_AT_15512}. The paper's Figure 1 cuts its axis at 55, so many have read *about 50* "
            "as the end of this curve; it is its beginning.",
            hint="Divide one by the other.",
            mistakes=(
                Mistake(
                    "takes a difference for a factor",
                    lambda: _AT_1112.number - _AT_512.number,
                    "That is the difference. A factor says more: perplexities are exponentials.",
                ),
                Mistake(
                    "reads the end of the curve",
                    lambda: _growth(_AT_15512),
                    "That is the factor at 15,512 tokens.",
                ),
                Mistake(
                    "divides the wrong way around",
                    lambda: 1 / _growth(_AT_1112),
                    "It grew: put the later one on top.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="twice",
            prompt="Which of the paper's methods, trained on 512, is at its best near **twice** "
            "the training length and gets worse from there?",
            options=(
                Option(
                    "Rotary",
                    "rope",
                    f"Often said, but rotary is at its best at {_BEST['rope'].ratio:.2f} times the "
                    f"training length ({_BEST['rope']} at {_BEST['rope'].eval_length} tokens).",
                    "credits rotary with what T5 does",
                ),
                Option("T5 bias", "t5", ""),
                Option(
                    "ALiBi",
                    "alibi",
                    f"On WikiText-103 ALiBi is still at its best, {_BEST['alibi']}, at "
                    f"{_BEST['alibi'].ratio:.0f} times the training length.",
                    "carries the 2x of another corpus over to this table",
                ),
            ),
            answer=_best_near_twice,
            reveal=f"T5 bias: {_BEST['t5']} at {_BEST['t5'].eval_length:,} tokens, "
            f"{_BEST['t5'].ratio:.2f} times. Its last bucket lumps all far distances together, so "
            "nothing is new past the training length. But that bias falls no further, and the "
            "longer the text, the more keys share in it.",
        ),
        NumberQuestion(
            key="nats",
            prompt=f"ALiBi, trained on 512: perplexity {_ALIBI_FIRST} at 512 tokens and "
            f"{_ALIBI_LAST} at {_ALIBI_LAST.eval_length:,}. How many nats per token has it gained?",
            unit="nats",
            answer=_nats_gained,
            tolerance=0.03,
            reveal="{answer}, the logarithm of the ratio: a small gain and, at thirty times the "
            "length, a remarkable one. *Why* it is a gain at all is the question of *Why the curve "
            "really falls*.",
            hint="Perplexity is $e^{\\text{loss}}$: take the difference of the logarithms.",
            mistakes=(
                Mistake(
                    "subtracts perplexities",
                    lambda: _ALIBI_FIRST.number - _ALIBI_LAST.number,
                    "That is the difference of the perplexities. A loss is their logarithm.",
                ),
                Mistake(
                    "uses the logarithm to base 2",
                    lambda: _nats_gained() / math.log(2),
                    "That is in bits. A nat is the natural logarithm's unit.",
                ),
                Mistake(
                    "turns the sign around",
                    lambda: -_nats_gained(),
                    "Right size. It is a gain: the loss went *down*.",
                ),
            ),
        ),
    ),
    action=Action(
        task="Leave only ALiBi and Sinusoidal in the chart, and compare where the two are at "
        "three times the training length.",
        hint="Press the buttons above the chart: each one takes a line out or puts it back.",
        done=_only_the_two,
        praise="Both are defined at every length. ALiBi's new penalties continue a line that the "
        "model was trained on; the sines reach angles that their model never saw.",
        solution={"methods": ("alibi", "sinusoidal")},
    ),
    explanation="""
Ask of each line what is new past the training length. Learned positions end, as a table does. Sines
and rotations bring angles that were never seen; their loss rises soon after.
T5's table has met its last bucket in training, but never with so many keys in it. ALiBi's new
penalties only continue what the old ones began.

But be careful with what the chart does **not** say. A flat line means that more text does no harm.
It does not mean that more text is *used*.
""",
    teaching="Let them sketch, before they see the chart, what each method will do past the "
    "training length, and why. Keep the sketches for the end of the lesson.",
)
