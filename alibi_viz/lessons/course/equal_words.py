"""A lesson: attention without position cannot tell two equal words apart."""

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.maths.decay import softmax
from alibi_viz.positions.sentence import SENTENCES, word_attention

# the, dog, bit, the, man, yesterday
_LOGITS = np.array([1.0, 2.0, 0.0, 1.0, 2.0, 0.0])
_ORDERS = tuple(SENTENCES)


def _share_of_second_the() -> float:
    return float(100 * softmax(_LOGITS)[3])


def _share_by_logits() -> float:
    return float(100 * _LOGITS[3] / _LOGITS.sum())


def _share_of_distinct_words() -> float:
    return float(100 * softmax(np.array([1.0, 2.0, 0.0, 2.0, 0.0]))[0])


def _queries_that_notice(causal: bool) -> frozenset[int]:
    """Returns the words, of those that did not move, whose output the swap changes."""
    first, second = (word_attention("nope", order, causal).outputs for order in _ORDERS)
    return frozenset(
        place for place in (0, 2, 3, 5) if not np.allclose(first[place], second[place])
    )


def _tells_the_two_apart(state: State) -> bool:
    weights = word_attention(state["position"], state["order"]).attn_weights[-1]
    return not bool(np.isclose(weights[0], weights[3]))


LESSON = Lesson(
    slug="equal-words",
    title="Two equal words",
    minutes=6,
    goal="Say what attention by itself cannot see, and what the causal mask gives away.",
    opening="""
Attention compares a query with keys, and a key is made from its token's embedding. The embedding
of *the* is the same vector wherever *the* stands. So nothing in $q \\cdot k / \\sqrt{d}$ knows
**where** a token is: the head sees a bag of words.

The head in this lesson has never been trained. Its matrices are drawn at random, so it has no
habits that could mislead you.
""",
    look="How the last word, *yesterday*, spreads its attention over the sentence. The two *the* "
    "get bars of exactly the same length.",
    view=View(
        "words", "methods", ("position", "order"), {"position": "nope", "order": "dog first"}
    ),
    questions=(
        NumberQuestion(
            key="share",
            prompt="In another head, *yesterday* gives *the dog bit the man yesterday* the logits "
            "1, 2, 0, 1, 2, 0. What share of the attention goes to the **second** *the*?",
            unit="%",
            answer=_share_of_second_the,
            tolerance=0.02,
            reveal="{answer}: $e^1$ over the sum of all six exponentials. The first *the* gets the "
            "same share to the last digit; equal embedding, equal key, equal logit, equal weight.",
            hint="A weight is $e^{\\text{logit}}$ divided by the sum of $e^{\\text{logit}}$ over "
            "all six words. All six count, including both 1s, both 2s and both 0s.",
            mistakes=(
                Mistake(
                    "divides logits instead of their exponentials",
                    _share_by_logits,
                    "That is the logit over the sum of the logits. The softmax takes the "
                    "exponential of each first.",
                ),
                Mistake(
                    "counts equal words once",
                    _share_of_distinct_words,
                    "You counted *the* once. Both stand in the sum: equal keys share the "
                    "attention, they do not merge.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="swap",
            prompt="No mask: every word sees every other. Swap *dog* and *man*. Does the head's "
            "output at *yesterday* change?",
            options=(
                Option(
                    "Yes: now the man bites.",
                    frozenset({0, 2, 3, 5}),
                    "You know that the man bites now; the head does not. Its output is a sum, and "
                    "a sum has no order.",
                    "expects attention to notice order",
                ),
                Option(
                    "No, not in the last digit.",
                    frozenset(),
                    "",
                ),
                Option(
                    "Yes, but only at *yesterday*: its nearest word is now a different one.",
                    frozenset({5}),
                    "*Nearest* is a word about positions, and there are none in these logits.",
                    "takes for granted that near keys count more",
                ),
            ),
            answer=lambda: _queries_that_notice(causal=False),
            reveal="The bars move with their words, and the sum of the same six vectors with the "
            "same six weights is the same vector. We ran both sentences and compared.",
        ),
        ChoiceQuestion(
            key="mask",
            prompt="Now add the causal mask: a word sees itself and what came before. After this "
            "**one** layer, which of the words that did not move have an output that "
            "changed with the swap?",
            options=(
                Option(
                    "None: a mask is not a position method.",
                    frozenset(),
                    "It is none, yet it gives something away: look at what *bit* can see in each "
                    "of the sentences.",
                    "thinks that a causal mask carries no order",
                ),
                Option(
                    "*bit* and the second *the*.",
                    frozenset({2, 3}),
                    "",
                ),
                Option(
                    "*yesterday* as well: it sees them all.",
                    frozenset({2, 3, 5}),
                    "It sees all of them, before and after the swap: the same bag of six words, "
                    "so the same output.",
                    "thinks that seeing all words means seeing their order",
                ),
            ),
            answer=lambda: _queries_that_notice(causal=True),
            reveal="*bit* has seen *dog* but not *man*, or the reverse. In the next layer "
            "*yesterday* can read that from them. So a decoder learns something of order from its "
            "mask alone; the method called NoPE relies on nothing else.",
        ),
    ),
    action=Action(
        task="Choose a position method that gives the two *the* **different** weights.",
        hint="Any method but *NoPE* tells positions apart.",
        done=_tells_the_two_apart,
        praise="The two *the* now differ. Swap the nouns as well and see what else moves. The "
        "next lessons open these methods one by one.",
        solution={"position": "alibi"},
    ),
    explanation="""
Reorder the keys and attention reorders its weights with them: the output at a query does not
change. Without a mask a whole transformer inherits this. Order has to be put in from outside, and
there are three usual places to put it:

* into the **embedding**, before the first layer (sinusoidal, learned),
* into **queries and keys**, in every layer (RoPE),
* onto the **logit**, in every layer (T5 bias, ALiBi).

Or nowhere: then the causal mask has to be enough (NoPE).
""",
    teaching="Let the class vote on the second question before anyone touches the view. Most will "
    "expect a change; the surprise carries the whole course.",
)
