"""The attention of one query by distance, for every head: its summary, its table and its words."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alibi_viz.figures.decay_lines import DecayCurves
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.content import N_DRAW, Spread, attention_over_draws, distance_grid, spread
from alibi_viz.maths.windows import WINDOW_MASS, closed_form_window, half_life

MASSES = (0.5, 0.9, WINDOW_MASS, 0.99)
SEED = 0
"""Of the draws of content."""
DECAY_TITLE = "Attention weight by distance, and its running sum"
WINDOWS_TITLE = "Nearest keys that hold a share of each head's attention"
UNLIMITED = f"{WINDOW_MASS:.0%} window in unlimited context, tokens"
"""Name of the column of windows that no length limits."""


@dataclass(frozen=True)
class DecaySummary:
    """The attention of one query, for every head, as medians and ranges over draws of content."""

    distances: NDArray[np.int64]
    """(distance,) drawn distances, in tokens."""
    weights: Spread
    """(head, distance) attention weight of one key."""
    held: Spread
    """(head, distance) share of the attention on all keys up to there."""
    windows: Spread
    """(mass, head) nearest keys that hold each of `MASSES`, in tokens."""
    effective_keys: Spread
    """(head,) exp of the entropy of the weights."""

    @property
    def n_key(self) -> int:
        """Keys that the query sees, its own included."""
        return int(self.distances[-1]) + 1

    def held_within(self, length: int) -> Floats:
        """Returns each head's median share on distances below `length`, one of those drawn."""
        index = np.searchsorted(self.distances, min(length, self.n_key) - 1)
        held: Floats = self.held.median[:, index]
        return held


def decay_summary(
    slopes: Floats, content: Floats, *, train_length: int, even: bool
) -> DecaySummary:
    """Returns the attention of a query over draws of content.

    Args:
        slopes: (head,) slopes, in nats per token.
        content: (distance, draw) content logits, in nats; one draw of zeros is the pure decay.
        train_length: Tokens a sequence had in training; its last distance is among those drawn.
        even: Whether the distances suit a linear axis.
    """
    distances = distance_grid(len(content), also=(train_length - 1, train_length), even=even)
    drawn = attention_over_draws(slopes, content, distances, MASSES)
    return DecaySummary(
        drawn.distances,
        spread(drawn.weights),
        spread(drawn.held),
        spread(drawn.windows),
        spread(drawn.effective_keys),
    )


def decay_curves(
    slopes: Floats, summary: DecaySummary, *, length: int, train_length: int
) -> DecayCurves:
    """Returns what `decay_figure` draws.

    Args:
        slopes: (head,) slopes, in nats per token.
        summary: Of a query of the sequence.
        length: Tokens in the sequence.
        train_length: Tokens a sequence had in training.
    """
    return DecayCurves(
        slopes, summary.distances, summary.weights, summary.held, length, train_length
    )


def window_column(mass: float) -> str:
    """Returns the name of the column of windows that hold a share of the attention."""
    return f"{mass:.0%} window here, tokens"


def decay_table(slopes: Floats, summary: DecaySummary) -> pd.DataFrame:
    """Returns one row a head, in the order of the heads: medians where content was drawn.

    Args:
        slopes: (head,) slopes, in nats per token.
        summary: What to tabulate.
    """
    windows = {
        window_column(mass): summary.windows.median[index] for index, mass in enumerate(MASSES)
    }
    return pd.DataFrame(
        {
            "head": np.arange(1, len(slopes) + 1),
            "slope, nats/token": slopes,
            "half-life, tokens": half_life(slopes),
            UNLIMITED: closed_form_window(slopes, WINDOW_MASS).astype(int),
            **windows,
            "effective number of keys": summary.effective_keys.median,
            "weight on itself": summary.weights.median[:, 0],
        }
    )


def decay_sentence(
    slopes: Floats, summary: DecaySummary, strength: float, train_length: int
) -> str:
    """Returns what to look for, in Markdown, with the numbers of this state.

    Args:
        slopes: (head,) slopes, in nats per token.
        summary: What is shown.
        strength: Standard deviation of the content logits, in nats.
        train_length: Tokens a sequence had in training.
    """
    steep, flat = int(np.argmax(slopes)), int(np.argmin(slopes))
    halves = [_tokens(tokens) for tokens in half_life(slopes)]
    window = summary.windows.median[MASSES.index(WINDOW_MASS)]
    equal = ", at equal content," if strength else ""
    parts = [
        f"head {steep + 1}{equal} halves its weight every {halves[steep]} and holds "
        f"{100 * WINDOW_MASS:.0f} % of its attention on {window[steep]:,} of {summary.n_key:,} keys"
    ]
    if flat != steep:
        parts.append(f"head {flat + 1} halves it every {halves[flat]} and needs {window[flat]:,}")
    sentences = ["; ".join(parts) + "."]
    if strength:
        sentences.append(
            f"A key whose content is {strength:g} nats (one standard deviation) better makes up "
            f"for {_tokens(strength / slopes[steep])} of distance in head {steep + 1}"
            + (
                f", {_tokens(strength / slopes[flat])} in head {flat + 1}."
                if flat != steep
                else "."
            )
        )
    sentences.append(_beyond_training(summary, train_length))
    return " ".join(sentence for sentence in sentences if sentence)


def _beyond_training(summary: DecaySummary, train_length: int) -> str:
    if summary.n_key <= train_length:
        return f"Every distance of this query occurs in training on {train_length:,} tokens."
    beyond = 1 - summary.held_within(train_length)
    many = int((beyond >= 0.01).sum())
    if not many:
        return (
            f"No head puts as much as 1 % of the attention on distances that training on "
            f"{train_length:,} tokens never had."
        )
    heads = "heads put" if many != 1 else "head puts"
    return (
        f"{many} of {len(beyond)} {heads} 1 % or more of the attention on distances that training "
        f"on {train_length:,} tokens never had (at most {100 * beyond.max():.0f} %, head "
        f"{int(beyond.argmax()) + 1})."
    )


def _tokens(count: float) -> str:
    """Returns a number of tokens with the digits it is worth."""
    text = f"{count:,.0f}" if count >= 20 else f"{count:.2g}"
    return f"{text} token{'' if text == '1' else 's'}"


def table_note(strength: float) -> str:
    """Returns what the numbers of the table are."""
    note = "Windows in tokens: the nearest keys, its own included, that hold that share."
    return f"{note} {content_note()}" if strength else note


def content_note() -> str:
    """Returns where the numbers come from once content is drawn."""
    return (
        f"Curves, windows and numbers are medians of {N_DRAW} draws of content (seed {SEED}), "
        "bands and bars the range from 10 to 90 % of the draws; all heads have the same draws."
    )


def decay_alt(slopes: Floats, n_key: int) -> str:
    """Returns what the curves show, for those who cannot see them.

    Args:
        slopes: (head,) slopes, in nats per token.
        n_key: Keys that the query sees, its own included.
    """
    return (
        f"Attention weight of one key, and its running sum, against distance for {len(slopes)} "
        f"heads with slopes from {slopes.max():.3g} to {slopes.min():.3g} nats per token and a "
        f"query with {n_key:,} keys. The steeper the slope, the higher a curve begins and the "
        "earlier it falls."
    )


def windows_alt(summary: DecaySummary) -> str:
    """Returns what the windows show, for those who cannot see them."""
    window = summary.windows.median[MASSES.index(WINDOW_MASS)]
    return (
        f"Tokens that hold 50, 90, 95 and 99 % of each head's attention, heads from the steepest "
        f"to the flattest slope. The {100 * WINDOW_MASS:.0f} % window runs from {window.min():,} "
        f"to {window.max():,} of {summary.n_key:,} keys."
    )
