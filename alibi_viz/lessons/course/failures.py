"""A lesson: where ALiBi fails, in models and in code."""

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
from alibi_viz.maths.precision import NumberType, rounded
from alibi_viz.maths.slopes import alibi_slopes, interpolated_slopes
from alibi_viz.published.cited import cited_numbers

_CITED = cited_numbers()
_RETRIEVAL = {name: _CITED[f"retrieval_{name}"].number for name in ("plain", "interpolated", "ntk")}
_CODE = _CITED["code_alibi_1024"], _CITED["code_alibi_2560"]
_FLAT = 1 / 256
_DISTANCE = 8192
_N_BIAS = 4096


def _price() -> float:
    return -float(bias_by_distance([_FLAT], _DISTANCE + 1)[0, _DISTANCE])


def _distinct(number_type: NumberType) -> float:
    """Returns how many of so many different biases a number type can tell apart."""
    return float(len(np.unique(rounded(bias_by_distance([_FLAT], _N_BIAS), number_type))))


def _encoder_weight(bias: Floats) -> float:
    return float(softmax(bias)[1, 1])


def _last_token_weight() -> float:
    return float(softmax(_by_key_without_mask())[1, -1])


def _by_key_without_mask() -> Floats:
    return 0.5 * np.tile(np.arange(4.0), (4, 1))


def _best_retrieval_without_training() -> str:
    return max(_RETRIEVAL, key=lambda name: _RETRIEVAL[name])


def _one_token_step(slope: float, n_key: int) -> Array:
    query_pos = 0
    key_pos = np.arange(n_key)
    attn_logits = -slope * abs(query_pos - key_pos)
    attn_weights = np.exp(attn_logits)
    return attn_weights / attn_weights.sum()


def _one_token_step_at_the_end(slope: float, n_key: int) -> Array:
    query_pos = n_key - 1
    key_pos = np.arange(n_key)
    attn_logits = -slope * abs(query_pos - key_pos)
    attn_weights = np.exp(attn_logits)
    return attn_weights / attn_weights.sum()


def _far_for_one_nat(state: State) -> bool:
    slopes = alibi_slopes(state["heads"], state["exponent"], state["rule"])
    return bool(slopes.min() * _DISTANCE <= 1)


LESSON = Lesson(
    slug="failures",
    title="Where it fails",
    minutes=9,
    goal="Name the limits of a linear penalty, in models and in their code, with numbers.",
    opening="""
Every strength so far has a drawback. A penalty that grows without end puts the far past out of
reach. A method that never breaks can hide that it never looks. And more than one library has got
the one-line formula wrong.
""",
    look="What the flattest of 8 heads makes of 16,384 tokens. Read the bias in the far corner of "
    f"its triangle: about −{_FLAT * 16_383:.0f} nats. Hardly any content makes up for that.",
    view=View(
        "biases",
        "explore",
        ("exponent", "colour", "head"),
        {
            "heads": 8,
            "exponent": 8.0,
            "length": 16_384,
            "rule": "geometric",
            "head": 8,
            "colour": "bias",
            "scale": "per head",
        },
    ),
    questions=(
        NumberQuestion(
            key="price",
            prompt="What does a key 8,192 tokens back cost in the flattest of 8 heads?",
            unit="nats",
            answer=_price,
            tolerance=0.001,
            reveal="{answer}: a factor of $e^{32}$, eighty trillion, against it at equal content. "
            "Depth can relay the news in smaller steps; a single look must pay the price.",
            hint="Slope 1/256 times the distance.",
            mistakes=(
                Mistake(
                    "divides by the exponent",
                    lambda: _DISTANCE / 8,
                    "You divided by 8, the exponent. The slope is $2^{-8}$.",
                ),
                Mistake(
                    "drops the distance",
                    lambda: _FLAT,
                    "That is the price of one token.",
                ),
            ),
        ),
        NumberQuestion(
            key="bfloat16",
            prompt="Slope 1/256: the biases of 4,096 distances are 4,096 different numbers. How "
            "many different ones are left in bfloat16, whose numbers have 8 significant bits?",
            answer=lambda: _distinct("bfloat16"),
            tolerance=0.001,
            reveal="{answer}. The further away, the more neighbouring tokens share one bias. So "
            "compute it in float32, and as $-m(i-j)$: near the query, where it matters, the "
            "numbers are small and half precision is fine enough.",
            hint="Up to 256 steps of the slope are exact. Then, for every doubling of the bias, "
            "128 values.",
            mistakes=(
                Mistake(
                    "trusts half precision",
                    lambda: float(_N_BIAS),
                    "Eight significant bits cannot tell 4,096 numbers of this kind apart.",
                ),
                Mistake(
                    "takes float16 for bfloat16",
                    lambda: _distinct("float16"),
                    "That is float16, with its 11 significant bits.",
                ),
                Mistake(
                    "counts the exact ones only",
                    lambda: 2.0**8,
                    "The first 256 are exact. Beyond them some are left too: 128 for every "
                    "doubling.",
                ),
            ),
        ),
        NumberQuestion(
            key="encoder",
            prompt="An *encoder* sees both sides, with bias $-m\\,|i - j|$. 4 tokens, slope 1/2, "
            "equal content: what weight does token 1 (counted from 0) put on itself?",
            answer=lambda: _encoder_weight(alibi_bias([0.5], 4, direction="symmetric")[0]),
            tolerance=0.005,
            reveal="{answer}: its distances are 1, 0, 1, 2. The shortcut $+m\\,j$ would "
            f"here give the *last* token {100 * _last_token_weight():.1f} % of the attention, more "
            "than any other, whoever asks; that bug has been reported from several encoders.",
            hint="Four logits: −1/2, 0, −1/2, −1.",
            mistakes=(
                Mistake(
                    "keeps the causal mask",
                    lambda: _encoder_weight(alibi_bias([0.5], 4)[0]),
                    "You kept the causal mask. An encoder sees tokens 2 and 3 as well.",
                ),
                Mistake(
                    "reuses the causal shortcut +m j",
                    lambda: _encoder_weight(_by_key_without_mask()),
                    "That comes from $+m\\,j$, which is ALiBi under a causal mask only.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="retrieval",
            prompt="BLOOM-1b7, trained on 2,048 tokens, has to find one topic out of five in "
            "about 3,000 tokens. As it is, it succeeds in "
            f"{_RETRIEVAL['plain']:.0f} % of the texts. What helps most, without any training?",
            options=(
                Option(
                    "Nothing: without training it stays there.",
                    "plain",
                    "A few divided slopes do help: fewer nats for the same distance.",
                    "thinks that extrapolation cannot be repaired",
                ),
                Option(
                    "Dividing all slopes by two.",
                    "interpolated",
                    f"That lifts it to {_RETRIEVAL['interpolated']:.0f} %. But it halves the "
                    "slopes of the steep heads as well.",
                    "treats all heads alike",
                ),
                Option("Flattening the flat heads, leaving the steep ones alone.", "ntk", ""),
            ),
            answer=_best_retrieval_without_training,
            reveal=f"{_RETRIEVAL['ntk']:.0f} %, against {_RETRIEVAL['interpolated']:.0f} % for all "
            "slopes halved (50 texts, a repository's own report, not reviewed). Finding a thing is "
            "another test than *perplexity*: a model may predict the next word well from the near "
            "ones and never look for the rest. Ask for both.",
        ),
        NumberQuestion(
            key="interpolate",
            prompt="Position interpolation: a model trained on 2,048 tokens reads 8,192. What does "
            "its slope of 1/2 become?",
            answer=lambda: float(interpolated_slopes([0.5], 2048, 8192)[0]),
            tolerance=0.001,
            reveal="{answer}: divided by 8192/2048 = 4, so that the largest penalty is one that "
            "training knew.",
            hint="Divide by the ratio of the lengths.",
            mistakes=(
                Mistake(
                    "multiplies by the ratio",
                    lambda: 0.5 * 8192 / 2048,
                    "That makes far keys dearer still. Divide.",
                ),
                Mistake(
                    "leaves the slope alone",
                    lambda: 0.5,
                    "That is plain extrapolation.",
                ),
            ),
        ),
        SpotQuestion(
            key="decoding",
            prompt="A model generates with a cache: one new query, `n_key` keys. The text turns to "
            "nonsense. Which line is wrong?",
            buggy=_one_token_step,
            fixed=_one_token_step_at_the_end,
            agrees=lambda function: bool(
                np.allclose(function(0.5, 5), attention_by_distance([0.5], 5)[0, ::-1])
            ),
            reveal="The query is the *newest* token, not number 0: `{fix}`. With 0 the head stares "
            "at the beginning of the text. With a cache, or any chunk, distances are counted from "
            "the end of the keys.",
            innocent={
                "np.arange": "Keys stand at 0 ... n_key − 1: right.",
                "abs(": "With the query at the end, the distance is right, absolute value or not.",
                "np.exp": "That line, and the division below it, are a softmax.",
                "def ": "Nothing wrong with the arguments.",
            },
            error="counts a cached query from 0",
        ),
    ),
    action=Action(
        task="Raise the exponent until a key 8,192 tokens back costs the flattest head no more "
        "than 1 nat.",
        hint="8,192 is $2^{13}$, and the flattest slope is 2 to the minus exponent.",
        done=_far_for_one_nat,
        praise="Exponent 13 or more: $8192 / 2^{13} = 1$. In a model that was trained with 8 this "
        "makes another model, which has to be trained further: MPT-7B-StoryWriter is MPT-7B "
        "fine-tuned with 16.",
        solution={"exponent": 13.0},
    ),
    explanation=f"""
Three limits, then. **Reach**: whatever the slope, some distance is too expensive. **Use**: a low
perplexity is not retrieval. **Care**: the sign, the mask, the order of the heads, the offset of the
cache, the precision: each has gone wrong in public.

And no method is safe on all data: in one comparison on code, an ALiBi model of 1.3 billion
parameters, trained on {_CODE[0].train_length:,} tokens, went from a perplexity of {_CODE[0]} at
{_CODE[0].eval_length:,} tokens to {_CODE[1]} at {_CODE[1].eval_length:,} (Kazemnejad et al., 2023,
last 200 tokens).
""",
    teaching="Several of these questions come from bug reports. Ask which of the bugs a falling "
    "training loss would have revealed.",
)
