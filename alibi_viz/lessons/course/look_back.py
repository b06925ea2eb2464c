"""A lesson: what a look back costs, and what content has to pay for it."""

import math

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.maths.needle import gap_for_weight, half_weight_distance
from alibi_viz.maths.slopes import alibi_slopes

_FLAT = float(alibi_slopes(8)[7])
_LENGTH, _BACK = 1024, 512
_FAR = 1024
# So long that what lies beyond it takes nothing from a head of any slope asked for here.
_ENDLESS = 1 << 19
_CONTENT = 8.0
_SLOPES = {"steep": 1 / 64, "matched": 1 / _FAR, "flat": 1 / 16_384}


def _price() -> float:
    return _FLAT * _BACK


def _needed(slope: float) -> float:
    """Returns the content that half the attention takes, in nats."""
    return gap_for_weight(0.5, slope, _BACK, _LENGTH)


def _reach(content: float = _CONTENT) -> float:
    return half_weight_distance(content, _FLAT)


def _cheapest_slope() -> str:
    costs = {name: gap_for_weight(0.5, slope, _FAR, _ENDLESS) for name, slope in _SLOPES.items()}
    return min(costs, key=lambda name: costs[name])


def _pays_a_nat_at_most(state: State) -> bool:
    slopes = alibi_slopes(state["heads"], state["exponent"], state["rule"])
    return bool(slopes[-1] * _FAR <= 1)


LESSON = Lesson(
    slug="look-back",
    title="The price of a look back",
    minutes=8,
    goal="Say how far the content of a key must lead to be found at a distance, and why.",
    opening=r"""
A model has read a name, and 512 tokens later somebody asks for it. One key holds the answer: the
**needle**. Its content logit lies $g$ nats above that of all other keys. What does a head with
slope $m$ make of it at distance $d$?

The distance takes $m\,d$ nats off the needle. And the needle is not alone: all other keys take part
in the softmax, each at its own distance. Its share of the attention is

$$\frac{e^{\,g - m d}}{e^{\,g - m d} + Z}, \qquad Z = \sum_{j \ne d} e^{-m j}.$$
""",
    look="The curve of the flattest head at equal content: how far it has fallen at 512 tokens is "
    "the price of that distance. What the needle must have on top is what we ask for now.",
    view=View(
        "decay",
        "decay",
        ("exponent", "head"),
        {"heads": 8, "exponent": 8.0, "length": _LENGTH, "rule": "geometric", "head": 8},
    ),
    questions=(
        NumberQuestion(
            key="price",
            prompt=f"How many nats does the flattest of 8 heads take off a needle {_BACK} tokens "
            "back?",
            unit="nats",
            answer=_price,
            reveal="{answer}: slope times distance, 1/256 of a nat for every token.",
            hint="The flattest of 8 slopes is $2^{-8}$ nats per token.",
            mistakes=(
                Mistake(
                    "takes the exponent for the slope",
                    lambda: _BACK / 8,
                    "8 is the exponent. The slope is $2^{-8}$.",
                ),
                Mistake(
                    "takes the steepest head",
                    lambda: float(alibi_slopes(8)[0]) * _BACK,
                    "That is what the steepest head takes. The flattest is head 8.",
                ),
            ),
        ),
        NumberQuestion(
            key="rivals",
            prompt=f"Without any bias, in a window of {_LENGTH:,} tokens: how many nats must the "
            "needle lead by to get **half** of the attention?",
            unit="nats",
            answer=lambda: _needed(0.0),
            reveal=r"{answer}: $\ln 1023$. The needle has to weigh as much as all 1,023 others "
            "together. Without a bias a look back is not free: the window sets its price.",
            hint="Half of the attention: the needle's exponential is as large as the sum of all "
            "others.",
            mistakes=(
                Mistake(
                    "beats one rival, not all",
                    lambda: math.log(2),
                    "That makes it twice as heavy as one other key, and there are 1,023.",
                ),
                Mistake(
                    "counts keys, not their logarithm",
                    lambda: float(_LENGTH - 1),
                    "So many times as heavy, yes. A lead in nats is the logarithm of that.",
                ),
            ),
        ),
        NumberQuestion(
            key="both",
            prompt=f"And with the bias of the flattest head, the needle {_BACK} tokens back? Price "
            "and rivals together. Before you compute: more than twice as much, or hardly more?",
            unit="nats",
            answer=lambda: _needed(_FLAT),
            tolerance=0.02,
            reveal=r"{answer}: $m d + \ln Z$. The bias takes 2 nats from the needle, and it "
            r"quiets the rivals too: $Z$ falls from 1,023 to 252, so $\ln Z$ by 1.4. What it "
            "takes with one hand it gives back with the other, most of it.",
            hint=r"$Z$ is a geometric series: about $(1 - e^{-4})/(1 - e^{-1/256})$, less the "
            "needle's own place.",
            mistakes=(
                Mistake(
                    "forgets the rivals",
                    _price,
                    "That only brings the needle level with a key beside the query. There are "
                    "more.",
                ),
                Mistake(
                    "lets all rivals weigh as much as without bias",
                    lambda: _price() + _needed(0.0),
                    "The bias is on the rivals too: those that lie far back hardly count.",
                ),
            ),
        ),
        NumberQuestion(
            key="reach",
            prompt=f"A needle leads by {_CONTENT:g} nats, in a text without end. How far back does "
            "the flattest head still give it half of its attention?",
            unit="tokens",
            answer=_reach,
            tolerance=0.02,
            reveal=r"{answer}: $d = (g + \ln(1 - e^{-m}))/m$. Of the 8 nats the rivals take 5.5; "
            "what is left buys 256 tokens a nat. Every nat more of content carries it 256 tokens "
            "farther.",
            hint=r"In an endless text $Z = 1/(1 - e^{-m})$, about $1/m$. Solve $g = m d + \ln Z$ "
            "for $d$.",
            mistakes=(
                Mistake(
                    "spends all content on distance",
                    lambda: _CONTENT / _FLAT,
                    r"That leaves nothing for the rivals, who take $\ln 256$ nats.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="slope",
            prompt=f"One head has to find a needle {_FAR:,} tokens back in an endless text; you "
            "choose its slope. Which slope asks the least of the needle's content?",
            options=(
                Option(
                    "1/64: its rivals are few.",
                    "steep",
                    f"They are, but the distance alone takes {_FAR // 64} nats.",
                    "minds the rivals, not the price",
                ),
                Option("1/1,024: one over the distance.", "matched", ""),
                Option(
                    "1/16,384: nearly no price.",
                    "flat",
                    "Nearly none, and sixteen times as many rivals as with 1/1,024.",
                    "minds the price, not the rivals",
                ),
            ),
            answer=_cheapest_slope,
            reveal=r"A head with slope $1/d$ reaches $d$ for $1 + \ln d$ nats: one for the "
            r"distance, $\ln d$ for the rivals. Flatter, the rivals grow; steeper, the price does.",
        ),
    ),
    action=Action(
        task=f"Change the **exponent** until the flattest head pays at most **one nat** for "
        f"{_FAR:,} tokens.",
        hint=f"One nat over {_FAR:,} tokens is a slope of $2^{{-10}}$.",
        done=_pays_a_nat_at_most,
        praise="So one number decides how far back ALiBi looks. The published one is 8, whatever "
        "the length: a choice, not a law.",
        solution={"exponent": 10.0},
    ),
    explanation=r"""
A look back has two prices: $m\,d$ nats for the distance, and $\ln Z$ for the rivals. A bias raises
the first and lowers the second. So “a head cannot look so far” is never quite right: it can, for so
many nats, and the exponent sets how many.

“Find it again” measures it: small models with exponents from 4 to 16, with free heads, with learned
slopes, and what stretching buys. “One needle” shows price, rivals and content of every head of a
trained model; drag the needle away. And with “a model of your own” you choose the slopes.
""",
    teaching="Let the class guess the third answer before it computes, and ask for a reason: does "
    "the bias cost its full price?",
)
