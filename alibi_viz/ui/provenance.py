"""Where our own measurements come from: models, data, recipe, search for learning rates."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import PROTOCOLS
from alibi_viz.figures.losses import LossCurve
from alibi_viz.positions import METHODS
from alibi_viz.ui.results import TrainedModel

NOT_SHOWN = """
**What this does not show.** The models have about a million parameters and a vocabulary of 1,024
tokens; they learned from a few million tokens of Python source, which is more regular than prose.
Few seeds: differences within the ranges shown mean nothing. Perplexity averages over all tokens and
says little about finding one fact far back. A method that is ahead here may be behind at scale: in
the paper ALiBi is ahead of sinusoidal positions on WikiText-103, and level with them at 1.3 billion
parameters (Table 12: 9.16 against 9.15 at 1,024 tokens).
"""


def model_table(models: Sequence[TrainedModel]) -> pd.DataFrame:
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


def sweep_table(trials: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Returns one row a method and position factor: validation loss at each peak learning rate."""
    table = pd.DataFrame(
        {
            "method": METHODS[trial["method"]].label,
            "position's rate": f"{trial['position_learning_rate_factor']:g}×",
            "rate": f"{trial['learning_rate']:g}",
            "loss": trial["validation_loss"],
        }
        for trial in trials
    )
    index = ["method", "position's rate"]
    return table.pivot_table(index=index, columns="rate", values="loss").reset_index()


def sweep_note(trials: Sequence[dict[str, Any]]) -> str:
    """Returns what the columns of the sweep are, and which trial each method did best in."""
    best: dict[str, dict[str, Any]] = {}
    for trial in sorted(trials, key=lambda trial: -float(trial["validation_loss"])):
        best[trial["method"]] = trial
    listed = ", ".join(
        f"{method.label} {_rates(best[key])}" for key, method in METHODS.items() if key in best
    )
    highest = max(trial["learning_rate"] for trial in trials)
    at_the_edge = [
        method.label
        for key, method in METHODS.items()
        if key in best and best[key]["learning_rate"] == highest
    ]
    edge = f" Higher rates were not tried for {', '.join(at_the_edge)}." if at_the_edge else ""
    tokens = " or ".join(f"{count:,}" for count in sorted({trial["tokens"] for trial in trials}))
    return (
        f"Validation loss in nats per token after {tokens} training tokens; columns: peak "
        "learning rate; position's rate: that of T5's table and of learned positions, as a "
        f"multiple of the rest. Best: {listed}.{edge}"
    )


def _rates(trial: dict[str, Any]) -> str:
    factor = trial["position_learning_rate_factor"]
    own = "" if factor == 1 else f" with position's at {factor:g}×"
    return f"{trial['learning_rate']:g}{own}"


def loss_curves(models: Sequence[TrainedModel], train_length: int) -> list[LossCurve]:
    """Returns the validation curves of the models of one training length, each method named once.

    Args:
        models: Trained models, by name.
        train_length: Tokens in a training window.
    """
    curves, named = [], set()
    for model in models:
        if model.about["model"]["train_length"] != train_length or not model.validation:
            continue
        label = "" if model.method in named else METHODS[model.method].label
        named.add(model.method)
        curves.append(LossCurve(model.method, label, model.validation))
    return curves


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
        f"model was trained on. Tokens scored at every length: {scored}.{sliding} Seeds: {seeds}."
    )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)
