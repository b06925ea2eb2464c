"""What the page on extrapolation shows: its controls, its curves, its sentences and its tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.exhibits.measured import MEASURES, BundledModel
from alibi_viz.figures.extrapolation import MethodCurve
from alibi_viz.positions import METHODS
from alibi_viz.published.curves import PublishedCurve
from alibi_viz.ui.link.parameter import Control, Several, choice
from alibi_viz.ui.link.settle import bound_control, show_notes

LABELS = {method.label: method.key for method in METHODS.values()}
SHOWN_METHODS = Several(
    "methods",
    "methods",
    tuple(LABELS),
    aliases={method.key: method.label for method in METHODS.values()},
)
PROTOCOL = choice(
    "protocol",
    "evaluation windows",
    ("nonoverlapping", "sliding window"),
    allowed="nonoverlapping or sliding window",
    help="Nonoverlapping windows score every token, those at the start of a window with hardly "
    "any context: longer windows have fewer such tokens. A sliding window scores only its last "
    "tokens, which have context of nearly the whole window.",
)
MEASURE = choice(
    "measure",
    "measure",
    MEASURES,
    help="Ratio: perplexity over the model's own perplexity at its training length.",
)
PAPER = choice(
    "paper",
    "data and training length",
    ("WikiText-103 512", "WikiText-103 1024", "WikiText-103 3072", "CC100 512", "CC100 1024"),
    allowed="WikiText-103 with 512, 1024 or 3072, CC100 with 512 or 1024",
    help="Data set, and tokens in a training window. Models of 247M parameters on WikiText-103, "
    "of 1.3B on CC100 and RoBERTa's data.",
)


def protocol_of(text: str) -> Protocol:
    """Returns the protocol as records spell it."""
    return "sliding_window" if text == "sliding window" else "nonoverlapping"


def train_length_control(records: Sequence[Record]) -> Control[str]:
    """Returns a choice of the training lengths that have records; 128 if there is no other."""
    lengths = sorted({record.train_length for record in records} | {TRAIN_LENGTH})
    texts = tuple(str(length) for length in lengths)
    return choice(
        "L",
        "training length, tokens",
        texts,
        str(TRAIN_LENGTH),
        allowed=", ".join(texts) + " tokens",
    )


def methods_control(container: DeltaGenerator) -> list[str]:
    """Shows a choice of methods that stands in the URL by their labels, and returns their keys."""
    chosen = bound_control(SHOWN_METHODS, container)
    show_notes(SHOWN_METHODS)
    return [LABELS[label] for label in chosen]


def own_caption(
    records: Sequence[Record], models: Sequence[BundledModel], train_length: int
) -> str:
    """Returns what was measured here, or what to do where nothing was yet."""
    if not records:
        return (
            "Nothing measured yet. `python -m alibi_viz train` makes a model, "
            "`python -m alibi_viz evaluate` measures it."
        )
    seeds = len({record.seed for record in records if record.train_length == train_length})
    return (
        f"Models{_sizes(models, train_length)} trained on windows of {train_length:,} tokens, "
        f"{'one seed' if seeds == 1 else f'{seeds} seeds (line: mean, shade: range)'}, text: "
        f"{records[0].corpus.split(' sha256')[0]}."
    )


def _sizes(models: Sequence[BundledModel], train_length: int) -> str:
    """Returns how many parameters the models of one training length have, smallest to largest."""
    counts = sorted(
        model.about["parameters"]
        for model in models
        if "parameters" in model.about and model.about["model"]["train_length"] == train_length
    )
    ends = dict.fromkeys(f"{count / 1e6:.2f}" for count in counts[:1] + counts[-1:])
    return f" of {' to '.join(ends)}M parameters" if ends else ""


def paper_caption(curves: Sequence[PublishedCurve], choice: str, protocol: str) -> str:
    """Returns where the numbers of the second chart stand, or that there are none."""
    if not curves:
        return f"Press et al. give no {protocol} numbers for {choice} and these methods."
    tables = ", ".join(dict.fromkeys(curve.table for curve in curves))
    return (
        f"Press, Smith and Lewis, {curves[0].source}: {tables}. {curves[0].dataset}, trained on "
        f"windows of {curves[0].train_length:,} tokens. Not our measurement."
    )


def chart_alt(curves: Sequence[MethodCurve], train_length: int, axis: str) -> str:
    """Returns what a chart shows, for those who cannot see it.

    Args:
        curves: At least one.
        train_length: Tokens in a training window.
        axis: Name of what the curves show, see `exhibits.measured.measure_title`.
    """
    parts = [
        f"{curve.label} from {curve.mean[0]:.3g} at {curve.lengths[0]:,} to "
        f"{curve.mean[-1]:.3g} at {curve.lengths[-1]:,} tokens"
        for curve in curves
    ]
    return (
        f"{axis.capitalize()} against evaluation length for models trained on "
        f"{train_length:,} tokens: {'; '.join(parts)}."
    )


def summary_table(curves: Sequence[MethodCurve], train_length: int) -> pd.DataFrame:
    """Returns one row a method: where it is best, how it ends, and its value at each length."""
    lengths = sorted({int(length) for curve in curves for length in curve.lengths})
    rows = []
    for curve in curves:
        base, best = curve.at(train_length), int(curve.mean.argmin())
        # What was not read past its training length has not extrapolated.
        is_longer = base is not None and curve.lengths[-1] > train_length
        rows.append(
            {
                "method": curve.label,
                "seeds": int(curve.n_seed.max()),
                "best at, tokens": int(curve.lengths[best]),
                "at longest / at training length": curve.mean[-1] / base if is_longer else np.nan,
            }
            | {f"{length:,}": curve.at(length) for length in lengths}
        )
    return pd.DataFrame(rows)


def summary_columns(curves: Sequence[MethodCurve], train_length: int) -> dict[str, Any]:
    """Returns how the page shows the summary; column names of lengths are tokens."""
    lengths = sorted({int(length) for curve in curves for length in curve.lengths})
    values = {
        f"{length:,}": st.column_config.NumberColumn(
            format="%.3f" if float(curves[0].mean[0]) < 10 else "%.2f",
            help=f"window of {length:,} tokens, {length / train_length:g}× the training length",
        )
        for length in lengths
    }
    return values | {
        "at longest / at training length": st.column_config.NumberColumn(format="%.2f"),
        "best at, tokens": st.column_config.NumberColumn(format="localized"),
    }


def record_table(records: Sequence[Record]) -> pd.DataFrame:
    """Returns every record as a row, with the units in the names of its columns."""
    return pd.DataFrame(
        {
            "method": METHODS[record.method].label,
            "seed": record.seed,
            "trained on, tokens": record.train_length,
            "window, tokens": record.eval_length,
            "protocol": record.protocol,
            "stride, tokens": record.stride,
            "scored, tokens": record.tokens_scored,
            "loss, nats/token": record.nll,
            "perplexity": record.perplexity,
            "bits per byte": record.bits_per_byte,
            "checkpoint": record.checkpoint,
            "command": record.command,
        }
        for record in records
    )


def paper_table(curves: Sequence[PublishedCurve]) -> pd.DataFrame:
    """Returns every number of the paper that is shown, with its source and table."""
    return pd.DataFrame(
        {
            "method": METHODS[curve.method].label,
            "trained on, tokens": curve.train_length,
            "window, tokens": length,
            "perplexity": value,
            "source": curve.source,
            "table": curve.table,
            "data": curve.dataset,
        }
        for curve in curves
        for length, value in zip(curve.lengths, curve.perplexities, strict=True)
    )
