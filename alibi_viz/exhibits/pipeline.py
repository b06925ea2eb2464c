"""Attention step by step: the diagram, the worked example and what to see in it."""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd
from einops import rearrange
from numpy.typing import NDArray

from alibi_viz.exhibits.stages import STAGE_STEPS
from alibi_viz.figures.panels import Panel
from alibi_viz.figures.pipeline import Step
from alibi_viz.maths.arrays import Floats
from alibi_viz.model.worked import WORDS, WorkedExample, worked_example
from alibi_viz.positions import find_method

ABOUT = (
    "One layer, two heads of four channels, random weights from one seed, the same for every "
    "method; ALiBi's slopes are 1/2 and 1/4, and tables are random. “the” stands there twice: "
    "whatever tells its two places apart is position."
)


def label(method: str) -> str:
    """Returns a method's name on the page."""
    return find_method(method).label


def pipeline_steps(method: str, stage: str) -> tuple[Step, ...]:
    """Returns the steps of the diagram, with the method's place and the shown stage marked.

    Args:
        method: Key of the position method.
        stage: One of `STAGES`.
    """
    own = find_method(method)
    steps = (
        ("tokens", " ".join(WORDS), ""),
        ("embedding", "x = E[token]", "embedding"),
        ("query, key, value", "q = W<sub>q</sub> x,  k = W<sub>k</sub> x,  v = W<sub>v</sub> x",
         "query_key"),
        ("logits", "q · k / √d", "logit"),
        ("mask", "a key after its query: −∞", ""),
        ("softmax", "the weights of a query sum to 1", ""),
        ("output", "Σ weight · v", ""),
    )  # fmt: skip
    return tuple(
        Step(
            name,
            own.formula if place == own.acts_on else formula,
            acts=place == own.acts_on,
            is_shown=name in STAGE_STEPS[stage],
        )
        for name, formula, place in steps
    )


def note(method: str) -> str:
    """Returns what the diagram says below its last step, where no step is lit."""
    nowhere = find_method(method).acts_on == "nowhere"
    return "nowhere: order comes from the mask alone" if nowhere else ""


def pipeline_alt(method: str) -> str:
    """Returns the diagram in words."""
    place = {
        "embedding": "the token embedding",
        "query_key": "queries and keys",
        "logit": "the logits",
        "nowhere": "nothing; only the causal mask knows an order",
    }[find_method(method).acts_on]
    return (
        "Tokens, embedding, query key and value, logits, mask, softmax, output. "
        f"{label(method)} acts on {place}."
    )


def panels_alt(method: str, shown: list[Panel]) -> str:
    """Returns in words which matrices stand there."""
    return f"{label(method)}: matrices over {' '.join(WORDS)}: " + "; ".join(
        panel.title for panel in shown
    )


@cache
def example(method: str) -> WorkedExample:
    """Returns the worked example of a method; shared, nobody changes it."""
    return worked_example(method)


def panels(method: str, stage: str, head: int) -> list[Panel]:
    """Returns the matrices of one stage of the worked example.

    Args:
        method: Key of the position method.
        stage: One of `STAGES`.
        head: Head, counted from 0.
    """
    made = example(method)
    future = np.triu(np.ones((len(WORDS), len(WORDS)), dtype=bool), 1)
    channel = [str(number + 1) for number in range(made.embedding.shape[-1])]
    if stage == "embedding":
        ends = _ends(made.token_embedding, made.embedding)
        return [
            Panel("token embedding, by channel", made.token_embedding, WORDS, channel, ends),
            Panel("what enters the layer", made.embedding, WORDS, channel, ends),
        ]
    if stage == "q, k, v":
        named = (("queries", made.q), ("keys", made.k), ("values", made.v))
        return [
            Panel(f"{name} of head {head + 1}, by channel", of[head], WORDS, channel[: of.shape[2]])
            for name, of in named
        ]
    if stage == "output":
        return [
            Panel("weights", _masked(made.weights[head], future), WORDS, WORDS, (0.0, 1.0)),
            Panel("weights times values", made.output[head], WORDS, channel[: made.v.shape[2]]),
        ]
    added = _added(method)[head]
    span = float(np.nanmax(np.abs(added))) or 1.0
    return [
        Panel("1  content, q · k / √d, nats", made.plain_logits[head], WORDS, WORDS),
        Panel(
            f"2  what {label(method)} changes, nats",
            added,
            WORDS,
            WORDS,
            (-span, span),
            is_difference=True,
        ),
        Panel("3  both, with the mask, nats", _masked(made.logits[head], future), WORDS, WORDS),
        Panel("4  weights", _masked(made.weights[head], future), WORDS, WORDS, (0.0, 1.0)),
    ]


def _added(method: str) -> Floats:
    """What a method changes in the logits, (head, query, key); NaN where it says nothing.

    A bias is a function of the distance back to a key: of keys in the future it says nothing.
    """
    added = example(method).added
    if find_method(method).acts_on != "logit":
        return added
    return _masked(added, np.triu(np.ones(added.shape[1:], dtype=bool), 1))


def steps_table(steps: Sequence[Step]) -> pd.DataFrame:
    """Returns the diagram as a table, one row a step."""
    return pd.DataFrame(
        {
            "step": [step.name for step in steps],
            "formula": [re.sub(r"</?\w+>", "", step.formula) for step in steps],
            "position acts here": [step.acts for step in steps],
        }
    )


def example_table(method: str) -> pd.DataFrame:
    """Returns every number between the tokens and the output, one a row."""
    made = example(method)
    tables = [
        _rows("token embedding", made.token_embedding[None]),
        _rows("embedding", made.embedding[None]),
        _rows("query", made.q),
        _rows("key", made.k),
        _rows("value", made.v),
        _rows("content logit, nats", made.plain_logits),
        _rows("change by position, nats", _added(method)),
        _rows("weight", made.weights),
        _rows("output", made.output),
    ]
    return pd.concat(tables, ignore_index=True).dropna(ignore_index=True)


def example_sentence(method: str, head: int) -> str:
    """Returns what to see: whether the two equal words are told apart, and by how much.

    Args:
        method: Key of the position method.
        head: Head, counted from 0.
    """
    made = example(method)
    last = made.weights[head, -1]
    plain = made.plain_weights[head, -1]
    first, second = (index for index, word in enumerate(WORDS) if word == "the")
    apart = (
        f"the last word gives the first “the” {last[first]:.2f} of its attention and the second "
        f"{last[second]:.2f}; without position both get {plain[first]:.2f}"
    )
    if np.allclose(made.added, 0):
        return (
            f"nothing is added. The last word gives both “the” the same {last[first]:.2f}: in the "
            "first layer only the mask tells places apart, by how many words each can see."
        )
    changed = made.added[head]
    largest = float(np.abs(np.tril(changed)).max())
    return f"{apart}. The largest change of a visible logit is {largest:.2f} nats."


def _rows(stage: str, values: Floats) -> pd.DataFrame:
    """Returns (head, row, column) numbers as a table."""
    head, row, column = np.indices(values.shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "stage": stage,
            "head": [str(index + 1) if len(values) > 1 else "all" for index in head],
            "token": [f"{index + 1} {WORDS[index]}" for index in row],
            "column": column + 1,
            "value": rearrange(values, "head row column -> (head row column)"),
        }
    )


def _masked(values: Floats, future: NDArray[np.bool_]) -> Floats:
    masked: Floats = np.where(future, np.nan, values)
    return masked


def _ends(*values: Floats) -> tuple[float, float]:
    return min(float(each.min()) for each in values), max(float(each.max()) for each in values)
