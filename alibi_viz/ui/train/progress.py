"""A training job as it goes: its loss curves, what to see in them, where its model can be used."""

import math
from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.figures.training import TrainingCurves, training_figure
from alibi_viz.files import read_json
from alibi_viz.jobs import limits
from alibi_viz.jobs.models import describe, model_of
from alibi_viz.jobs.progress import TrainingProgress, training_progress
from alibi_viz.jobs.registry import Job
from alibi_viz.jobs.texts import LIBRARY
from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.paths import CHECKPOINTS
from alibi_viz.positions import METHODS
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.frame.navigation import address
from alibi_viz.ui.recipes.measured import training_code
from alibi_viz.ui.show.figure import show_figure
from alibi_viz.ui.train.controls import command_text


def show_training(job: Job) -> None:
    """Shows the loss curves of a training job as they stand, and what to see in them.

    Args:
        job: A training job.
    """
    assert isinstance(job.request, TrainRequest), "the page watches training jobs only"
    progress = training_progress(job.folder)
    curves = TrainingCurves(
        job.request.position,
        progress.train_curve,
        progress.validation_curve,
        job.request.tokens,
        limits.VOCABULARY,
    )
    show_figure(
        partial(training_figure, curves),
        key="loss",
        title=f"Loss of {describe(job.request)}",
        state={"training tokens": f"{progress.tokens:,} of {curves.tokens:,}"},
        alt=_alt(progress, curves),
        code=training_code(
            "alibi-viz-loss.csv",
            method=curves.method,
            tokens=curves.tokens,
            vocabulary=curves.vocabulary,
            command=command_text(job.request),
        ),
        numbers=partial(loss_table, curves),
        table=loss_table(curves) if job.state == "finished" else None,
    )
    look_for(f"{sentence(progress, curves)} {compared(job.request)}")


def loss_table(curves: TrainingCurves) -> pd.DataFrame:
    """Returns every point of both curves, one a row."""
    return pd.DataFrame(
        [
            (name, tokens, loss, math.exp(loss))
            for name, curve in (("training", curves.train), ("validation", curves.validation))
            for tokens, loss in curve
        ],
        columns=["text", "training tokens", "loss, nats per token", "perplexity"],
    )


def _alt(progress: TrainingProgress, curves: TrainingCurves) -> str:
    if not progress.train_curve:
        return "Loss against training tokens; no point is there yet."
    (_, first), (_, last) = progress.train_curve[0], progress.train_curve[-1]
    return (
        f"Loss in nats per token against training tokens. The training loss goes from {first:.2f} "
        f"to {last:.2f} after {progress.tokens:,} of {curves.tokens:,} tokens; an even guess costs "
        f"{curves.even_guess:.2f}."
    )


def sentence(progress: TrainingProgress, curves: TrainingCurves) -> str:
    """Returns what to see in the curves, with their numbers.

    Args:
        progress: Where the run stands.
        curves: What is drawn.
    """
    guess = (
        f"{curves.even_guess:.2f} nats, where all {curves.vocabulary:,} tokens are equally likely"
    )
    if not progress.validation_curve:
        return (
            f"both curves begin near {guess}, and fall as soon as the model knows which are common."
        )
    (_, loss) = progress.validation_curve[-1]
    said = (
        f"on text that it is not trained on, its loss is {loss:.2f} nats per token, a perplexity "
        f"of {math.exp(loss):,.1f}: it is as unsure as among {math.exp(loss):,.0f} equally likely "
        f"tokens, of {curves.vocabulary:,}."
    )
    early = [value for tokens, value in progress.validation_curve if tokens <= 0.75 * curves.tokens]
    if progress.fraction < 1 or not early:
        return said
    return (
        f"{said} Over the last quarter, in which the learning rate runs down to 0, it fell by "
        f"{early[-1] - loss:.2f} nats."
    )


def compared(request: TrainRequest) -> str:
    """Returns what the bundled model of the same method reached; "" where that says nothing.

    Args:
        request: What was trained.
    """
    config = CHECKPOINTS / f"{request.position}-L{TrainRequest().train_length}-s0" / "config.json"
    if request.text != LIBRARY or not config.is_file():
        return ""
    about = read_json(config)
    model = about["model"]
    return (
        f"The bundled {METHODS[request.position].label} model ({model['n_layer']} layers, width "
        f"{model['d_model']}, {about['tokens'] / 1e6:.1f} M tokens) reached "
        f"{about['final_validation_loss']:.2f}."
    )


def show_what_next(job: Job) -> None:
    """Says where a finished model can be used."""
    model = model_of(job)
    if model is None:
        return
    measure = address("extrapolation", {"live_models": model.label})
    inspect = address("trained_attention", {"model": model.name})
    st.success(
        f"**{model.label}** is ready. Measure it past its training length on "
        f"[Train short, test long]({measure}#measure), or look into its heads on "
        f"[Inside a model]({inspect})."
    )
