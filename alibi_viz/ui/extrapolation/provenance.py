"""Where our own measurements come from: models, data, recipe, search for learning rates."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.charts.measured.curves import BundledModel
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import PROTOCOLS
from alibi_viz.positions import METHODS
from alibi_viz.training.trials import TIE, Trial, best_trial

NOT_SHOWN = """
**What this does not show.** The models have about a million parameters and a vocabulary of 1,024
tokens, and read eight million tokens of one kind of text. An interval says what other text of that
kind could have shown, not what other seeds could: for that all seeds must agree, and they are few.
Perplexity averages over all tokens and says little about finding one fact far back. A method that
is ahead here may be behind at scale: in the paper ALiBi is ahead of sinusoidal positions on
WikiText-103, and level with them at 1.3 billion parameters (Table 12: 9.16 against 9.15 at 1,024
tokens). Why a method is ahead was not tested: the models differ in their position method and its
learning rate, and that is all that is known.
"""


def model_table(models: Sequence[BundledModel]) -> pd.DataFrame:
    """Returns one row a checkpoint: what was trained, on how much, how, and with what result."""
    rows = []
    for model in models:
        about, recipe = model.about, model.about.get("training", {})
        rows.append(
            {
                "checkpoint": model.name,
                "method": METHODS[model.method].label,
                "trained on, tokens": about["model"]["train_length"],
                "seed": about.get("seed"),
                "parameters": about.get("parameters"),
                "training tokens": about.get("tokens"),
                "learning rate": recipe.get("learning_rate"),
                "position's rate, times": recipe.get("position_learning_rate_factor"),
                "validation loss, nats/token": about.get("final_validation_loss"),
                "training time, minutes": _minutes(about.get("seconds")),
                "command": about.get("command"),
            }
        )
    return pd.DataFrame(rows)


def _minutes(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds / 60, 1)


def whole_numbers() -> dict[str, Any]:
    """Returns how the page shows the large whole numbers of both tables."""
    names = ("parameters", "training tokens")
    return {name: st.column_config.NumberColumn(format="localized") for name in names}


def sweep_table(trials: Sequence[Trial]) -> pd.DataFrame:
    """Returns validation loss at each peak learning rate.

    One row a budget, method and setting of its own: trials of different length are no comparison.
    """
    table = pd.DataFrame(
        {
            "training tokens": trial.tokens,
            "method": METHODS[trial.method].label,
            "of its own": _own(trial),
            "rate": f"{trial.learning_rate:g}",
            "loss": trial.validation_loss,
        }
        for trial in sorted(trials, key=lambda trial: (trial.tokens, trial.key))
    )
    index = ["training tokens", "method", "of its own"]
    table = table.pivot_table(index=index, columns="rate", values="loss", sort=False)
    return table[sorted(table.columns, key=lambda rate: float(str(rate)))].reset_index()


def sweep_note(trials: Sequence[Trial]) -> str:
    """Returns what the columns of the sweep are, and which rate was best for each budget."""
    budgets = sorted({trial.tokens for trial in trials})
    best = " ".join(
        _best_rates([trial for trial in trials if trial.tokens == tokens], tokens)
        for tokens in budgets
    )
    return (
        "Each cell is the validation loss, in nats per token, at that peak learning rate. Of its "
        "own: the learning rate of what a method learns as a multiple of the rest's; "
        "the amplitude of sinusoids in standard deviations of an untrained token embedding, where "
        f"1 is the paper's ratio. The longest trials of a method decide; "
        f"where several rates lie within {TIE:g} nats of the best, the lowest of them. {best}"
    )


def _best_rates(trials: Sequence[Trial], tokens: int) -> str:
    """Returns the best rate of each method with several trials of one budget."""
    tried = {key: [trial for trial in trials if trial.method == key] for key in METHODS}
    compared = {key: found for key, found in tried.items() if len(found) > 1}
    if not compared:
        return ""
    best = {key: best_trial(found) for key, found in compared.items()}
    listed = ", ".join(
        f"{METHODS[key].label} " + " with ".join(filter(None, (f"{of.learning_rate:g}", _own(of))))
        for key, of in best.items()
    )
    at_the_edge = [
        METHODS[key].label
        for key, found in compared.items()
        if len(rates := {trial.learning_rate for trial in found}) > 1
        and best[key].learning_rate == max(rates)
    ]
    edge = f" No higher rate was tried for {', '.join(at_the_edge)}." if at_the_edge else ""
    return f"Best after {tokens:,} training tokens: {listed}.{edge}"


def _own(trial: Trial) -> str:
    """Returns what a trial set for its position method alone; nothing for most methods."""
    method = METHODS[trial.method]
    if "sinusoid_amplitude" in method.settings:
        return f"amplitude {trial.sinusoid_amplitude:g}"
    factor = trial.position_learning_rate_factor
    return f"position's rate {factor:g}×" if method.learns else ""


def measured_on(records: Sequence[Record]) -> str:
    """Returns, in Markdown, the text, the tokens scored and the strides behind records."""
    corpus = records[0].corpus
    name, _, fingerprint = corpus.partition(" sha256:")
    scored = ", ".join(
        f"{protocol.replace('_', ' ')} {_listed(counts)}"
        for protocol in PROTOCOLS
        if (counts := sorted({r.tokens_scored for r in records if r.protocol == protocol}))
    )
    strides = sorted({r.stride for r in records if r.stride is not None})
    sliding = f" Sliding windows move by {_listed(strides)} tokens." if strides else ""
    seeds = _listed(sorted({r.seed for r in records}))
    return (
        f"Text: the validation part of `{name}` (SHA-256 `{fingerprint[:12]}…`), files that no "
        "model was trained on, behind the part that learning rates were chosen on. "
        f"Tokens scored at every length: {scored}.{sliding} Seeds: {seeds}."
    )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)
