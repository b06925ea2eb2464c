"""What can be trained: the controls of the training page, the request that they make, the jobs."""

from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from alibi_viz.jobs import limits
from alibi_viz.jobs.cost import probe_seconds
from alibi_viz.jobs.limits import threads_for_jobs
from alibi_viz.jobs.models import describe
from alibi_viz.jobs.registry import MAX_KEPT, MAX_QUEUED, Job
from alibi_viz.jobs.texts import LIBRARY
from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.positions import METHODS
from alibi_viz.ui.link.parameter import Control, choice
from alibi_viz.ui.link.parameters import PageParameters
from alibi_viz.ui.link.settle import (
    bound_control,
    control_columns,
    control_row,
    settle_links,
    show_notes,
)
from alibi_viz.ui.methods.controls import key_of, method_choice
from alibi_viz.ui.show import jobs
from alibi_viz.ui.show.texts import OWN_TEXT, choose_text

METHOD = method_choice("method", "position method", "alibi")

USUAL = TrainRequest()
SIZES = (
    Control("t_heads", "heads", limits.HEADS, USUAL.heads),
    Control("t_layers", "layers", limits.LAYERS, USUAL.layers),
    Control("t_width", "width, channels", limits.WIDTHS, USUAL.width),
    Control("t_length", "training length, tokens", limits.TRAIN_LENGTHS, USUAL.train_length),
)
BUDGET = (
    Control(
        "t_tokens",
        "training tokens, millions",
        tuple(tokens / 1e6 for tokens in limits.TOKENS),
        USUAL.tokens / 1e6,
    ),
    Control("t_seed", "seed", tuple(range(limits.MAX_SEED + 1)), 0, kind="number"),
)
EXPONENT = Control(
    "t_exponent",
    "exponent",
    tuple(np.arange(limits.EXPONENTS[0], limits.EXPONENTS[1] + 0.5, 0.5).tolist()),
    USUAL.max_exponent,
    "0.5 to 16 in steps of 0.5",
    help="The flattest slope is 2 to minus this power.",
)
SLOPES = choice(
    "t_slopes",
    "slopes",
    ("fixed", "learned"),
    allowed="fixed or learned",
    help="The paper keeps them fixed: slopes that it trained did not extrapolate well.",
)
CONTROLS: tuple[Control[Any], ...] = (METHOD, *SIZES, *BUDGET, EXPONENT, SLOPES)


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    return PageParameters((*CONTROLS, OWN_TEXT))


def training_controls() -> TrainRequest | None:
    """Shows what can be chosen and returns the request that it makes.

    Returns:
        None where the choice cannot be trained here; a message says why and what can.
    """
    settle_links(*CONTROLS)
    values = _method_row()
    values |= control_row((*SIZES, *BUDGET))
    text = choose_text(
        "train",
        ours="Python's library",
        about="its sources and their docstrings, about 8 million characters",
    )
    show_notes(METHOD, EXPONENT, SLOPES)
    if text is None:
        return None
    try:
        return TrainRequest(
            position=key_of(values["method"]),
            heads=values["t_heads"],
            layers=values["t_layers"],
            width=values["t_width"],
            train_length=values["t_length"],
            max_exponent=values.get("t_exponent", USUAL.max_exponent),
            learned_slopes=values.get("t_slopes") == "learned",
            tokens=round(values["t_tokens"] * 1e6),
            seed=values["t_seed"],
            text=text,
        )
    except ValueError as error:
        jobs.show_mistake(error)
        return None


def _method_row() -> dict[str, Any]:
    """The method and, for ALiBi, its slopes; their places stay free for every other method."""
    columns = control_columns((METHOD, EXPONENT, SLOPES), [5, 3, 2])
    values = {METHOD.key: bound_control(METHOD, columns[METHOD.key])}
    if "max_exponent" in METHODS[key_of(values[METHOD.key])].settings:
        for control in (EXPONENT, SLOPES):
            values[control.key] = bound_control(control, columns[control.key])
    return values


def estimate(request: TrainRequest) -> str:
    """Returns in words what a run costs."""
    batch = limits.BATCH_TOKENS
    return (
        f"{request.tokens // batch:,} steps of {batch:,} tokens: about "
        f"{limits.minutes(request.seconds)} here"
    )


def limits_text() -> str:
    """Returns what a visitor of a shared server should know."""
    cores = threads_for_jobs()
    longest = limits.minutes(limits.MAX_PROBES * probe_seconds())
    return (
        f"One job runs at a time, on {cores} core{'s' if cores > 1 else ''} and at low priority: "
        f"the pages stay quick for everyone. {MAX_QUEUED} jobs may wait, one for each visitor. "
        "Keep the page open: a job that nobody watches gives way to those that wait. "
        f"A run may take about {longest} on one core. Whoever asks for the same model gets the "
        "same job, and may cancel it: nothing is lost, it goes on where it stopped. The newest "
        f"{MAX_KEPT} jobs are kept. The learning rate is each method's best of a sweep at the "
        "usual size."
    )


def jobs_table(kept: list[Job]) -> pd.DataFrame:
    """Returns the training jobs of this server, one a row, with a link that opens each.

    Args:
        kept: All jobs, the newest first.
    """
    rows = [
        (describe(job.request), jobs.STATES[job.state], "train?" + link(job.request))
        for job in kept
        if isinstance(job.request, TrainRequest)
    ]
    return pd.DataFrame(rows, columns=["model", "state", "open"])


def link(request: TrainRequest) -> str:
    """Returns the query of the URL that shows a request's job."""
    values = {
        "method": METHODS[request.position].label,
        "t_heads": request.heads,
        "t_layers": request.layers,
        "t_width": request.width,
        "t_length": request.train_length,
        "t_tokens": f"{request.tokens / 1e6:g}",
        "t_seed": request.seed,
    }
    if "max_exponent" in METHODS[request.position].settings:
        values["t_exponent"] = request.max_exponent
        values["t_slopes"] = "learned" if request.learned_slopes else "fixed"
    if request.text != LIBRARY:
        values["own_text"] = request.text
    return urlencode(values)
