"""A lesson: a position vector added to the embedding, sinusoidal or learned."""

import math
from itertools import product

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.positions.base import PositionConfig
from alibi_viz.positions.learned import Learned
from alibi_viz.positions.sinusoidal import sinusoidal_embedding
from alibi_viz.positions.turns import pairs_with_a_full_turn, unseen_pairs

_D_MODEL, _TRAIN_LENGTH = 128, 128
_N_PAIR = _D_MODEL // 2


def _squared_norm() -> float:
    vector = sinusoidal_embedding(8, _D_MODEL)[7].astype(float)
    return float(vector @ vector)


def _terms(*n_position: int) -> float:
    """Returns how many terms of (word + position)(word + position) hold so many positions."""
    terms = product(("word", "position"), repeat=2)
    return float(sum(term.count("position") in n_position for term in terms))


def _normalised_norm() -> float:
    return _squared_norm() / _squared_norm()


def _row_past_the_table() -> str:
    learned = Learned(PositionConfig(d_model=4, train_length=_TRAIN_LENGTH))
    try:
        embedded = learned.embed(np.zeros((1, _TRAIN_LENGTH + 1, 4)))
    except ValueError:
        return "error"
    return "zero" if not embedded[0, -1].any() else "row"


def _three_quarters_turn(state: State) -> bool:
    return unseen_pairs("sinusoidal", state["trained"]) <= _N_PAIR // 4


# Tokens for one turn of the slowest pair.
_SLOWEST = 2 * math.pi * 10_000 ** (2 * (_N_PAIR - 1) / _D_MODEL)

LESSON = Lesson(
    slug="adding",
    title="Add a vector",
    minutes=8,
    goal="Follow a position vector from the embedding into the logit, and say what in it is new "
    "past the training length.",
    opening="""
The first idea: give every position a vector $p_i$ and add it to the embedding of whatever token
stands there. The original transformer takes fixed sines and cosines: channel pair $k$ is a clock
hand that turns by $10000^{-2k/d}$ radians a token. GPT-2 trains one vector for each position.

The two *the* of *Two equal words* now differ before the first layer sees them.
""",
    look="Each dot is one channel pair, the fastest on top. It shows how many times the pair goes "
    "around its circle within the training length. Left of the line it has not gone around once.",
    view=View(
        "phases",
        "methods",
        ("trained",),
        {"position": "sinusoidal", "trained": _TRAIN_LENGTH},
    ),
    questions=(
        NumberQuestion(
            key="terms",
            prompt="With the vectors added, the logit is $(x_i + p_i)^\\top A\\,(x_j + p_j)$. "
            "Multiply it out. How many of the four terms contain a position?",
            answer=lambda: _terms(1, 2),
            tolerance=0,
            reveal="{answer}: word with position, position with word, position with position. Only "
            "the last is about order alone. In the other two a *word* likes or dislikes a *place*, "
            "and the model has to untangle them.",
            hint="Write the four terms down: each factor is a word or a position.",
            mistakes=(
                Mistake(
                    "forgets the mixed terms",
                    lambda: _terms(2),
                    "One is about positions only. But a product of a word with a position contains "
                    "a position too.",
                ),
                Mistake(
                    "counts the mixed terms only",
                    lambda: _terms(1),
                    "Two are mixed. The product of the two positions counts as well.",
                ),
            ),
        ),
        NumberQuestion(
            key="norm",
            prompt="A sinusoidal vector has 128 channels: 64 pairs of a sine and a cosine of the "
            "same angle. What is $p_i \\cdot p_i$?",
            answer=_squared_norm,
            tolerance=0.001,
            reveal="{answer}, at every position: each pair adds $\\sin^2 + \\cos^2 = 1$. More "
            "generally $p_i \\cdot p_j$ is a sum of $\\cos$ of angle times $i - j$: it depends on "
            "the distance alone, before the model's matrices mix it.",
            hint="What do the sine and the cosine of one pair add, each squared?",
            mistakes=(
                Mistake(
                    "adds 1 a channel, not a pair",
                    lambda: float(_D_MODEL),
                    "Each *pair* adds $\\sin^2 + \\cos^2 = 1$, not each channel.",
                ),
                Mistake(
                    "takes the vector to be normalised",
                    _normalised_norm,
                    "Nobody divided by the length: each of the 64 pairs is a point on a unit "
                    "circle.",
                ),
            ),
        ),
        NumberQuestion(
            key="turns",
            prompt="Trained on 128 tokens, how many of the 64 pairs have **not** gone once around "
            "their circle, so that a longer text shows the model angles that it has never seen?",
            answer=lambda: float(unseen_pairs("sinusoidal", _TRAIN_LENGTH)),
            tolerance=0,
            reveal="{answer} of 64. Pair $k$ needs $2\\pi \\cdot 10000^{2k/128}$ tokens for a "
            "turn. The slowest would need "
            f"{_SLOWEST:,.0f} tokens; in {_TRAIN_LENGTH} it moves by "
            f"{360 * _TRAIN_LENGTH / _SLOWEST:.1f} degrees.",
            hint="A turn is $2\\pi$ radians, and pair $k$ turns $10000^{-2k/128}$ radians a token, "
            "$k = 0 \\ldots 63$. For which $k$ does a turn take more than 128 tokens?",
            mistakes=(
                Mistake(
                    "counts the pairs that have turned",
                    lambda: float(pairs_with_a_full_turn("sinusoidal", _TRAIN_LENGTH)),
                    "That many *have* turned. The question asks for the rest.",
                ),
                Mistake(
                    "takes one radian for a turn",
                    lambda: float(unseen_pairs("sinusoidal", _TRAIN_LENGTH, radians=1.0)),
                    "You counted pairs that turn by less than one radian. A full circle is "
                    "$2\\pi$ of them.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="table",
            prompt="And a *learned* table with 128 rows: what does it add to the 129th token?",
            options=(
                Option(
                    "Its last row once more.",
                    "row",
                    "No such rule is part of the method. Some code does it, and the model has "
                    "never seen two tokens with the same position.",
                    "expects the table to repeat its last row",
                ),
                Option(
                    "A zero vector.",
                    "zero",
                    "A zero vector would be one more position, an untrained one. The table has no "
                    "such row.",
                    "expects zeros past the table",
                ),
                Option("Nothing: there is no such row.", "error", ""),
            ),
            answer=_row_past_the_table,
            reveal="We tried: our module stops with an error, because any answer would be made up. "
            "A learned table cannot extrapolate at all.",
        ),
    ),
    action=Action(
        task="Train on longer texts: find a training length within which at least three quarters "
        "of the 64 pairs complete a turn.",
        hint="Of 64 pairs, 48 have to get around. Drag the training length to the right and count "
        "the dots that are still left of the line.",
        done=_three_quarters_turn,
        praise="Long enough. Each further quarter takes ten times the tokens: the wavelengths "
        f"form a geometric sequence, and the slowest needs {_SLOWEST:,.0f} tokens.",
        solution={"trained": 8192},
    ),
    explanation="""
Sines never run out: position 10,000 has a vector too. But a model is a function fitted to the
vectors that it has seen, and past the training length the slow pairs point where they never
pointed before. *Defined* at any length is not *trained* at any length.

That is the question to ask of every method: past the training length, **what is new?** Here it is
the phase of the slow pairs. For the learned table it is everything.
""",
    teaching="Have them compute the wavelength of pair 0 (6.3 tokens) and pair 63 by hand. The "
    "factor of nearly ten thousand between them explains the view.",
)
