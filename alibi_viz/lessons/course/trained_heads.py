"""A lesson: what the heads of a trained model do with their slopes, and how to read them back."""

import math

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
from alibi_viz.maths.bias import alibi_bias, bias_by_distance
from alibi_viz.maths.decay import attention_by_distance, softmax
from alibi_viz.maths.slopes import alibi_slopes

_ROW = attention_by_distance([0.5], 4)[0, ::-1]
_AWAY = 40


def _read_back() -> float:
    """Returns the slope that acts in a row of weights at equal content."""
    return float(np.diff(np.log(_ROW)).mean())


def _verdict_on_even_rows() -> str:
    """Returns what a read-back says of a model whose rows come out even."""
    steps = np.diff(np.log(softmax(alibi_bias([0.0], 6)[0])[-1]))
    return "nothing acts" if np.allclose(steps, 0) else "linear"


def _checkpoint_bias(n_head: int, length: int) -> Floats:
    power = 2 ** int(np.log2(n_head))
    ladder = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-4 * np.arange(1, 2 * power, 2) / power)
    slopes = np.sort(np.concatenate([ladder, between])[:n_head])[::-1]
    return -slopes[:, None] * np.arange(length)


def _checkpoint_bias_in_order(n_head: int, length: int) -> Floats:
    power = 2 ** int(np.log2(n_head))
    ladder = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-4 * np.arange(1, 2 * power, 2) / power)
    slopes = np.concatenate([ladder, between])[:n_head]
    return -slopes[:, None] * np.arange(length)


_PAID = 3.0


def _content_has_paid(state: State) -> bool:
    """Returns whether the cell that is read out has more weight than it has distance to pay for."""
    dear = state.get("cost", 0.0) >= _PAID
    return bool(dear and state["weight"] > state["own_weight"])


LESSON = Lesson(
    slug="trained-heads",
    title="What trained heads do",
    minutes=9,
    goal="Read a slope back from attention weights, and tell content from position in a trained "
    "head.",
    opening="""
So far content was equal, or made up. In a trained model content and penalty add up: content can
pay for distance.

And never trust a configuration file. Whether ALiBi acts in a model, and with which slopes, can be
read from the model itself: set all queries to zero, so that content falls silent, and look at the
weights that remain.
""",
    look="One head of a trained model on a short text: query down, key across, the brighter the "
    "more weight. Point at a cell, or walk with the arrow keys, and read what is content and what "
    "is position. Below it: the mean by distance, and what the slope alone would give.",
    view=View(
        "trained",
        "trained_attention",
        ("head",),
        {"layer": 2, "heads": 8, "head": 8},
        readings=("cost", "weight", "own_weight"),
    ),
    questions=(
        NumberQuestion(
            key="read-back",
            prompt="With silent content the last row of a head reads "
            f"**{', '.join(f'{weight:.4f}' for weight in _ROW)}**, the query's own key last. Which "
            "slope acts?",
            answer=_read_back,
            tolerance=0.01,
            reveal="{answer}: $\\ln(p_j / p_{j-1})$ is the same between any two neighbours, and it "
            "is the slope. If it were not the same everywhere, the bias would not be linear.",
            hint="Divide each weight by the one before, then take the logarithm.",
            mistakes=(
                Mistake(
                    "forgets the logarithm",
                    lambda: math.exp(_read_back()),
                    "That is the ratio of neighbours. The slope is its logarithm.",
                ),
                Mistake(
                    "forgets the logarithm",
                    lambda: math.exp(-_read_back()),
                    "That is the ratio of neighbours, away from the query. The slope is the "
                    "logarithm of the inverse.",
                ),
                Mistake(
                    "turns the sign around",
                    lambda: -_read_back(),
                    "Right size. Slopes are given as positive numbers, and subtracted.",
                ),
            ),
        ),
        NumberQuestion(
            key="price",
            prompt=f"In a trained model, a head of slope 1/2 puts as much weight on a key {_AWAY} "
            "tokens back as on the query's own. By how many nats is that key's content ahead?",
            unit="nats",
            answer=lambda: -float(bias_by_distance([0.5], _AWAY + 1)[0, _AWAY]),
            tolerance=0.01,
            reveal="{answer}: a factor of half a billion, made up for by content alone.",
            hint="Equal weights are equal logits.",
            mistakes=(
                Mistake(
                    "divides by the slope",
                    lambda: _AWAY / 0.5,
                    "Multiply by the slope: it is nats *per token*.",
                ),
                Mistake(
                    "forgets the slope",
                    lambda: float(_AWAY),
                    "That is the distance in tokens. What does each of them cost?",
                ),
            ),
        ),
        ChoiceQuestion(
            key="silent",
            prompt="A configuration says `alibi: true`. With silent content every row comes out "
            "perfectly **even**. What has happened?",
            options=(
                Option(
                    "The slopes are steep, so everything is far away.",
                    "linear",
                    "Steep slopes make a row *un*even, with nearly all weight on the own key.",
                    "takes even attention for steep slopes",
                ),
                Option("No position method acts at all.", "nothing acts", ""),
                Option(
                    "The model has learned to ignore its slopes.",
                    "learned",
                    "It cannot: slopes are constants, and the queries are silent. Nothing that is "
                    "learned is left in this row.",
                    "thinks that slopes are learned",
                ),
            ),
            answer=_verdict_on_even_rows,
            reveal="All steps of the logarithm are 0: the slope that acts is 0. It happens: a "
            "setting in the wrong block, a class loaded without its own code, and the model runs "
            "on, without a word, as if it had no positions.",
        ),
        SpotQuestion(
            key="sorted",
            prompt="This rebuilds the biases of a checkpoint with 12 heads. Which line is wrong?",
            buggy=_checkpoint_bias,
            fixed=_checkpoint_bias_in_order,
            agrees=lambda function: bool(
                np.allclose(
                    function(12, 5), bias_by_distance(alibi_slopes(12, rule="interleaved"), 5)
                )
            ),
            reveal="The right twelve slopes, dealt to the wrong heads. Order belongs to the "
            "checkpoint: `{fix}`.",
            innocent={
                "between": "The rungs in between: every second one of the ladder with twice as "
                "many. That is the authors' rule.",
                "ladder": "The ladder of the largest power of two within the head count: right.",
                "int(np.log2": "The largest power of two not above the head count: right.",
                "np.arange(length)": "Minus slope times distance: right.",
            },
            error="sorts the slopes of a checkpoint",
        ),
    ),
    action=Action(
        task="Find a distant key that wins despite its penalty. Choose a head, then a cell of "
        f"its map: a key whose distance costs at least **{_PAID:g} nats** and that still gets "
        "**more weight than the query's own key**. The sentence below the map gives both. In a "
        "text this short, no distance costs that much in the flattest heads.",
        hint=f"A steep head needs few tokens to cost {_PAID:g} nats: with slope 1/8 they are 24. "
        "Choose head 3 and walk along its bright cells far from the diagonal.",
        done=_content_has_paid,
        praise=f"Content ahead by more than {_PAID:g} nats, a factor of {math.exp(_PAID):.0f}: "
        "the key won despite its penalty. Now compare the chart below: the *mean* by "
        "distance hides such cells.",
        solution={"head": 3, "cost": _PAID, "weight": 0.2, "own_weight": 0.1},
    ),
    explanation="""
In a trained model look for three kinds of head: those that do what their slope says; those that
look at the first token, whatever the distance (attention sums to 1: it has to go somewhere); and
those that pick single words from further away than their slope would let them.

Means hide the third kind: over a whole text a head can keep close to its slope, and still pay for
one word here and there. Averages over heads hide more, and a second softmax over weights makes
anything look even. Look at single cells of single heads, on a logarithmic scale, and read the
slopes back before you believe any of it.
""",
    teaching="Let each student take one head and describe it in a sentence. Then compare "
    "sentences with slopes.",
)
