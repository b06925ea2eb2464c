"""A training job as it goes: its loss curves, what to see in them, where its model can be used."""

import streamlit as st

from alibi_viz.charts.training import TrainingChart
from alibi_viz.files import read_json
from alibi_viz.jobs import limits
from alibi_viz.jobs.models import describe, model_of_job
from alibi_viz.jobs.progress import training_progress
from alibi_viz.jobs.registry import Job
from alibi_viz.jobs.texts import LIBRARY
from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.paths import CHECKPOINTS
from alibi_viz.positions import METHODS
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.frame.navigation import address
from alibi_viz.ui.show.figure import show_chart


def show_training(job: Job) -> None:
    """Shows the loss curves of a training job as they stand, and what to see in them."""
    assert isinstance(job.request, TrainRequest), "the page watches training jobs only"
    progress = training_progress(job.folder)
    chart = TrainingChart(
        describe(job.request),
        job.request.position,
        tuple(progress.train_curve),
        tuple(progress.validation_curve),
        job.request.tokens,
        limits.VOCABULARY,
    )
    show_chart(chart, with_table=job.state == "finished")
    look_for(f"{chart.sentence()} {compared(job.request)}")


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
    model = model_of_job(job)
    if model is None:
        return
    measure = address("extrapolation", {"live_models": model.label})
    inspect = address("trained_attention", {"model": model.name})
    st.success(
        f"**{model.label}** is ready. Measure it past its training length on "
        f"[Train short, test long]({measure}#measure), or look into its heads on "
        f"[Inside a model]({inspect})."
    )
