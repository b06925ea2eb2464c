"""A lesson: which method to choose today, and how to read the evidence."""

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.positions import METHODS
from alibi_viz.positions.base import PositionConfig
from alibi_viz.positions.t5 import T5Bias
from alibi_viz.published.cited import CitedNumber, cited_numbers

_CITED = cited_numbers()
_UPDATES = {
    "ALiBi": _CITED["updates_alibi_1024_2048"],
    "sinusoidal": _CITED["updates_sinusoidal_2048_2048"],
}
_HOURS = {
    "ALiBi": _CITED["hours_alibi_1024_2048"],
    "sinusoidal": _CITED["hours_sinusoidal_2048_2048"],
}
_LONG = {name: _CITED[f"kerple_{name}_16384"] for name in ("log", "alibi", "t5", "rope")}
_RANK = {name: _CITED[f"rank_{name}"] for name in ("nope", "t5", "alibi", "rope", "absolute")}
_N_HEAD, _N_LAYER = 12, 12


def _lowest(numbers: dict[str, CitedNumber]) -> str:
    return min(numbers, key=lambda name: numbers[name].number)


def _highest(numbers: dict[str, CitedNumber]) -> str:
    return max(numbers, key=lambda name: numbers[name].number)


def _t5_parameters() -> float:
    return float(T5Bias(PositionConfig(n_head=_N_HEAD)).learned["table"].size)


_ON_THE_LOGIT = tuple(key for key, method in METHODS.items() if method.acts_on == "logit")


def _only_on_the_logit(state: State) -> bool:
    return {"alibi", "t5"} <= set(state["methods"]) <= set(_ON_THE_LOGIT)


LESSON = Lesson(
    slug="choosing",
    title="Choosing a method today",
    minutes=8,
    goal="Choose a position method for a purpose, and say which comparison backs the choice.",
    opening="""
Which one is best? At what: the training length or far beyond it, perplexity or retrieval, equal
updates or equal hours, from scratch or stretching a model that exists? Each pairing has its own
winner, and most disagreements in this field are two people answering different questions.
""",
    look="One model, many methods. Find the best one **at** the training length, and the best one "
    "at eight times that.",
    view=View(
        "perplexity",
        "extrapolation",
        ("methods",),
        {
            "source": "ours",
            "protocol": "nonoverlapping",
            "methods": tuple(METHODS),
        },
    ),
    questions=(
        ChoiceQuestion(
            key="updates",
            prompt="1.3 billion parameters, evaluated at 2,048 tokens, **50,000 updates each**: "
            "ALiBi trained on 1,024, sinusoidal trained on 2,048. Which perplexity is lower?",
            options=(
                Option(
                    "ALiBi's",
                    "ALiBi",
                    "That is so at equal *GPU hours*, which is often quoted without saying "
                    f"so. At equal updates it is {_UPDATES['ALiBi']} against "
                    f"{_UPDATES['sinusoidal']}.",
                    "takes equal hours for equal updates",
                ),
                Option("Sinusoidal's", "sinusoidal", ""),
            ),
            answer=lambda: _lowest(_UPDATES),
            reveal=f"{_UPDATES['sinusoidal']} against {_UPDATES['ALiBi']} (Table 12). "
            "Both saw as many tokens; windows of 2,048 took the longer hours. Single runs that "
            "differ by so little are level by our rule: whose number is lower is all that this "
            "says.",
        ),
        ChoiceQuestion(
            key="hours",
            prompt="And at equal **GPU hours**?",
            options=(
                Option("ALiBi's", "ALiBi", ""),
                Option(
                    "Sinusoidal's",
                    "sinusoidal",
                    "Shorter sequences are cheaper: in equal hours ALiBi makes more updates.",
                    "takes equal updates for equal hours",
                ),
            ),
            answer=lambda: _lowest(_HOURS),
            reveal=f"{_HOURS['ALiBi']} against {_HOURS['sinusoidal']} (Table 11). Training short "
            "is cheaper, and that is half of the paper's title. Both answers are true; a claim "
            "that does not name its budget is neither.",
        ),
        ChoiceQuestion(
            key="far",
            prompt="OpenWebText2, trained on 512 tokens, evaluated at 16,384 (KERPLE, Table 3). "
            "Which bias does best?",
            options=(
                Option(
                    "ALiBi: a straight line",
                    "alibi",
                    f"It stays good, {_LONG['alibi']}. One bias in that table is better.",
                    "thinks that the linear bias is the best one",
                ),
                Option("KERPLE: a logarithm with two trained numbers a head", "log", ""),
                Option(
                    "T5: a trained table of buckets",
                    "t5",
                    f"Strong near the training length, {_LONG['t5']} out here.",
                    "judges T5 by its short range",
                ),
                Option(
                    "Rotary",
                    "rope",
                    f"{_LONG['rope']}: the worst of the four.",
                    "judges rotary by its fame",
                ),
            ),
            answer=lambda: _lowest(_LONG),
            reveal=f"{_LONG['log']}, with ALiBi at {_LONG['alibi']}, T5 at {_LONG['t5']} and "
            f"rotary at {_LONG['rope']}. With a logarithm, twice as far costs a constant more, "
            "not double; whether that is the reason, this table cannot say.",
        ),
        ChoiceQuestion(
            key="tasks",
            prompt="Ten small reasoning tasks, tested on longer inputs than trained on (Kazemnejad "
            "et al.). Which method ranks best on average?",
            options=(
                Option(
                    "ALiBi",
                    "alibi",
                    f"Mean reciprocal rank {_RANK['alibi']}, behind two others. A good "
                    "perplexity far out is one thing, these tasks are another.",
                    "takes perplexity for skill",
                ),
                Option("None at all (NoPE)", "nope", ""),
                Option(
                    "T5 bias",
                    "t5",
                    f"A good second, {_RANK['t5']}.",
                    "overlooks that the mask alone carries order",
                ),
                Option(
                    "Rotary",
                    "rope",
                    f"{_RANK['rope']}, behind three others.",
                    "judges rotary by its fame",
                ),
            ),
            answer=lambda: _highest(_RANK),
            reveal=f"NoPE, {_RANK['nope']}; ALiBi has {_RANK['alibi']}, absolute positions "
            f"{_RANK['absolute']}. Small models and made-up tasks, trained from scratch; but it "
            "shows that perplexity is one judge among several.",
        ),
        NumberQuestion(
            key="cost",
            prompt=f"What does it cost? T5's bias: {_N_HEAD} heads, {_N_LAYER} layers that share "
            "one table of 32 buckets a head. How many parameters?",
            answer=_t5_parameters,
            tolerance=0,
            reveal="{answer}. ALiBi, RoPE, sinusoidal and NoPE have none; a learned table for 512 "
            f"tokens of width 768 has {512 * 768:,}. None of this decides anything in a model of a "
            "hundred million parameters.",
            hint="Buckets times heads; the layers share.",
            mistakes=(
                Mistake(
                    "counts a table for each layer",
                    lambda: _t5_parameters() * _N_LAYER,
                    "You counted one table for each layer. They share it.",
                ),
                Mistake(
                    "forgets the heads",
                    lambda: _t5_parameters() / _N_HEAD,
                    "That is one head's share.",
                ),
            ),
        ),
    ),
    action=Action(
        task="Leave only the methods that act on the logit in the chart.",
        hint="Two of the methods in the chart add a bias to the logit. Sines, tables and "
        "rotations act earlier; NoPE acts nowhere.",
        done=_only_on_the_logit,
        praise="These add a bias to the logit, a trained or a fixed one. Which is ahead at the "
        "training length, and which at the longest? Read off where the lines cross, if they do.",
        solution={"methods": ("alibi", "t5")},
    ),
    explanation="""
A fair summary today. Building on an open model? It most likely has **RoPE**, and there are good
tools to stretch it. Training small models from scratch that must read longer texts than they were
trained on, on modest hardware? **ALiBi** is hard to beat for simplicity, or a logarithmic bias if
two parameters a head do not scare you. Everything within the training length and nothing beyond?
Then a **T5 bias** does at least as well. Curious? Try **none**.

And whatever you choose: read the slopes back, look at row 0, name your protocol.
""",
    teaching="End with a debate: three groups, three purposes, each defends a method with one "
    "number and its source.",
)
