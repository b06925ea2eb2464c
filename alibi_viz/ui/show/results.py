"""Our own measurements, read from assets/results and the checkpoints beside them; torch-free."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import streamlit as st

from alibi_viz.charts.measured.curves import BundledModel
from alibi_viz.charts.measured.read import models_with_curves
from alibi_viz.evaluation.records import CostRecord
from alibi_viz.evaluation.store import shared_records
from alibi_viz.jobs.models import damaged_models
from alibi_viz.paths import PROJECT
from alibi_viz.training.trials import Trial
from alibi_viz.ui.show.plain import unmarked

Item = TypeVar("Item")


def explained(read: Callable[[], Iterable[Item]]) -> tuple[Item, ...]:
    """Returns what `read` returns; where it cannot, shows the reason and returns nothing.

    Args:
        read: Reads a file of results; its ValueError names the file and the reason.
    """
    try:
        return tuple(read())
    except ValueError as error:
        st.error(unmarked(str(error).replace(f"{PROJECT}/", "")))
        return ()


def warn_of_damaged_models() -> None:
    """Says which bundled models are left out of the list, and why; nothing where none is."""
    if reasons := damaged_models():
        st.warning("  \n".join(map(unmarked, reasons)))


def bundled() -> tuple[BundledModel, ...]:
    """Returns every committed checkpoint with its curve, by name; shared by all."""
    return models_with_curves()


def cost_records(path: Path | None = None) -> tuple[CostRecord, ...]:
    """Returns what each method costs, shared by all; none where there is no file.

    Args:
        path: Its file, the committed one if left out.

    Raises:
        ValueError: The file cannot be read.
    """
    return shared_records(CostRecord, path)


def sweep_trials(path: Path | None = None) -> tuple[Trial, ...]:
    """Returns the trials of the search for learning rates, shared; none where there is no file.

    Args:
        path: A sweep's file, the committed one if left out.

    Raises:
        ValueError: The file cannot be read.
    """
    return shared_records(Trial, path)


@st.cache_resource(show_spinner="asking torch for its devices")
def device_here() -> str:
    """Returns the device that training and evaluation would use on this machine.

    Asked in a process of its own: this one stays without torch.
    """
    code = (
        "import json, torch; from alibi_viz.model.device import choose_device; "
        "device = choose_device('auto'); "
        "print(json.dumps([device.type, torch.get_num_threads(), "
        "torch.cuda.get_device_name() if device.type == 'cuda' else '']))"
    )
    asked = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=120
    )
    if asked.returncode:
        return "torch could not be asked: " + asked.stderr.strip().splitlines()[-1]
    kind, threads, name = json.loads(asked.stdout)
    return f"CPU, {threads} threads" if kind == "cpu" else f"{kind.upper()} {name}".strip()
