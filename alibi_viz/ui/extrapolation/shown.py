"""What the page on extrapolation shows: its controls, its curves, its sentences and its tables."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.measured.curves import MEASURES, BundledModel
from alibi_viz.charts.measured.perplexity import BOTH, PerplexityChart
from alibi_viz.charts.measured.stretched import (
    FIRST,
    STAGES,
    STRETCHINGS,
    TUNED_LENGTH,
    StretchedChart,
    name_of,
)
from alibi_viz.charts.measured.stretched_position import WINDOWS
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.positions import METHODS
from alibi_viz.retrieval.records import StretchedRecord
from alibi_viz.ui.link.parameter import Control, Several, choice
from alibi_viz.ui.link.settle import bound_control, show_notes
from alibi_viz.words import listed

DIFFERENCE = "difference"
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
    ("nonoverlapping", "sliding window", BOTH),
    allowed=f"nonoverlapping, sliding window or {BOTH}",
    help="Nonoverlapping windows score every token, those at the start of a window with hardly "
    "any context: longer windows have fewer such tokens. A sliding window scores only its last "
    "tokens, which have context of nearly the whole window.",
)
MEASURE = choice(
    "measure",
    "measure",
    (*MEASURES, DIFFERENCE),
    help="Ratio: perplexity over the model's own perplexity at its training length. Difference: "
    "perplexity over that of another method on the same blocks of text.",
)
STRETCHED = choice(
    "stretched",
    "stretched",
    ("no", *STAGES),
    help="At once: a trained model reads longer windows with other numbers for position, and "
    "nothing is trained. After 200 steps: it was trained on for a moment, on windows of "
    f"{TUNED_LENGTH} tokens.",
)
NAMES_OF_STRETCHINGS = {name: name_of(name) for name in STRETCHINGS}
STRETCHINGS_CHOSEN = Several(
    "stretchings",
    "by",
    tuple(NAMES_OF_STRETCHINGS.values()),
    tuple(NAMES_OF_STRETCHINGS[name] for name in FIRST),
    NAMES_OF_STRETCHINGS,
    help="RoPE's: position interpolation (PI), NTK-aware, dynamic NTK, by parts and YaRN, by the "
    "paper's ramp and by the authors' code. ALiBi's: slopes / s, slopes stretched unevenly, the "
    "two flattest at 0. Log length, any method's: logits grow with the logarithm of the window. "
    "“Where position enters” shows what each does.",
)
STRETCHED_WINDOW = choice(
    "stretched_window",
    "windows by position, tokens",
    WINDOWS,
    1024,
    help="The scale of a stretching is the window over the training length, so each window has "
    "curves of its own.",
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


def methods_control(
    container: DeltaGenerator, offered: Collection[str] = tuple(METHODS)
) -> list[str]:
    """Shows a choice of methods that stands in the URL by their labels, and returns their keys.

    Args:
        container: Where to show it.
        offered: Keys of the methods that can be chosen.
    """
    labels = tuple(label for label, key in LABELS.items() if key in offered)
    parameter = replace(SHOWN_METHODS, options=labels, default=labels, allowed="")
    chosen = bound_control(parameter, container)
    show_notes(parameter)
    return [LABELS[label] for label in chosen]


def stretched_chart(labels: Sequence[str], stage: str, protocol: Protocol) -> StretchedChart:
    """Returns the chart of the stretchings of those labels."""
    names = tuple(name for name, label in NAMES_OF_STRETCHINGS.items() if label in labels)
    return StretchedChart(names, next(one for one in STAGES if one == stage), protocol)


NOTHING_STRETCHED = (
    "Nothing was measured of these. `python -m alibi_viz stretch` measures stretched models, "
    "`python -m alibi_viz tune` trains them for a moment first."
)
NOTHING_MEASURED = (
    "Nothing measured yet. `python -m alibi_viz train` makes a model, "
    "`python -m alibi_viz evaluate` measures it."
)


def own_caption(chart: PerplexityChart, models: Sequence[BundledModel]) -> str:
    """Returns what was measured here."""
    trained = chart.train_length
    seeds = len({record.seed for record in chart.records if record.train_length == trained})
    return (
        f"Models{_sizes(models, trained)} trained on windows of {trained:,} tokens, "
        f"{'one seed' if seeds == 1 else f'{seeds} seeds (line: mean, shade: range)'}, text: "
        f"{chart.corpus}."
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


def summary_columns(chart: PerplexityChart) -> dict[str, Any]:
    """Returns how the page shows the summary; column names of lengths are tokens."""
    curves, train_length = chart.curves, chart.train_length
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


def stretched_caption(chart: StretchedChart) -> str:
    """Returns what was changed, of which models, and what dashes and marks mean."""
    curve = chart.lines[0].measured
    seeds = listed([str(seed) for seed in curve.seeds])
    several = "seeds {} (line: mean, shade: range)" if len(curve.seeds) > 1 else "seed {}"
    told = [
        f"Models of {several.format(seeds)}, those that were measured in all ways shown, on the "
        f"same {curve.weights.sum():,.0f} tokens."
    ]
    if chart.stage != "after 200 steps":
        told.append(
            "Dots, open marks: stretched at once. Each window of T tokens has its scale, "
            "s = T / 128, and where s is 1 nothing changes."
        )
    if chart.stage != "at once":
        told.append(
            f"Dashes, filled marks: trained on for 200 steps on windows of {TUNED_LENGTH} tokens, "
            f"409,600 tokens in all, 5 % of the first training; the scale is fixed at "
            f"{TUNED_LENGTH // 128}, or the model is as it was."
        )
    told.append("[What each does to rotations and slopes](methods?part=stretching).")
    return " ".join(told)


def stretched_columns() -> dict[str, Any]:
    """Returns how the page shows the numbers of stretched models."""
    names = (
        "perplexity per token",
        "lowest seed",
        "highest seed",
        "95 % interval from",
        "95 % interval to",
    )
    columns = {name: st.column_config.NumberColumn(format="%.2f") for name in names}
    return columns | {
        "evaluation window, tokens": st.column_config.NumberColumn(format="localized")
    }


def record_table(records: Sequence[Record]) -> pd.DataFrame:
    """Returns every record as a row, with the units in the names of its columns."""
    return pd.DataFrame(
        _how_stretched(record)
        | {
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


def _how_stretched(record: Record) -> dict[str, Any]:
    if not isinstance(record, StretchedRecord):
        return {}
    return {"stretched": record.stretching, "trained on again, tokens": record.tuned_length}
