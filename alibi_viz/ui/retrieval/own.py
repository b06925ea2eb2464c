"""A visitor's own recall model: its controls, its job, and its line for the chart."""

from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.retrieval.own import OwnRecall
from alibi_viz.jobs import limits
from alibi_viz.jobs.progress import recall_points
from alibi_viz.jobs.recall_request import RecallRequest
from alibi_viz.jobs.registry import Job
from alibi_viz.positions import METHODS
from alibi_viz.retrieval.plan import RECALL_VARIANTS
from alibi_viz.ui.frame.navigation import address
from alibi_viz.ui.frame.presentation import is_presenting
from alibi_viz.ui.link.parameter import Control, choice
from alibi_viz.ui.link.settle import control_row
from alibi_viz.ui.methods.controls import key_of, method_choice
from alibi_viz.ui.show import jobs
from alibi_viz.ui.show.figure import show_table
from alibi_viz.ui.train import controls as training

USUAL = RecallRequest()
OWN = choice("own", "a model of your own", ("none", "train one"))
METHOD = method_choice(
    "own_method",
    "position method",
    USUAL.position,
    methods=[key for key, variant in RECALL_VARIANTS.items() if key == variant.method],
)
EXPONENT = replace(training.EXPONENT, key="own_exponent", default=10.0)
FREE = Control(
    "own_free", "free heads", limits.FREE_HEADS, 0, help="Heads without a bias, of 8: slope 0."
)
SLOPES = choice("own_slopes", "slopes", ("fixed", "learned"), allowed="fixed or learned")
STEPS = Control(
    "own_steps",
    "steps of training",
    limits.RECALL_STEPS,
    USUAL.steps,
    help="The measured models took 400. How few are enough to find anything?",
)
SEED = Control("own_seed", "seed", tuple(range(limits.MAX_SEED + 1)), 0, kind="number")
BUDGET = (STEPS, SEED)
OF_SLOPES = (EXPONENT, FREE, SLOPES)
CONTROLS = (OWN, METHOD, *OF_SLOPES, *BUDGET)


def own_request() -> RecallRequest | None:
    """Shows what can be trained, and returns the request that it makes.

    Returns:
        None where the choice cannot be trained; a message says why.
    """
    method = key_of(control_row([METHOD])[METHOD.key])
    has_slopes = "max_exponent" in METHODS[method].settings
    row = control_row((*(OF_SLOPES if has_slopes else ()), *BUDGET))
    try:
        return RecallRequest(
            position=method,
            max_exponent=row.get(EXPONENT.key, USUAL.max_exponent),
            free_heads=row.get(FREE.key, 0),
            learned_slopes=row.get(SLOPES.key) == "learned",
            steps=row[STEPS.key],
            seed=row[SEED.key],
        )
    except ValueError as error:
        jobs.show_mistake(error)
        return None


def recalled_by_own(above: DeltaGenerator) -> tuple[OwnRecall, ...]:
    """Shows controls and job of the visitor's own model, and returns what was measured of it.

    Args:
        above: Where they stand.
    """
    with above:
        request = own_request()
        if request is None:
            return ()
        job = jobs.find(request)
        if is_presenting():
            # One figure fills the screen: nothing is started from there.
            return measured_here(job) if job else ()
        left, right = st.columns([5, 1], vertical_alignment="center", gap="medium")
        left.code(jobs.command_text(request.arguments()), language=None, wrap_lines=True)
        jobs.start_button("Train", request, job, right)
        jobs.show_refusal()
        if job is None:
            st.caption(
                f"{request.steps} steps and questions in windows of up to 8,192 tokens: "
                f"{limits.minutes(request.seconds)} here. The command does the same on your own "
                "machine."
            )
            return ()
        jobs.watch_job(job, _nothing_yet)
    return measured_here(job)


def measured_here(job: Job) -> tuple[OwnRecall, ...]:
    """Returns what a recall job has measured so far, ready to draw; nothing before that."""
    assert isinstance(job.request, RecallRequest), "the page watches recall jobs only"
    records = recall_points(job.folder)
    return (OwnRecall.of(job.request.variant, records),) if records else ()


def _nothing_yet(job: Job) -> None:
    """The chart is drawn anew once the job has ended."""


def recall_link(request: RecallRequest) -> str:
    """Returns the address that shows a request's job, and its line in the chart."""
    state = {
        OWN.key: OWN.options[-1],
        METHOD.key: request.position,
        EXPONENT.key: f"{request.max_exponent:g}",
        FREE.key: str(request.free_heads),
        SLOPES.key: "learned" if request.learned_slopes else "fixed",
        STEPS.key: str(request.steps),
        SEED.key: str(request.seed),
    }
    has_slopes = "max_exponent" in METHODS[request.position].settings
    slopes = {control.key for control in OF_SLOPES}
    return address(
        "retrieval", {key: text for key, text in state.items() if has_slopes or key not in slopes}
    )


def show_kept() -> None:
    """Shows the recall models of this server, one a row, with a link that opens each."""
    if is_presenting():
        return
    rows = [
        (
            f"{job.request.variant.label}, {job.request.steps} steps, seed {job.request.seed}",
            jobs.STATES[job.state],
            recall_link(job.request),
        )
        for job in jobs.kept_jobs()
        if isinstance(job.request, RecallRequest)
    ]
    if rows:
        with st.expander("Recall models trained on this server"):
            show_table(
                pd.DataFrame(rows, columns=["model", "state", "open"]),
                key="recall_trained_here",
                columns={"open": st.column_config.LinkColumn("open", display_text="open")},
            )
