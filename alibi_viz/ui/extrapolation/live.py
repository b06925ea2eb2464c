"""Measuring models on the spot: choose models, lengths, protocol and text, and watch the points."""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.charts.measured.here import MeasuredHereChart, MeasuredPoint
from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES
from alibi_viz.jobs import limits
from alibi_viz.jobs.evaluate_request import RECORDS, EvaluateRequest
from alibi_viz.jobs.models import TrainedModel, trained_models
from alibi_viz.jobs.progress import measured_points
from alibi_viz.jobs.registry import Job
from alibi_viz.ui.extrapolation.shown import protocol_of
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.link.parameter import Several, choice
from alibi_viz.ui.link.settle import control_row
from alibi_viz.ui.show import jobs
from alibi_viz.ui.show.figure import show_chart
from alibi_viz.ui.show.results import warn_of_damaged_models
from alibi_viz.ui.show.texts import choose_text

# What is chosen at first: the paper's two, near the training length and far beyond it.
FIRST_MODELS = ("bundled:alibi-L128-s0", "bundled:sinusoidal-L128-s0")
FIRST_LENGTHS = ("128", "512", "2048")

PROTOCOL = choice(
    "live_protocol",
    "protocol",
    tuple(PROTOCOL_NAMES.values()),
    help=f"Nonoverlapping scores {limits.TOKENS_SCORED['nonoverlapping']:,} tokens or more in "
    f"windows side by side. A sliding window scores the last quarter of each, "
    f"{limits.TOKENS_SCORED['sliding_window']:,} or more in all, up to windows of "
    f"{limits.SLIDING_LENGTHS[-1]:,} tokens. Both take blocks of every file.",
)
LENGTHS = Several(
    "live_lengths",
    "evaluation lengths, tokens",
    tuple(map(str, limits.EVAL_LENGTHS)),
    FIRST_LENGTHS,
)


def models_control(models: Sequence[TrainedModel]) -> Several:
    """Returns the choice of the models to measure.

    Args:
        models: At least one.
    """
    labels: dict[str, str] = {}
    for model in models:
        is_taken = model.label in labels.values()
        labels[model.name] = f"{model.label}, {model.name}" if is_taken else model.label
    first = tuple(labels[name] for name in FIRST_MODELS if name in labels)
    return Several(
        "live_models",
        f"models, up to {limits.MAX_CHECKPOINTS}",
        tuple(labels.values()),
        first or (models[0].label,),
        labels,
        limits.MAX_CHECKPOINTS,
        "list",
    )


def live_evaluation() -> None:
    """Shows everything needed to measure models here and now, and what was measured."""
    st.header("Measure it yourself", anchor="measure")
    st.caption(
        "How do these models, or one that you trained, do on this or another text, at lengths that "
        "you choose?"
    )
    warn_of_damaged_models()
    models = trained_models(jobs.registry().root)
    if not models:
        st.info("No trained model is here yet. [Train one](train).")
        return
    request = _controls(models)
    if request is None:
        return
    job = jobs.find(request)
    left, right = st.columns([5, 1], vertical_alignment="center", gap="medium")
    with left.expander("The same in a terminal", key="command_open", on_change="rerun") as folded:
        if folded.open:
            st.code(_command(request), language="bash", wrap_lines=True)
    jobs.start_button("Measure", request, job, right)
    jobs.show_refusal()
    if job is not None:
        jobs.watch_job(job, _show)


def _controls(models: list[TrainedModel]) -> EvaluateRequest | None:
    """Returns what is asked for, or None where something is missing; a message says what."""
    chosen_models = models_control(models)
    (labels,) = control_row([chosen_models]).values()
    chosen = tuple(name for name, label in chosen_models.aliases.items() if label in labels)
    row = control_row((PROTOCOL, LENGTHS), [2, 5])
    protocol = protocol_of(row[PROTOCOL.key])
    lengths = [int(length) for length in row[LENGTHS.key]]
    text = choose_text(
        "live",
        ours="validation part",
        about="the part of Python's library that no bundled model was trained on",
        with_hub=True,
    )
    allowed = limits.SLIDING_LENGTHS if protocol == "sliding_window" else limits.EVAL_LENGTHS
    if not chosen or not lengths or text is None:
        if not chosen or not lengths:
            st.info("Choose at least one model and one length.")
        return None
    kept = tuple(length for length in lengths if length in allowed)
    if not kept:
        st.info(f"Choose a length of {allowed[-1]:,} tokens or less for a sliding window.")
        return None
    beyond = [length for length in lengths if length not in allowed]
    if beyond:
        st.caption(f"A sliding window is not measured at {_listed(beyond)} tokens.")
    return EvaluateRequest(chosen, kept, protocol, text)


def _listed(lengths: list[int]) -> str:
    return ", ".join(f"{length:,}" for length in lengths)


def _command(request: EvaluateRequest) -> str:
    """The command that measures the same, with a place for its records."""
    # Any folder beside those of the jobs: own models are named from there.
    arguments = request.arguments(jobs.registry().root / "example")
    return jobs.command_text([*arguments, "--output", "records.json"])


def _show(job: Job) -> None:
    """Shows the points that an evaluation has so far."""
    points = measured_points(job.folder / RECORDS)
    if not points:
        return
    assert isinstance(job.request, EvaluateRequest), "the page watches evaluations only"
    chart = MeasuredHereChart(
        tuple(map(MeasuredPoint.of, points)),
        job.request.protocol,
        points[0].tokens_scored,
        job.request.text,
    )
    show_chart(chart, with_table=job.state == "finished")
    look_for(chart.sentence())
