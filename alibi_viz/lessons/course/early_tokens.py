"""A lesson: nonoverlapping evaluation flatters long windows; the early-token curse."""

import numpy as np

from alibi_viz.lessons.lesson import Action, Lesson, State, View
from alibi_viz.lessons.questions import ChoiceQuestion, Mistake, NumberQuestion, Option
from alibi_viz.maths.bias import alibi_bias
from alibi_viz.published.cited import cited_numbers

_CITED = cited_numbers()
_BLOCKS = _CITED["alibi_512_512"], _CITED["alibi_512_3072"]
_SLIDING = _CITED["stride1_alibi_512_512"], _CITED["stride1_alibi_512_3072"]
_LENGTH, _LITTLE = 512, 100


def _visible_keys(length: int) -> np.ndarray:
    """Returns how many keys each query of a window sees, its own included, from the mask."""
    visible: np.ndarray = np.isfinite(alibi_bias([1.0], length)[0]).sum(axis=-1)
    return visible


def _mean_context() -> float:
    return float(_visible_keys(_LENGTH).mean())


def _share_with_little() -> float:
    return float(100 * (_visible_keys(_LENGTH) <= _LITTLE).mean())


def _direction_when_sliding() -> str:
    before, after = (figure.number for figure in _SLIDING)
    return "falls" if after < 0.99 * before else "explodes" if after > 1.5 * before else "flat"


def _is_sliding(state: State) -> bool:
    return bool(state["protocol"] == "sliding window")


LESSON = Lesson(
    slug="early-tokens",
    title="Why the curve really falls",
    minutes=9,
    goal="Tell longer context from kinder evaluation, and ask for the protocol before the result.",
    opening="""
ALiBi's perplexity *improves* as the evaluation window grows. Does it use the longer context?

Look at how it is measured. **Nonoverlapping**: cut the text into windows of $L$ tokens and score
all tokens of each. The first prediction of a window is made from one token, the second from
two, and so on. That is the early-token curse. **Sliding window**: move on by a few tokens at a
time and score only the last ones, so that every prediction has a full window before it.
""",
    look="The line, measured in nonoverlapping windows: how far it falls from the shortest window "
    "to the longest. Keep its shape in mind.",
    view=View(
        "perplexity",
        "extrapolation",
        ("protocol",),
        {"source": "ours, same text", "protocol": "nonoverlapping", "methods": ("alibi",)},
    ),
    questions=(
        NumberQuestion(
            key="mean-context",
            prompt="Nonoverlapping windows of 512 tokens. How many tokens does a query see **on "
            "average**, itself included?",
            unit="tokens",
            answer=_mean_context,
            tolerance=0.005,
            reveal="{answer}: half the window. We counted the unmasked cells of the triangle. "
            "Evaluate with 1,024 and it is twice that, for the same model and the same text.",
            hint="The first sees 1, the last 512.",
            mistakes=(
                Mistake(
                    "takes the last query for all",
                    lambda: float(_visible_keys(_LENGTH)[-1]),
                    "Only the last query of each window sees that many.",
                ),
            ),
        ),
        NumberQuestion(
            key="little",
            prompt=f"What share of the predictions is made from {_LITTLE} tokens or fewer?",
            unit="%",
            answer=_share_with_little,
            tolerance=0.02,
            reveal="{answer}. In windows of 3,072 it would be a sixth of that. These predictions "
            "are the worst ones, so the average can improve with the window even if no prediction "
            "that had enough context gets any better.",
            hint=f"{_LITTLE} of the {_LENGTH} queries of each window.",
            mistakes=(
                Mistake(
                    "gives the share of the others",
                    lambda: 100 - _share_with_little(),
                    f"That many are made from more than {_LITTLE} tokens.",
                ),
            ),
        ),
        ChoiceQuestion(
            key="sliding",
            prompt=f"The paper's ALiBi model trained on 512 falls from {_BLOCKS[0]} to "
            f"{_BLOCKS[1]} between windows of 512 and 3,072 tokens, nonoverlapping. With a sliding "
            "window, stride 1, its curve ...",
            options=(
                Option(
                    "... falls as well: it makes use of the context.",
                    "falls",
                    "That is what the first chart suggests. The paper's own Table 15 shows "
                    f"{_SLIDING[0]} and then {_SLIDING[1]}.",
                    "takes the fall for the use of longer context",
                ),
                Option("... stays about level, or rises a little.", "flat", ""),
                Option(
                    "... rises steeply: past 512 it must fail.",
                    "explodes",
                    "That is sinusoidal. ALiBi's new penalties do no such harm.",
                    "expects ALiBi to fail like sinusoidal",
                ),
            ),
            answer=_direction_when_sliding,
            reveal=f"{_SLIDING[0]} at 512, {_SLIDING[1]} at 3,072 (Table 15): a little worse, not "
            "better. So the gain of the first curve comes from how it was scored: the curse is "
            "thinned out.",
        ),
        NumberQuestion(
            key="saved",
            prompt=f"At 512 tokens, how much perplexity does sliding ({_SLIDING[0]}) save against "
            f"nonoverlapping ({_BLOCKS[0]})?",
            answer=lambda: _BLOCKS[0].number - _SLIDING[0].number,
            tolerance=0.01,
            reveal="{answer}. Six times longer windows saved "
            f"{_BLOCKS[0].number - _BLOCKS[1].number:.2f}. So giving *every* token the 512 tokens "
            "that the model was trained on is worth more than any extrapolation here.",
            hint="A difference of two numbers in the question.",
            mistakes=(
                Mistake(
                    "takes the gain of longer windows",
                    lambda: _BLOCKS[0].number - _BLOCKS[1].number,
                    "That is what windows of 3,072 saved, nonoverlapping.",
                ),
            ),
        ),
    ),
    action=Action(
        task="Switch the measurement to the sliding window.",
        hint="The control above the chart has two settings. The other one scores only tokens that "
        "have a full window before them.",
        done=_is_sliding,
        praise="The same model, the same text. What is left of the fall is what longer context is "
        "worth to it.",
        solution={"protocol": "sliding window"},
    ),
    explanation="""
The paper says so itself, in its Appendix B: the gain of longer windows is largely the early-token
curse. ALiBi's achievement is to be *unharmed* by length, so that a long text can be read in few
large windows instead of many sliding ones. That is worth a lot: sliding by one token costs a
forward pass for each token.

It is no evidence that information from 10,000 tokens back is used. The lesson *Windows* shows why
it hardly could be.
""",
    teaching="This is the most instructive lesson for anyone who reviews papers. Let them find "
    "other results that hang on the evaluation protocol.",
)
