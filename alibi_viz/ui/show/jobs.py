"""Jobs on pages: one registry for the server, and a panel that looks again only while one runs."""

import shlex
import time
from collections.abc import Callable, Sequence
from uuid import uuid4

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz import policy
from alibi_viz.jobs.progress import evaluation_progress, recall_progress, training_progress
from alibi_viz.jobs.recall_request import RecallRequest
from alibi_viz.jobs.registry import Job, JobRefused, Registry
from alibi_viz.jobs.requests import Request
from alibi_viz.rates import network_of

# Seconds between two looks at a running job. Every visitor who watches it asks as often.
LOOK_EVERY = 2.0
_REFUSAL = "_jobs_refusal"
_SESSION = "_jobs_session"

STATES = {
    "queued": "waiting",
    "running": "running",
    "finished": "finished",
    "cancelled": "cancelled",
    "stopped": "stopped",
    "failed": "failed",
}


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """Returns the server's jobs, shared by all its visitors."""
    return Registry()


def find(request: Request) -> Job | None:
    """Returns the job that does what is asked, or None if nobody asked yet."""
    try:
        return registry().find(request)
    except OSError as error:
        st.warning(f"This server cannot keep jobs: {error.strerror}. Tell whoever runs it.")
        return None


def kept_jobs() -> list[Job]:
    """Returns the server's jobs, the newest first."""
    try:
        return registry().jobs()
    except OSError:
        # `find` has said so already.
        return []


def submit(request: Request) -> None:
    """Asks for a job as this visitor; where it is refused, `show_refusal` says why.

    Args:
        request: What to do.
    """
    try:
        if not policy.training_is_allowed():
            raise JobRefused(switched_off())
        registry().submit(request, *_visitor())
    except JobRefused as error:
        st.session_state[_REFUSAL] = str(error)


def keep_visitors_text(content: bytes) -> str:
    """Returns the id under which this visitor's text is kept.

    Raises:
        ValueError: It cannot be used; the message says why.
        OSError: The disk is full, or cannot be written.
    """
    return registry().keep_text(content, *_visitor())


def _visitor() -> tuple[str, str]:
    """This visitor's session, and the address that it comes from, as a proxy tells it."""
    session = st.session_state.setdefault(_SESSION, uuid4().hex)
    return session, network_of(st.context.ip_address or "")


def start_button(label: str, request: Request, job: Job | None, container: DeltaGenerator) -> None:
    """Shows the button that starts a job; where there is one already, its panel has the buttons.

    Args:
        label: What it does.
        request: What to start.
        job: The job that does it, if anybody asked before.
        container: Where to show it.
    """
    is_open = policy.training_is_allowed()
    container.button(
        label,
        key=f"start_{request.kind}",
        on_click=submit,
        args=[request],
        disabled=job is not None or not is_open,
        width="stretch",
        help=None if is_open else switched_off(),
    )
    if not is_open:
        st.info(switched_off())


def command_text(arguments: Sequence[str]) -> str:
    """Returns the command that does what a request asks for anywhere, ready to copy.

    Args:
        arguments: Of `python -m alibi_viz`.
    """
    return "python -m alibi_viz " + shlex.join(arguments)


def show_mistake(error: ValueError) -> None:
    """Says why a request cannot be made."""
    message = str(error)
    st.error(message[0].upper() + message[1:] + ".")


def show_refusal() -> None:
    """Says why the job that was just asked for was not taken on, if so."""
    refusal = st.session_state.pop(_REFUSAL, None)
    if refusal:
        st.warning(refusal)


def switched_off() -> str:
    """Returns what a visitor reads where whoever runs the app allows no jobs."""
    return (
        "Training and live evaluation are switched off on this server (ALIBI_VIZ_TRAINING=0). "
        "On a machine of your own the command shown here does the same."
    )


def watch_job(job: Job, show: Callable[[Job], None]) -> None:
    """Shows a job: where it stands, what can be done about it, and what it has made so far.

    Args:
        job: The job. While it is active the panel looks again by itself, without the page.
        show: Shows what the job has made so far; called at every look.
    """
    every = LOOK_EVERY if job.is_active else None
    st.fragment(_panel, run_every=every)(job.id, job.is_active, show)


def _panel(job_id: str, was_active: bool, show: Callable[[Job], None]) -> None:
    job = registry().watch(job_id)
    if job is None:
        st.info("This job is no longer kept. Start it again.")
        return
    if was_active != job.is_active:
        # The page starts over: with the timer or without, and with what only a finished job has.
        st.rerun()
    show_refusal()
    words, button = st.columns([5, 1], vertical_alignment="center", gap="medium")
    words.progress(_fraction(job), text=status_line(job))
    _show_button(job, button)
    show(job)


def _show_button(job: Job, container: DeltaGenerator) -> None:
    if job.is_active:
        container.button(
            "Stopping ..." if job.is_stopping else "Cancel",
            key=f"cancel_{job.id}",
            on_click=registry().cancel,
            args=[job.id],
            disabled=job.is_stopping,
            help="Nothing is lost: a cancelled job goes on where it stopped.",
            width="stretch",
        )
    elif job.state != "finished":
        container.button(
            "Try again" if job.state == "failed" else "Resume",
            key=f"resume_{job.id}",
            on_click=submit,
            args=[job.request],
            width="stretch",
        )


def _progress(job: Job) -> tuple[float, float | None, str]:
    """Share done, seconds left and what is being done now."""
    if job.request.kind == "train":
        training = training_progress(job.folder)
        speed = training.tokens_per_second
        doing = f"{speed:,.0f} tokens a second" if speed else ""
        return training.fraction, training.seconds_left, doing
    if isinstance(job.request, RecallRequest):
        recall = recall_progress(job.folder, job.request.steps)
        return recall.fraction, recall.seconds_left, recall.measuring
    measuring = evaluation_progress(job.folder, time.time() - (job.status.started or time.time()))
    return measuring.fraction, measuring.seconds_left, measuring.measuring


def _fraction(job: Job) -> float:
    return 1.0 if job.state == "finished" else min(1.0, _progress(job)[0])


def status_line(job: Job) -> str:
    """Returns where a job stands, in one line of Markdown."""
    fraction, left, doing = _progress(job)
    if job.state == "queued":
        before = registry().jobs_before(job)
        return f"**Waiting**: {before} job{'s' if before != 1 else ''} before it"
    if job.state == "running":
        if job.is_stopping:
            return f"**Stopping** at {fraction:.0%}: the command saves its state"
        if not fraction and not doing:
            return "**Starting**: loading the text and the libraries"
        parts = [
            f"**Running**, {fraction:.0%}",
            "" if left is None else f"{clock(left)} left",
            doing,
        ]
        return " · ".join(part for part in parts if part)
    if job.state == "finished":
        return f"**Finished**{_took(job)}"
    line = f"**{STATES[job.state].capitalize()}** at {fraction:.0%}"
    # A failure may quote the visitor's own file: no Markdown of theirs.
    message = job.status.message.replace("`", "'")
    if not message:
        return line
    return f"{line}: `{message}`" if job.state == "failed" else f"{line}. {message}"


def _took(job: Job) -> str:
    started, ended = job.status.started, job.status.ended
    return "" if started is None or ended is None else f" after {clock(ended - started)}"


def clock(seconds: float) -> str:
    """Returns a time as minutes and seconds.

    >>> clock(7), clock(125.6)
    ('0:07', '2:06')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
